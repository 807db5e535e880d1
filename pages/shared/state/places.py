"""Reserve containers on a page. Each run of the page has them, even if they are empty."""

from __future__ import annotations

from typing import Any

import streamlit as st


def reserve_container(name: str, *, beside: bool = False) -> Any:
    """Reserve a container on the page and return it. Each container of a page needs another `name`.

    A page uses such a container for elements that are not always there, or whose number changes. The elements are below
    each other or, if `beside`, next to each other as far as there is room.

    Without the container, such an element would move everything below it. While the browser moves a widget, the widget
    can be missing for a moment. Then the browser forgets that the visitor used the widget, and shows an older value.
    """
    if beside:
        return st.container(key=f"place_beside_{name}", horizontal=True, gap="medium", vertical_alignment="center")
    return st.container(key=f"place_{name}")
