"""The menu of all pages, in groups. It also draws the page that the address asks for.

Streamlit draws the menu, because our own links to all pages would take as much time in each run as the lesson does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import groupby

import streamlit as st

from pages.shared.site.catalogue import catalogue
from pages.shared.site.page import HOME, Page
from pages.shared.state import session


@dataclass(slots=True)
class Menu:
    """The pages of one visitor as objects of Streamlit's class `st.Page`, by name."""

    pages: dict[str, st.Page] = field(default_factory=dict)


def run(draw: Callable[[Page], None]) -> None:
    """Draw the menu. Then call the function `draw` with the page that the address names."""
    menu = session.visitor_object(Menu)
    menu.pages = menu.pages or {page.name: _in_menu(page, draw) for page in catalogue()}
    st.navigation(list(menu.pages.values()), expanded=True).run()


def page_in_menu(name: str) -> st.Page:
    """Return the page `name` as Streamlit's `st.Page`. Streamlit needs this object for a link to the page."""
    return session.visitor_object(Menu).pages[name]


def _in_menu(page: Page, draw: Callable[[Page], None]) -> st.Page:
    return st.Page(partial(draw, page), title=page.in_menu, url_path=page.name, default=page.name == HOME)


@cache
def style() -> str:
    """Return the CSS that draws the icon of each page in the menu, and the name of each group above its first page.

    Streamlit can draw icons and groups too. But it would load some icons from another host, and a screen reader would
    read other icons out with the page's name.
    """
    entries = [*enumerate(catalogue(), start=1)]
    groups = groupby(entries, key=lambda numbered: numbered[1].group)
    firsts = {group: next(of_it)[0] for group, of_it in groups if group}
    icons = [f'{_item(place)} a::before {{ content: "{page.icon}" / ""; }}' for place, page in entries]
    return "".join([*icons, *(f'{_item(place)}::before {{ content: "{group}"; }}' for group, place in firsts.items())])


def _item(place: int) -> str:
    return f'[data-testid="stSidebarNavItems"] > li:nth-of-type({place})'
