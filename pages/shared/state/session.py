"""The session: everything that the server stores about a visitor between runs, in Streamlit's session state."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import streamlit as st

from pages.shared.controls import Parameters
from pages.shared.state.visit import Visit

T = TypeVar("T")
MOST_NOTICES, MORE = 10, "More of it was refused; only the first is said here."
NOT_DRAWN = object()  # stands for the value of a widget that was not drawn under its present key


@dataclass(slots=True)
class Visitor:
    """One visitor:

    the page that is shown, the pages as the visitor left them, and one object of each other kind of state.
    """

    visit: Visit = field(default_factory=Visit)
    left: dict[str, Parameters] = field(default_factory=dict)  # by page: its parameters as the visitor left them
    kept: dict[type, Any] = field(default_factory=dict)  # by class: the object of this class
    notices_shown: bool = False  # the page has shown the notices of the visit


_VISITOR: ContextVar[Visitor | None] = ContextVar("the visitor that this thread runs pages for", default=None)


def visitor() -> Visitor:
    """Return this visitor. Pages ask often, so we ask Streamlit's session state only once in each thread.

    This cannot mix visitors up: Streamlit runs the pages of each session in threads of their own, and the context of a
    new thread holds no visitor.
    """
    found = _VISITOR.get()
    if found is None:
        found = st.session_state.setdefault("attention_lab", Visitor())
        _VISITOR.set(found)
    return found


def visitor_object(kind: type[T]) -> T:
    """Return this visitor's object of a class. The first call makes it."""
    objects = visitor().kept
    if kind not in objects:
        objects[kind] = kind()
    return objects[kind]


def visit() -> Visit:
    """Return the visit that the page is drawn from."""
    return visitor().visit


def update(**fields: Any) -> None:
    """Replace parts of the visit."""
    visitor().visit = replace(visit(), **fields)


def set_parameters(**values: Any) -> None:
    """Set some of the page's parameters from the code, without their widgets."""
    visitor().visit = visit().with_parameters(**values)
    for name in values:
        renew(widget_of(name))


# --- notices ---


def notify(*notices: str) -> None:
    """Tell the visitor what was refused. A notice that is already shown is not added again."""
    if notices:
        visitor().notices_shown = False
        update(notices=_few(tuple(dict.fromkeys((*visit().notices, *notices)))))


def _few(notices: tuple[str, ...]) -> tuple[str, ...]:
    """Return the notices; if there are very many, only the first."""
    first = notices[:MOST_NOTICES]
    return first if first == notices else (*first, MORE)


def clear_notices() -> None:
    """Remove all notices, because another state is opened."""
    update(notices=())


def clear_seen_notices() -> None:
    """Remove the notices that the page has shown, because the visitor changes something.

    One run may apply several changes. Notices about these are not shown yet, so they stay.
    """
    if visitor().notices_shown:
        clear_notices()


def show_notices() -> tuple[str, ...]:
    """Return the notices for the page to show. Each run shows them, until the visitor changes something."""
    visitor().notices_shown = True
    return visit().notices


# --- widgets ---


@dataclass(slots=True)
class WidgetVersions:
    """How often the key of each widget was replaced."""

    by_widget: dict[str, int] = field(default_factory=dict)


def widget_of(parameter: str) -> str:
    """Return the name of the widget that sets a parameter of the page."""
    return f"{visit().page}.{parameter}"


def key_of(widget: str) -> str:
    """Return the key of a widget in Streamlit's session state."""
    version = visitor_object(WidgetVersions).by_widget.get(widget, 0)
    return f"{widget}~{version}" if version else widget


def value_of(widget: str) -> Any:
    """Return the value of a widget, or `NOT_DRAWN`."""
    return st.session_state.get(key_of(widget), NOT_DRAWN)


def renew(widget: str) -> None:
    """Give a widget another key, because the server sets its value.

    With each press, a browser sends the values of all its widgets. If the last answer has not arrived in the browser
    yet,
    it sends old values. Streamlit ignores these, because they come under the old key.
    """
    if value_of(widget) is not NOT_DRAWN:
        give_another_key(widget)


def give_another_key(widget: str) -> None:
    """Make the browser treat a widget as a new one."""
    st.session_state.pop(key_of(widget), None)
    versions = visitor_object(WidgetVersions).by_widget
    versions[widget] = versions.get(widget, 0) + 1
