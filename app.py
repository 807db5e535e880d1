"""Attention Lab, served by `streamlit run app.py`."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

import streamlit as st
from streamlit import net_util

from pages.shared.frame import errors

SCRIPT = Path(__file__).parent / "pages" / "shared" / "frame" / "run.py"

# Streamlit would ask another host for the address of this machine, to compare it with where a page comes from.
net_util.get_external_ip = lambda: None


@asynccontextmanager
async def import_everything(_: st.App) -> AsyncIterator[None]:
    """Import all pages before the server answers: many first visitors at once would import them at the same time."""
    import_module("pages.shared.frame.draw")
    import_module("pages.shared.site.catalogue").catalogue()
    gc.collect()
    gc.freeze()  # what was imported stays: a full collection need not walk through it while visitors wait
    yield


app = st.App(SCRIPT, lifespan=import_everything, on_script_error=errors.show)
