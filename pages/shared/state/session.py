"""The session: what the server keeps of one visitor between runs, in Streamlit's session state."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import streamlit as st

from pages.shared.controls import Parameters
from pages.shared.state.visit import Visit

T = TypeVar("T")


@dataclass(slots=True)
class Visitor:
    """One visitor: the page that is shown, the pages as they were left, and one object of each other kind of state."""

    visit: Visit = field(default_factory=Visit)
    left: dict[str, Parameters] = field(default_factory=dict)  # by page: what was set on it
    kept: dict[type, Any] = field(default_factory=dict)  # by its class


_VISITOR: ContextVar[Visitor | None] = ContextVar("the visitor for whom this thread runs pages", default=None)


def visitor() -> Visitor:
    """Return this visitor. Pages ask often, so Streamlit's session state is asked once a thread."""
    found = _VISITOR.get()
    if found is None:
        found = st.session_state.setdefault("attention_lab", Visitor())
        _VISITOR.set(found)
    return found


def of(kind: type[T]) -> T:
    """Return this visitor's object of a class, made when it is first asked for."""
    kept = visitor().kept
    if kind not in kept:
        kept[kind] = kind()
    return kept[kind]


def visit() -> Visit:
    """Return what the page is drawn from."""
    return visitor().visit


def update(**fields: Any) -> None:
    """Replace parts of the visit: the workspace, the parameters, the lecture or the notices."""
    visitor().visit = replace(visit(), **fields)


def set_parameters(**values: Any) -> None:
    """Set some of the page's parameters."""
    visitor().visit = visit().with_parameters(**values)


def key_of(name: str) -> str:
    """Return the key of a parameter's widget in Streamlit's session state."""
    return f"{visit().page}.{name}"
