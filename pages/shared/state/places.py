"""Places: parts of a page that are always there, whatever is drawn in them."""

from __future__ import annotations

from typing import Any

import streamlit as st


def place(name: str, *, beside: bool = False) -> Any:
    """Return a container for what a page draws only now and then, or with more or fewer elements.

    What is drawn in it stands below each other or beside each other, where there is room for that.

    Without it, all that follows would move up or down. While the browser draws that, one answer after the other, a
    widget can be missing for a moment; the browser then forgets what was pressed and shows an older value.
    """
    if beside:
        return st.container(key=f"place_beside_{name}", horizontal=True, gap="medium", vertical_alignment="center")
    return st.container(key=f"place_{name}")
