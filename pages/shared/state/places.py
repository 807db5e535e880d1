"""Reserve containers on a page. Each run of the page has them, even if they are empty."""

from __future__ import annotations

from typing import Any

import streamlit as st


def reserve_container(name: str, *, beside: bool = False) -> Any:
    """Reserve a container on the page and return it. `name` must be different for each container of the page.

    Use a container for elements whose number changes from run to run. They are below each other or, if `beside`, next
    to each other.

    Without the container, an additional element would move everything below it. While the browser moves a widget, the
    widget can be missing for a moment. Then the browser forgets the visitor's last use of the widget.
    """
    if beside:
        return st.container(key=f"place_beside_{name}", horizontal=True, gap="medium", vertical_alignment="center")
    return st.container(key=f"place_{name}")
