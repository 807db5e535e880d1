"""Places: containers on a page that are always there, whatever is drawn in them."""

from __future__ import annotations

from typing import Any

import streamlit as st


def place(name: str, *, beside: bool = False) -> Any:
    """Return a container for elements that a page draws only now and then, or in varying number.

    The elements stand below each other, or `beside` each other where there is room for that.

    Without the container, everything below it would move up or down. While the browser draws that, one answer after
    the other, a widget can be missing for a moment; the browser then forgets what was pressed and shows an older value.
    """
    if beside:
        return st.container(key=f"place_beside_{name}", horizontal=True, gap="medium", vertical_alignment="center")
    return st.container(key=f"place_{name}")
