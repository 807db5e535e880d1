"""The navigation: every page by its concept, in groups, and the one that the address asks for.

Streamlit draws it of itself: a menu of fifteen links of ours would cost each run as much as a lesson.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from itertools import groupby

import streamlit as st

from pages.shared import session
from pages.shared.catalogue import HOME, Entry, catalogue


def take(module: str, draw: Callable[[], None]) -> None:
    """Let a page's module, as it is imported, know what draws it; or run the page that the address asks for.

    That is where Streamlit runs a page's file of its own accord: app.py, with which every run begins, or, for the
    first visitor of a fresh server, the file in `pages/` that the address names.
    """
    if module == "__main__":
        st.navigation(list(_pages().values()), expanded=True).run()
    else:
        vars(sys.modules[module])["draw"] = draw


def page_of(path: str) -> st.Page:
    """Return the page of a file as Streamlit knows it, to link or to switch to."""
    return _pages()[path]


def _pages() -> Mapping[str, st.Page]:
    rooms = session.own().rooms
    if "navigation" not in rooms:
        rooms["navigation"] = {entry.path: _page(entry) for entry in catalogue()}
    return rooms["navigation"]


def _page(entry: Entry) -> st.Page:
    home = entry.path == HOME
    title = "Attention Lab" if home else entry.concept
    return st.Page(partial(_draw, entry.module), title=title, url_path=entry.name, default=home)


def _draw(module: str) -> None:
    import_module(module).draw()  # imported once, where Streamlit would run the file each time


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
