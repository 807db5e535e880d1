"""Attention Lab, served by `streamlit run app.py`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

import streamlit as st


@asynccontextmanager
async def import_everything(_: st.App) -> AsyncIterator[None]:
    """Import all pages before the server answers: many first visitors at once would import them at the same time."""
    import_module("pages.shared.frame.draw")
    yield


app = st.App(Path(__file__).parent / "pages/shared/frame/run.py", lifespan=import_everything)
