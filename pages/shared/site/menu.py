"""The menu of all pages, and links from page to page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import groupby

import streamlit as st

from pages.shared.site.page import HOME, Page, catalogue, menu, page_named
from pages.shared.state import address, history, session
from pages.shared.state.link_text import query_to
from pages.shared.state.session import workspace_for_page


@dataclass(slots=True)
class Menu:
    """The pages of one visitor as objects of Streamlit's class `st.Page`, by name."""

    pages: dict[str, st.Page] = field(default_factory=dict)


def run(draw: Callable[[Page], None]) -> None:
    """Draw the menu. Then call the function `draw` with the page that the address names."""
    drawn = session.visitor_object(Menu)
    drawn.pages = drawn.pages or {page.name: _in_menu(page, draw) for page in catalogue()}
    st.navigation(list(drawn.pages.values()), expanded=True).run()


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


def link(page: str, label: str, state: Mapping[str, str] | None = None, *, icon: str | None = None) -> None:
    """Draw a link to a page. The page opens with the visitor's example and edits."""
    if page not in menu():  # the page was taken out of the app, with its folder and its row
        return
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
