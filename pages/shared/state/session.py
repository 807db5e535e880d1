"""Everything that the server stores about a visitor between two runs of a page, in Streamlit's session state."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import streamlit as st

from pages.shared.controls import Parameters
from pages.shared.state.visit import Visit

T = TypeVar("T")
MOST_NOTICES, MORE = 10, "More values were refused. Only the first ones are listed here."
NOT_DRAWN = object()  # stands for the value of a widget that was not drawn under its present key


@dataclass(slots=True)
class Visitor:
    """Everything that the server stores about one visitor.

    It has the state of the present page, the last parameters of each page that the visitor left, and the objects that
    `visitor_object` returns.
    """

    visit: Visit = field(default_factory=Visit)
    left: dict[str, Parameters] = field(default_factory=dict)  # the parameters of each page that the visitor left
    kept: dict[type, Any] = field(default_factory=dict)  # one object of each class, by the class
    notices_shown: bool = False  # the page has shown the notices of the visit


_VISITOR: ContextVar[Visitor | None] = ContextVar("the visitor that this thread runs pages for", default=None)


def visitor() -> Visitor:
    """Return the `Visitor` of the present session.

    The first call in a thread reads Streamlit's session state, and the thread's context stores the result, because this
    function is called often. This cannot mix visitors up, because no thread runs pages of two sessions.
    """
    found = _VISITOR.get()
    if found is None:
        found = st.session_state.setdefault("attention_lab", Visitor())
        _VISITOR.set(found)
    return found


def visitor_object(kind: type[T]) -> T:
    """Return this visitor's object of the class `kind`. There is only one. The first call makes it: `kind()`."""
    objects = visitor().kept
    if kind not in objects:
        objects[kind] = kind()
    return objects[kind]


def visit() -> Visit:
    """Return the visit: the frozen state that the present page is drawn from."""
    return visitor().visit


def update(**fields: Any) -> None:
    """Replace some fields of the visit, the frozen state of the present page."""
    visitor().visit = replace(visit(), **fields)


def set_parameters(**values: Any) -> None:
    """Set some parameters of the page. Their widgets then show the new values."""
    visitor().visit = visit().with_parameters(**values)
    for name in values:
        renew(widget_of(name))


# --- notices ---


def notify(*notices: str) -> None:
    """Add notices for the visitor, such as sentences about refused values.

    A notice that is already shown is not added again.
    """
    if notices:
        visitor().notices_shown = False
        update(notices=_first_notices(tuple(dict.fromkeys((*visit().notices, *notices)))))


def _first_notices(notices: tuple[str, ...]) -> tuple[str, ...]:
    """Return the notices, at most `MOST_NOTICES` of them. If some are left out, a last sentence says so."""
    first = notices[:MOST_NOTICES]
    return first if first == notices else (*first, MORE)


def clear_notices() -> None:
    """Remove all notices. Call this when another state of the page is opened."""
    update(notices=())


def clear_seen_notices() -> None:
    """Remove the notices that the page has already shown. Call this when the visitor changes something.

    One run of the page may apply several changes. A notice about one of these changes was not shown yet, so it stays.
    """
    if visitor().notices_shown:
        clear_notices()


def show_notices() -> tuple[str, ...]:
    """Return the notices for the page to draw, and remember that they were shown.

    Each run of the page draws them again until the visitor changes something.
    """
    visitor().notices_shown = True
    return visit().notices


# --- widgets ---


@dataclass(slots=True)
class WidgetVersions:
    """How many new keys each widget has got so far, by the name of the widget. The widget's key ends in this number."""

    by_widget: dict[str, int] = field(default_factory=dict)


def widget_of(parameter: str) -> str:
    """Return the name of the widget that sets `parameter` on the present page."""
    return f"{visit().page}.{parameter}"


def key_of(widget: str) -> str:
    """Return the present key of a widget in Streamlit's session state."""
    version = visitor_object(WidgetVersions).by_widget.get(widget, 0)
    return f"{widget}~{version}" if version else widget


def value_of(widget: str) -> Any:
    """Return the value of a widget, or `NOT_DRAWN` if the widget was not drawn under its present key."""
    return st.session_state.get(key_of(widget), NOT_DRAWN)


def renew(widget: str) -> None:
    """Give a widget another key, unless it was not drawn. Call this before the server sets the value of the widget.

    With each press, a browser sends the values of all its widgets. These values are old until the browser has received
    the server's last answer. Streamlit ignores old values, because they have the widget's old key.
    """
    if value_of(widget) is not NOT_DRAWN:
        give_another_key(widget)


def give_another_key(widget: str) -> None:
    """Give a widget another key, so that the browser treats it as a new widget."""
    st.session_state.pop(key_of(widget), None)
    versions = visitor_object(WidgetVersions).by_widget
    versions[widget] = versions.get(widget, 0) + 1
