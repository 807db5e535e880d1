"""The navigation: every page by its concept, in groups, and the one that the address asks for.

Streamlit draws it of itself: a menu of fifteen links of ours would cost each run as much as a lesson.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
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
    rooms = session.own().rooms
    if "navigation" not in rooms:  # made once a visitor, since Streamlit looks for each page's file
        rooms["navigation"] = [_page(entry) for entry in catalogue()]
    token = _RUNNING.set(True)
    try:
        st.navigation(rooms["navigation"], expanded=True).run()
    finally:
        _RUNNING.reset(token)


def _page(entry: Entry) -> st.Page:
    home = entry.path == HOME
    return st.Page(entry.path, title="Attention Lab" if home else entry.concept, default=home)


@cache
def style() -> str:
    """Return the style that draws each page's icon, and names each group above its first page.

    Icons given to Streamlit would also be the browser's, which it fetches from another host, or be read out with the
    page's name; and its own names of groups would break its list.
    """
    entries = [*enumerate(catalogue(), start=1)]
    groups = groupby(entries, key=lambda numbered: numbered[1].group)
    firsts = {group: next(of_it)[0] for group, of_it in groups if group}
    icons = [f'{_item(place)} a::before {{ content: "{entry.icon}" / ""; }}' for place, entry in entries]
    return "".join([*icons, *(f'{_item(place)}::before {{ content: "{group}"; }}' for group, place in firsts.items())])


def _item(place: int) -> str:
    return f'[data-testid="stSidebarNavItems"] > li:nth-of-type({place})'
