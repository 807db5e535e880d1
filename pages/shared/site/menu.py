"""The menu of all pages, and links from page to page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from urllib.parse import urlsplit

import streamlit as st

from pages.shared.site.page import HOME, Page, catalogue, menu, page_named
from pages.shared.state import address, history, session
from pages.shared.state.link_text import query_to
from pages.shared.state.session import workspace_for_page

_NAME = re.compile(r"[\w-]{1,60}")  # of a page, in an address


@dataclass(slots=True)
class Menu:
    """The pages of one visitor as objects of Streamlit's class `st.Page`, by name."""

    pages: dict[str, st.Page] = field(default_factory=dict)


def run(draw: Callable[[Page], None]) -> None:
    """Draw the menu. Then call the function `draw` with the page that the address names."""
    drawn = session.visitor_object(Menu)
    drawn.pages = drawn.pages or {page.name: _in_menu(page, draw) for page in catalogue()}
    groups: dict[str, list[st.Page]] = {page.group: [] for page in catalogue()}
    for page in catalogue():
        groups[page.group].append(drawn.pages[page.name])
    groups[""] += _pages_that_are_missing(draw)
    chosen = st.navigation(groups, position="top").url_path or HOME
    session.visitor_object(Missing).name = "" if chosen in menu() else chosen
    draw(page_named(chosen if chosen in menu() else HOME))


@dataclass(slots=True)
class Missing:
    """The name of a page that the address asked for and the app does not have, until the first page has said so."""

    name: str = ""


def _pages_that_are_missing(draw: Callable[[Page], None]) -> list[st.Page]:
    """Return a page for an address that no page has, which is not in the menu.

    Without it, Streamlit would show the first page too, in a dialog that does not say which page is missing.
    """
    name = urlsplit(st.context.url or "").path.rpartition("/")[2]
    if name in menu() or not _NAME.fullmatch(name):
        return []
    home = page_named(HOME)
    return [st.Page(partial(draw, home), title=name, url_path=name, visibility="hidden")]


def missing_page() -> tuple[str, ...]:
    """Return a notice about the page that the address asked for, if the app does not have it, otherwise ()."""
    missing = session.visitor_object(Missing)
    name, missing.name = missing.name, ""
    return (f"There is no page `{name}` in this app. This is its first page.",) if name else ()


def page_in_menu(name: str) -> st.Page:
    """Return the page `name` as Streamlit's `st.Page`. Streamlit needs this object for a link to the page."""
    return session.visitor_object(Menu).pages[name]


def _in_menu(page: Page, draw: Callable[[Page], None]) -> st.Page:
    return st.Page(partial(draw, page), title=page.in_menu, url_path=page.name, default=page.name == HOME)


@cache
def style() -> str:
    """Return the CSS that marks the entry of the menu with the present page in it.

    Streamlit marks the page only in the list of a group that is open.
    """
    entry = 'html[data-lab-entry="{0}"] [data-testid="stTopNav"] > :nth-child({0}) :is(a, button)'
    entries = ", ".join(entry.format(place) for place in range(1, 1 + len(_entries())))
    box = "box-shadow: inset 0 0 0 1px color-mix(in srgb, gray 60%, transparent)"
    return f":is({entries}) {{ background: color-mix(in srgb, gray 14%, transparent); {box}; }}"


def entry_of(page: Page) -> int:
    """Return the place in the menu of the entry with a page in it. The first is 1."""
    return 1 + _entries().index(page.group or page.name)


@cache
def _entries() -> list[str]:
    return list(dict.fromkeys(page.group or page.name for page in catalogue()))


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
