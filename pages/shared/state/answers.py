"""Answers: what the visitor has set, what the page’s widgets say included, as the one truth of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import streamlit as st

from attention_core.examples import Example
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.kinds import Choice
from pages.shared.controls.text_input import TextInput
from pages.shared.state import session
from pages.shared.state.fitting import fitted
from pages.shared.state.link import short, with_workspace

P = TypeVar("P", bound=Parameters)

_NOT_DRAWN = object()  # what a widget says that is not on the page


def begin(kind: type[P]) -> tuple[P, Example]:
    """Return what the visitor has set, widgets included, as the run's one truth."""
    mine = session.own()
    before = mine.parameters[mine.page]
    shown = {name: st.session_state.get(session.key_of(name), _NOT_DRAWN) for name in controls_of(kind)}
    set_by_widgets = {n: _accepted(n, value, before) for n, value in shown.items() if value is not _NOT_DRAWN}
    example = mine.workspace.edited_example
    parameters, notices = fitted(with_workspace(replace(before, **set_by_widgets), mine.workspace), example)
    mine.notices += notices
    mine.parameters[mine.page] = parameters
    return parameters, example  # type: ignore[return-value]


def forget_widgets() -> None:
    """Let the page's widgets show the state rather than set it."""
    for name in controls_of(session.own().kind):
        st.session_state.pop(session.key_of(name), None)


def _accepted(name: str, value: Any, before: Parameters) -> Any:
    """Return what a widget says; a choice that was switched off stays as it was, unless it may be off."""
    control = controls_of(type(before))[name]
    if isinstance(control, TextInput):
        return _accepted_text(name, control, value, getattr(before, name))
    if value is not None:
        return tuple(value) if isinstance(value, list) else value
    return "" if isinstance(control, Choice) and control.optional else getattr(before, name)


def _accepted_text(name: str, control: TextInput, text: str, before: str) -> str:
    """Return what was typed; what a link could not hold stays as it was, and is said."""
    try:
        return control.decode(text)
    except ValueError as error:
        session.own().notices = [f"“{control.label}” must be {error}; got `{short(text)}`, so it stays as it was."]
        st.session_state[session.key_of(name)] = before
        return before
