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
from pages.shared import session, widgets
from pages.shared.catalogue import Entry, catalogue, entry_of
from pages.shared.controls import Parameters
from pages.shared.link import encode
from pages.shared.notation import typeset


@cache
def _style() -> str:
    return f"<style>{(Path(__file__).parent / 'frame.css').read_text(encoding='utf-8')}</style>"


def page(
    file: str,
    body: Callable[[Any, Example], None],
    *,
    concept: str,
    question: str,
    group: str,
    icon: str,
    sources: Sequence[str],
    parameters: type[Parameters] = Parameters,
    examples: bool = True,
) -> None:
    """Show a page: its question, its body with what the visitor has set, and what every page has.

    `concept`, `question`, `group` and `icon` must be literals: the navigation of all pages reads them from the file.
    Sources are Markdown, one an entry.
    """
    entry = entry_of(file)
    st.set_page_config(
        page_title=f"{concept} · Attention Lab", page_icon=str(Path(__file__).parent / "icon.png"), layout="wide"
    )
    session.visit(entry.name, parameters)
    st.html(_style())
    _navigation(entry)
    st.caption(f"{group} · {concept}" if group else "Attention Lab")
    st.title(question, anchor=False)
    _content(parameters, body, examples)
    _sources(sources)
    _neighbours(entry)


def link(path: str, label: str, state: Mapping[str, str], *, icon: str | None = None) -> None:
    """Link to a page; with a state, to that page in it, with the visitor's example and edits."""
    query = session.query_with(state) if state else None
    st.page_link(path, label=label, icon=icon and f":material/{icon}:", query_params=query)


@st.fragment
def _content(parameters: type[Parameters], body: Callable[[Any, Example], None], examples: bool) -> None:
    """Run what changes as the visitor works; head and navigation stay as they are."""
    notices = st.container()
    set_by_visitor, this_example = session.begin(parameters)
    _bar(set_by_visitor, this_example, examples)
    body(set_by_visitor, this_example)
    for notice in session.notices():
        notices.caption(f":material/info: {notice}")
    session.finish()


def _navigation(current: Entry) -> None:
    with st.sidebar:
        st.page_link("app.py", label="**Attention Lab**", icon=":material/home:")
        for group, entries in groupby(catalogue()[1:], key=lambda entry: entry.group):
            st.caption(group)
            for entry in entries:
                st.page_link(
                    entry.path, label=entry.concept, icon=f":material/{entry.icon}:", disabled=entry == current
                )


def _bar(parameters: Parameters, this_example: Example, choosable: bool) -> None:
    """Say which example is in use, and let it be changed, undone and shared."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="bar"):
        if choosable:
            _choose(this_example)
        can_undo, can_redo = session.history()
        edited = bool(session.workspace().edits)
        st.button(
            "Undo",
            icon=":material/undo:",
            on_click=session.undo,
            disabled=not can_undo,
            help="Take back the last edit (Ctrl+Z in a matrix)",
        )
        st.button(
            "Redo",
            icon=":material/redo:",
            on_click=session.redo,
            disabled=not can_redo,
            help="Do it again (Ctrl+Y in a matrix)",
        )
        st.button("Back to the example", icon=":material/restart_alt:", on_click=session.reset, disabled=not edited)
        widgets.draw(parameters, "digits")
        _share(parameters)
    if choosable:
        _about(this_example, edited)


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


def _about(this_example: Example, edited: bool) -> None:
    state = " **Edited by you.**" if edited else ""
    st.caption(f"{typeset(this_example.about)}{state} *{typeset(this_example.source)}*")


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
