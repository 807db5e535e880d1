"""Reserve containers on a page. Each run of the page has them, even if they are empty."""

from __future__ import annotations

from typing import Any

import streamlit as st


def reserve_container(name: str, *, beside: bool = False) -> Any:
    """Reserve a container on the page and return it. `name` distinguishes it from the other containers of the page.

    A page uses such a container for elements that it draws only sometimes, or in varying number. The elements in it are
    below each other; if `beside` is true, they are next to each other as far as there is room.

    Without the container, everything below the elements would move up or down. While the browser draws that, one answer
    after the other, a widget can be missing for a moment. Then the browser forgets that the visitor used it and shows
    an older value.
    """
    if beside:
        return st.container(key=f"place_beside_{name}", horizontal=True, gap="medium", vertical_alignment="center")
    return st.container(key=f"place_{name}")
