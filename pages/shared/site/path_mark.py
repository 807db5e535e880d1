"""The mark of the path: a short line on a page, with a link to the screen of the path about this page."""

from __future__ import annotations

import streamlit as st

from pages.shared.scene_files.screens import place_of, screens
from pages.shared.site.menu import page_in_menu
from pages.shared.site.page import HOME

PATH = "path"


def draw(page: str) -> None:
    """Draw the line, if the path has a screen about the page."""
    number = place_of(page)
    if number and page != HOME:  # the path begins at home
        with st.container(key="path_mark"):
            label = f"In the path: {number} of {len(screens())}"
            st.page_link(
                page_in_menu(PATH),
                label=label,
                icon=":material/route:",
                query_params={"screen": screens()[number - 1].name},
            )
