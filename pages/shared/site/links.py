"""Draw links from one page to another, which keep the visitor's example and edits."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.shared.site.catalogue import page_named
from pages.shared.site.menu import page_in_menu
from pages.shared.state import address, history, session
from pages.shared.state.link_text import query_to
from pages.shared.state.workspace import workspace_for_page


def link(page: str, label: str, state: Mapping[str, str] | None = None, *, icon: str | None = None) -> None:
    """Draw a link to a page. The page opens with the visitor's example and edits.

    The page also opens with the link parameters in `state`, if given.
    """
    query = _query(page, state) if state else None
    st.page_link(page_in_menu(page), label=label, icon=icon and f":material/{icon}:", query_params=query)


def _query(page: str, state: Mapping[str, str]) -> dict[str, str]:
    visit, kind = session.visit(), page_named(page).parameters
    return query_to(state, workspace_for_page(visit.workspace, type(visit.parameters), kind), kind())


def offer_example(example: str, label: str) -> None:
    """Draw a button in the lesson. A press opens another example, as the list of examples above the lesson does."""
    if st.button(label, icon=":material/arrow_forward:", key=f"offer.{example}"):
        history.choose_example(example)
        address.note_press()
        st.rerun()  # a run of the whole page, because the chooser changes too
