"""Attention Lab, served by `streamlit run app.py`."""

import gc
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

import streamlit as st
from streamlit import config, net_util

from pages.shared.frame import errors

SCRIPT = Path(__file__).parent / "pages" / "shared" / "frame" / "run.py"
SETTINGS = tomllib.loads((Path(__file__).parent / ".streamlit" / "config.toml").read_text("utf-8"))
PROMISED = (("browser", "gatherUsageStats"), ("client", "showErrorDetails"), ("runner", "fastReruns"))

# Streamlit would ask another host for the address of this machine, to compare it with where a page comes from.
net_util.get_external_ip = lambda: None


def keep_promises() -> None:
    """Set what the app promises as its configuration file says it. Streamlit Community Cloud overrides that file."""
    for section, name in PROMISED:
        config.set_option(f"{section}.{name}", SETTINGS[section][name])


keep_promises()
config.on_config_parsed(keep_promises, force_connect=True)  # Streamlit reads the file again when it changes


@asynccontextmanager
async def import_everything(_: st.App) -> AsyncIterator[None]:
    """Import all pages before the server answers: many first visitors at once would import them at the same time."""
    import_module("pages.shared.frame.draw")
    import_module("pages.shared.site.catalogue").catalogue()
    gc.collect()
    gc.freeze()  # what was imported stays: a full collection need not walk through it while visitors wait
    yield


app = st.App(SCRIPT, lifespan=import_everything, on_script_error=errors.show)
