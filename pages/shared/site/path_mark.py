"""The mark of the path: a short line on a page, with a link to the screen of the path about this page."""

from __future__ import annotations

import streamlit as st

from pages.shared.scene_files.screens import screen_of_page, screens
from pages.shared.site.menu import page_in_menu
from pages.shared.site.page import HOME
from pages.shared.state import session
from pages.shared.state.link_text import encode
from pages.shared.state.workspace import Workspace

PATH = "path"


def draw(page: str) -> None:
    """Draw a link such as “In the path: 3 of 20” to the screen of the path (a guided course) about the page `page`.

    Draw nothing if no screen is about this page, or on the home page, where the path begins.
    """
    number = screen_of_page(page)
    if number and page != HOME:  # the path begins at home
        with st.container(key="path_mark"):
            label = f"In the path: {number} of {len(screens())}"
            query = {"screen": screens()[number - 1].name} | _guesses()
            st.page_link(page_in_menu(PATH), label=label, icon=":material/route:", query_params=query)


def _guesses() -> dict[str, str]:
    """Return a link parameter with what the visitor guessed on the path (a guided course), or {} without a guess.

    The path would forget the guesses if a link to it did not have this parameter.
    """
    left = session.visitor().left.get(PATH)
    link = encode(Workspace(), left) if left else {}
    return {"guesses": link["guesses"]} if "guesses" in link else {}
