"""The app Attention Lab, which `streamlit run app.py` serves."""

import asyncio
import gc
import socket
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from streamlit import config, net_util

from pages.shared.frame import errors
from pages.shared.frame.kept_files import keep_few_files

SCRIPT = Path(__file__).parent / "pages" / "shared" / "frame" / "run.py"
SETTINGS = tomllib.loads((Path(__file__).parent / ".streamlit" / "config.toml").read_text("utf-8"))
PROMISED = (("browser", "gatherUsageStats"), ("client", "showErrorDetails"), ("runner", "fastReruns"))

# Streamlit would ask another host for the address of this machine, to compare it with the origin of a page.
net_util.get_external_ip = lambda: None


def set_promised_options() -> None:
    """Set the options in `PROMISED` to their values in the configuration file, such as no usage statistics.

    Streamlit Community Cloud overrides the file, but the app promises these values to its visitors.
    """
    for section, name in PROMISED:
        config.set_option(f"{section}.{name}", SETTINGS[section][name])


keep_few_files()
set_promised_options()
config.on_config_parsed(set_promised_options, force_connect=True)  # Streamlit reads the file again when it changes


def send_at_once() -> None:
    """Let each connection to this server send small messages at once.

    Otherwise what follows the first message of an answer waits until the other side has acknowledged that message: for
    40 ms, or for one way there and back. Connections inherit the option from the socket that accepts them.
    """
    for each in gc.get_objects():
        if issubclass(type(each), socket.socket) and each.family in (socket.AF_INET, socket.AF_INET6):
            if each.fileno() >= 0 and each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@asynccontextmanager
async def import_everything(_: st.App) -> AsyncIterator[None]:
    """Import all pages and find the model when the server starts, before it answers its first visitor.

    Otherwise many first visitors would import the pages at the same time. The server calls this function itself.
    """
    import_module("pages.shared.frame.draw")
    import_module("pages.shared.site.page").catalogue()
    import_module("attention_core.language_model.gguf").find_model()  # before Streamlit changes sys.path for a run
    send_at_once()
    gc.collect()
    gc.freeze()  # imported modules stay, so a full collection need not walk through them while visitors wait
    rehearsing = asyncio.create_task(import_module("pages.shared.frame.rehearsal").rehearse())
    yield
    rehearsing.cancel()


def first_bytes(server: Any) -> Any:
    """Return Streamlit's server with a layer around it, which completes what the server sends first for a page."""

    async def answer(*request: Any) -> None:
        await import_module("pages.shared.frame.first_bytes").answer(server, *request)

    return answer


MIDDLEWARE = [Middleware(first_bytes)]

app = st.App(SCRIPT, lifespan=import_everything, on_script_error=errors.show, middleware=MIDDLEWARE)
