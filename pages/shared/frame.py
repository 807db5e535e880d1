"""The frame: the same head on every page, the navigation, the example in use, the link to share, the sources."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from attention_core.examples import EXAMPLES, Example, example
from pages.shared import address, answers, equipment, navigation, session, share, widgets
from pages.shared.catalogue import Entry, catalogue, entry_of
from pages.shared.controls import Parameters
from pages.shared.lecture import strip
from pages.shared.link import LAYOUT
from pages.shared.notation import typeset
from pages.shared.takehome.dialog import takehome
from pages.shared.takehome.in_code import MakesCode, in_code

Part = Callable[[Any, Any], None]
Brings = Callable[[Any], Example | None]


@cache
def _icon() -> str:
    return f"data:image/png;base64,{b64encode((Path(__file__).parent / 'icon.png').read_bytes()).decode()}"


def page(
    module: str,
    *parts: Part,
    concept: str,
    question: str,
    group: str,
    icon: str,
    sources: Sequence[str],
    code: MakesCode,
    parameters: type[Parameters] = Parameters,
    brings: Brings | None = None,
    ending: Callable[[], None] | None = None,
) -> None:
    """Declare a page: its question, its parts with what the visitor has set, and what every page has.

    Each part is a function of the parameters and the example; the ending is the same whatever the visitor sets. An
    edit draws all parts again, a millisecond an element: headings are Markdown together with the text below them.
    `concept`, `question`, `group` and `icon` must be literals: the navigation of all pages reads them from the file.
    `brings` makes an example of the page's own from its parameters, or none yet, where it is not the visitor's that is
    shown: then there is none to choose, and its matrices are not edited.
    `code` makes the code of what is shown, and is asked only where somebody looks at it or takes it home.
    Sources are Markdown, one an entry.
    """

    def draw() -> None:
        entry = entry_of(module)
        st.set_page_config(page_title=f"{concept} · Attention Lab", page_icon=_icon(), layout="wide")
        address.visit(entry.name, parameters)
        strip.turn_the_page()
        equipment.bring()
        strip.dress()
        this_parameters, this_example = answers.begin(parameters)
        _sidebar()
        st.markdown(f":small[:gray[{f'{group} · {concept}' if group else 'Attention Lab'}]]\n\n# {typeset(question)}")
        take_home = _bar(this_parameters, None if brings else this_example)
        strip.strip()
        _lesson([(this_parameters, this_example)], parts, parameters, brings, code)
        if ending:
            ending()
        if take_home:
            takehome(entry, this_parameters, brings(this_parameters) if brings else this_example, code)
        _sources(sources)
        _neighbours(entry)

    navigation.take(module, draw)


def link(path: str, label: str, state: Mapping[str, str] | None = None, *, icon: str | None = None) -> None:
    """Link to a page; with a state, to that page in it, with the visitor's example and edits."""
    query = session.query_with(state) if state else None
    st.page_link(navigation.page_of(path), label=label, icon=icon and f":material/{icon}:", query_params=query)


def offer(name: str, label: str) -> None:
    """Offer another example in the lesson, as the chooser above it would take it."""
    if st.button(label, icon=":material/arrow_forward:", key=f"offer.{name}"):
        session.choose_example(name)
        st.rerun()  # all of the page: the chooser has to follow


@st.fragment
def _lesson(
    begun: list[Any], parts: Sequence[Part], kind: type[Parameters], brings: Brings | None, code: MakesCode
) -> None:
    """Run what depends on what the visitor does here, in one go, and nothing else of the page.

    What the whole page has begun with is taken up once; each run of this alone begins anew.
    """
    parameters, this_example = begun.pop() if begun else answers.begin(kind)
    session.drawn().clear()
    above = st.container(key="above") if session.notices() or strip.is_up() else nullcontext()
    shown = brings(parameters) if brings else this_example
    for part in parts:
        part(parameters, shown)
    if shown:
        in_code(parameters, shown, code)
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
            share.dialog(parameters)
        take_home = st.button("Take home", icon=":material/download:", on_click=session.press)
        strip.offer_scenes()
    if this_example:
        st.caption(f"{typeset(this_example.about)} *{typeset(this_example.source)}*")
    return take_home


def _choose(this_example: Example) -> None:
    widgets.let_show("example", this_example.name)
    st.selectbox(
        "Example", list(EXAMPLES), format_func=lambda name: example(name).title, key="example", width=230,
        on_change=lambda: session.choose_example(st.session_state["example"]),
    )  # fmt: skip


def _sources(sources: Sequence[str]) -> None:
    st.caption("---\n\n**Sources** · " + " · ".join(sources))


def _neighbours(current: Entry) -> None:
    entries = catalogue()
    place = entries.index(current)
    if place > 0:
        link(entries[place - 1].path, entries[place - 1].concept, icon="arrow_back")
    if place + 1 < len(entries):
        link(entries[place + 1].path, entries[place + 1].concept, icon="arrow_forward")
