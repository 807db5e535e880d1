"""Places: parts of a page that are always there, whatever is drawn in them."""

from __future__ import annotations

from typing import Any

import streamlit as st


def place(name: str) -> Any:
    """Return a container for what a page draws only now and then, or with more or fewer elements.

    Without it, all that follows would move up or down. While the browser draws that, one answer after the other, a
    widget can be missing for a moment; the browser then forgets what was pressed and shows an older value.
    """
    return st.container(key=f"place_{name}")
