"""The navigation: every page by its concept, in groups, and the one that the address asks for.

Streamlit draws it of itself: a menu of fifteen links of ours would cost each run as much as a lesson.
"""

from __future__ import annotations

from contextvars import ContextVar
from itertools import groupby

import streamlit as st

from pages.shared import session
from pages.shared.catalogue import HOME, Entry, catalogue

_RUNNING = ContextVar("the navigation has chosen the page that runs", default=False)


def has_chosen() -> bool:
    """Return whether the page that runs is the one that the navigation has chosen.

    It is not when Streamlit has run a page's file of its own accord: app.py, with which every run begins, or, for the
    first visitor of a fresh server, the file in `pages/` that the address names.
    """
    return _RUNNING.get()


def run_the_chosen_page() -> None:
    """Tell Streamlit of all pages, and run the one that the address asks for; home, if there is no such page."""
    token = _RUNNING.set(True)
    try:
        st.navigation(_pages(), expanded=True).run()
    finally:
        _RUNNING.reset(token)


def _pages() -> dict[str, list[st.Page]]:
    """Return the pages by group; made once a visitor, since Streamlit looks for each of their files."""
    rooms = session.own().rooms
    if "navigation" not in rooms:
        groups = groupby(catalogue(), key=lambda entry: entry.group)
        rooms["navigation"] = {group: [_page(entry) for entry in entries] for group, entries in groups}
    return rooms["navigation"]


def _page(entry: Entry) -> st.Page:
    home = entry.path == HOME
    name = "Attention Lab" if home else entry.concept
    # An icon given as such would also be the browser's, which Streamlit fetches from another host.
    return st.Page(entry.path, title=f":material/{entry.icon}: {name}", default=home)
