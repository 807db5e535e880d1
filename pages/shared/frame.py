"""The frame: the same head on every page, the navigation, the example in use, the link to share, the sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from attention_core.examples import EXAMPLES, Example, example
from pages.shared import address, session, widgets
from pages.shared.catalogue import Entry, catalogue, entry_of
from pages.shared.controls import Parameters
from pages.shared.following import announce, follow, whole_run
from pages.shared.link import encode
from pages.shared.notation import typeset

Part = Callable[[Any, Example], None]


@cache
def _style() -> str:
    return f"<style>{(Path(__file__).parent / 'frame.css').read_text(encoding='utf-8')}</style>"


def page(
    file: str,
    *parts: Part,
    concept: str,
    question: str,
    group: str,
    icon: str,
    sources: Sequence[str],
    parameters: type[Parameters] = Parameters,
    code: str | None = None,
) -> None:
    """Show a page: its question, its parts with what the visitor has set, and what every page has.

    Each part is a function of the parameters and the example, and runs by itself when something in it is touched.
    `concept`, `question`, `group` and `icon` must be literals: the navigation of all pages reads them from the file.
    Sources are Markdown, one an entry.
    """
    entry = entry_of(file)
    st.set_page_config(
        page_title=f"{concept} · Attention Lab", page_icon=str(Path(__file__).parent / "icon.png"), layout="wide"
    )
    address.visit(entry.name, parameters)
    st.html(_style())
    _navigation()
    st.caption(f"{group} · {concept}" if group else "Attention Lab")
    st.title(question, anchor=False)
    with whole_run():
        for part in (_bar, *parts):
            _run(part, parameters)
    follow()
    if code:
        _code(code)
    _sources(sources)
    _neighbours(entry)


def link(path: str, label: str, state: Mapping[str, str], *, icon: str | None = None) -> None:
    """Link to a page; with a state, to that page in it, with the visitor's example and edits."""
    query = session.query_with(state) if state else None
    st.page_link(path, label=label, icon=icon and f":material/{icon}:", query_params=query)


@st.fragment
def _run(part: Part, kind: type[Parameters]) -> None:
    parameters, this_example = session.begin(kind)
    part(parameters, this_example)
    announce(part.__name__)
    address.finish()


def inner(part: Part) -> None:
    """Run a part within a part: touched, it runs without what stands around it."""
    _run(part, session.own().kind)


def _navigation() -> None:
    with st.sidebar:
        st.page_link("app.py", label="**Attention Lab**", icon=":material/home:")
        for group, entries in groupby(catalogue()[1:], key=lambda entry: entry.group):
            st.caption(group)
            for entry in entries:
                st.page_link(entry.path, label=entry.concept, icon=f":material/{entry.icon}:")


def _bar(parameters: Parameters, this_example: Example) -> None:
    """Say which example is in use, and let it be changed, undone and shared."""
    for notice in session.notices():
        st.caption(f":material/info: {notice}")
    can_undo, can_redo = session.history()
    edited = bool(session.workspace().edits)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="bar"):
        _choose(this_example)
        _button("Undo", "undo", session.undo, can_undo, "Take back the last edit (Ctrl+Z in a matrix)")
        _button("Redo", "redo", session.redo, can_redo, "Do it again (Ctrl+Y in a matrix)")
        _button("Back to the example", "restart_alt", session.reset, edited, "Take back all edits")
        widgets.draw(parameters, "digits")
        _share(parameters)
    state = " **Edited by you.**" if edited else ""
    st.caption(f"{typeset(this_example.about)}{state} *{typeset(this_example.source)}*")


def _button(label: str, icon: str, react: Callable[[], None], enabled: bool, says: str) -> None:
    st.button(label, icon=f":material/{icon}:", on_click=react, disabled=not enabled, help=says)


def _choose(this_example: Example) -> None:
    st.session_state["example"] = this_example.name
    st.selectbox(
        "Example", list(EXAMPLES), format_func=lambda name: example(name).title, key="example", width=230,
        on_change=lambda: session.choose_example(st.session_state["example"]),
    )  # fmt: skip


def _share(parameters: Parameters) -> None:
    with st.popover("Share", icon=":material/link:"):
        st.write("This link restores the page exactly as you see it, edits included.")
        query = urlencode(encode(session.workspace(), parameters), safe=",;.")
        st.code(f"{(st.context.url or '').split('?')[0]}{'?' if query else ''}{query}", language=None, wrap_lines=True)


def _code(text: str) -> None:
    with st.expander("The code that computes this", icon=":material/code:"):
        st.code(text, language=None, wrap_lines=True)  # the highlighter’s colours lack contrast


def _sources(sources: Sequence[str]) -> None:
    st.divider()
    st.caption("**Sources** · " + " · ".join(sources))


def _neighbours(current: Entry) -> None:
    entries = catalogue()
    place = entries.index(current)
    left, right = st.columns(2)
    if place > 0:
        left.page_link(entries[place - 1].path, label=f"{entries[place - 1].concept}", icon=":material/arrow_back:")
    if place + 1 < len(entries):
        right.page_link(entries[place + 1].path, label=f"{entries[place + 1].concept}", icon=":material/arrow_forward:")
