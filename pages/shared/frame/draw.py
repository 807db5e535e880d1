"""The frame: the same head on every page, the navigation, the example in use, the link to share, the sources."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path

import streamlit as st

from attention_core.examples import EXAMPLES, Example
from attention_core.examples import example as example_named
from pages.shared.controls import Parameters
from pages.shared.frame import equipment
from pages.shared.lecture import strip
from pages.shared.notation.prose import typeset
from pages.shared.share import link_dialog
from pages.shared.site.catalogue import catalogue
from pages.shared.site.links import link
from pages.shared.site.page import Page
from pages.shared.state import address, answers, session, widgets
from pages.shared.state.link import LAYOUT
from pages.shared.takehome.dialog import takehome
from pages.shared.takehome.in_code import in_code


@cache
def _icon() -> str:
    return f"data:image/png;base64,{b64encode((Path(__file__).parent / 'icon.png').read_bytes()).decode()}"


def draw(page: Page) -> None:
    """Draw a page: its question, its parts with what the visitor has set, and what every page has."""
    st.set_page_config(page_title=f"{page.concept} · Attention Lab", page_icon=_icon(), layout="wide")
    address.visit(page.name, page.parameters)
    strip.turn_the_page()
    equipment.bring()
    strip.dress()
    parameters, example = answers.begin(page.parameters)
    _sidebar()
    place = f"{page.group} · {page.concept}" if page.group else "Attention Lab"
    st.markdown(f":small[:gray[{place}]]\n\n# {typeset(page.question)}")
    take_home = _bar(parameters, None if page.brings else example)
    strip.strip()
    _lesson(page)
    if page.ending:
        page.ending()
    if take_home:
        takehome(page, parameters, page.brings(parameters) if page.brings else example)
    _sources(page.sources)
    _neighbours(page)


@st.fragment
def _lesson(page: Page) -> None:
    """Run what depends on what the visitor does here, in one go, and nothing else of the page."""
    parameters, example = answers.begin(page.parameters)
    session.drawn().clear()
    above = st.container(key="above") if session.notices() or strip.is_up() else nullcontext()
    shown = page.brings(parameters) if page.brings else example
    for part in page.parts:
        part(parameters, shown)
    if shown:
        in_code(parameters, shown, page.code)
    with above:
        for notice in session.notices():
            st.caption(f":material/info: {notice}")
        strip.say(parameters)  # once the lesson has drawn the numbers that are spoken of
    address.finish()


def _sidebar() -> None:
    """Draw, below the menu, what is set for all pages."""
    with st.sidebar:
        widgets.let_show("layout", session.workspace().tokens_are)
        LAYOUT.draw("layout", on_change=lambda: session.choose_layout(st.session_state["layout"]))
        strip.present_switch()


def _bar(parameters: Parameters, this_example: Example | None) -> bool:
    """Say which example is in use, let it be changed and shared, and return whether it is to be taken home.

    A page may have numbers of its own.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="bar"):
        if this_example:
            _choose(this_example)
        widgets.draw(parameters, "digits", on_change=session.press)
        if st.button("Share", icon=":material/link:", on_click=session.press):
            link_dialog.dialog(parameters)
        take_home = st.button("Take home", icon=":material/download:", on_click=session.press)
        strip.offer_scenes()
    if this_example:
        st.caption(f"{typeset(this_example.about)} *{typeset(this_example.source)}*")
    return take_home


def _choose(this_example: Example) -> None:
    widgets.let_show("example", this_example.name)
    st.selectbox(
        "Example", list(EXAMPLES), format_func=lambda name: example_named(name).title, key="example", width=230,
        on_change=lambda: session.choose_example(st.session_state["example"]),
    )  # fmt: skip


def _sources(sources: Sequence[str]) -> None:
    st.caption("---\n\n**Sources** · " + " · ".join(sources))


def _neighbours(current: Page) -> None:
    pages = catalogue()
    place = pages.index(current)
    if place > 0:
        link(pages[place - 1].name, pages[place - 1].concept, icon="arrow_back")
    if place + 1 < len(pages):
        link(pages[place + 1].name, pages[place + 1].concept, icon="arrow_forward")
