"""Places: containers that a page always has, even if they are empty."""

from __future__ import annotations

from typing import Any

import streamlit as st


def place(name: str, *, beside: bool = False) -> Any:
    """Return a container for elements that a page draws only sometimes, or in varying number.

    The elements are below each other. With `beside` they are next to each other if there is room.

    Without the container, everything below the elements would move up or down. While the browser draws that, one answer
    after the other, a widget can be missing for a moment. Then the browser forgets that the visitor used it and shows
    an older value.
    """
    if beside:
        return st.container(key=f"place_beside_{name}", horizontal=True, gap="medium", vertical_alignment="center")
    return st.container(key=f"place_{name}")
