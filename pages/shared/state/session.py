"""The visit of a visitor's page, kept in Streamlit's session."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import streamlit as st

from attention_core.examples import Example, example
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.kinds import MatrixInput, Rows
from pages.shared.scene_files.scene import Lecture

LONGEST_EDITABLE_SIDE = 16  # a matrix with more rows or columns cannot be edited or written into a link
DEFAULT_EXAMPLE = Parameters.opens_with  # the example of each page that does not choose another

P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True)
class Workspace:
    """The example of the page, the visitor's edits of its matrices, and the layout (tokens as rows or as columns)."""

    example: str = DEFAULT_EXAMPLE
    edits: Mapping[str, Rows] = field(default_factory=dict)
    layout: str = ""  # "rows" or "columns", or "" for the example’s own

    @property
    def tokens_are(self) -> str:
        """How tokens are shown: "rows" or "columns"."""
        return self.layout or example(self.example).layout

    def with_layout(self, layout: str) -> Workspace:
        """Return the workspace with the layout `layout`: tokens as "rows" or as "columns"."""
        return replace(self, layout="" if layout == example(self.example).layout else layout)

    @cached_property
    def edited_example(self) -> Example:
        """The example with the visitor's edits. The same workspace always returns the same object."""
        plain = example(self.example)
        shapes = {name: matrix.shape for name, matrix in plain.matrices().items()}
        own: dict[str, Any] = {name: rows for name, rows in self.edits.items() if name in shapes}
        return plain.with_matrices({name: rows if len(shapes[name]) == 2 else rows[0] for name, rows in own.items()})


def workspace_for_page(workspace: Workspace, old_page: type[Parameters], new_page: type[Parameters]) -> Workspace:
    """Return the workspace (example, edits, layout) with which the next page opens.

    `old_page` and `new_page` are the classes of the parameters of the old and the new page. If the visitor chose or
    edited the old page's example, the new page shows the same example. Otherwise the new page shows its default
    example.
    """
    edited = workspace.edits.keys() & example(workspace.example).matrices().keys()
    if edited or workspace.example != old_page.opens_with:
        return workspace
    return replace(workspace, example=new_page.opens_with).with_layout(workspace.layout)


def with_workspace(parameters: P, workspace: Workspace) -> P:
    """Return the parameters with the layout of the workspace, and with the visitor's edits of the page's matrices."""
    own: dict[str, Any] = {
        n: workspace.edits.get(n, original(n, workspace.example, type(parameters)))
        for n in page_matrices(type(parameters))
    }
    return replace(parameters, columns=workspace.tokens_are == "columns", **own)


def page_matrices(kind: type[Parameters]) -> dict[str, MatrixInput]:
    """Return the controls of the matrices that belong to the page, by name. Matrices of the example are left out."""
    return {name: control for name, control in controls_of(kind).items() if control.belongs_to_workspace}


def matrix_inputs(example_name: str, kind: type[Parameters]) -> dict[str, MatrixInput]:
    """Return the controls of all matrices that can be edited on a page, by name."""
    shapes = {name: matrix.shape for name, matrix in example(example_name).matrices().items()}
    small = {name: shape for name, shape in shapes.items() if max(shape) <= LONGEST_EDITABLE_SIDE}
    return {
        name: MatrixInput(shape[0] if len(shape) == 2 else 1, shape[-1]) for name, shape in small.items()
    } | page_matrices(kind)


def original(name: str, example_name: str, kind: type[Parameters]) -> Rows:
    """Return the rows of the matrix `name` without edits."""
    if name in page_matrices(kind):
        return getattr(kind(), name)
    matrix = example(example_name).matrices()[name]
    return tuple(tuple(row) for row in matrix.reshape(-1, matrix.shape[-1]).tolist())


@dataclass(frozen=True, slots=True)
class Visit:
    """The state that the present page of one visitor is drawn from. It is frozen, so each change makes a new object."""

    page: str = ""  # the name of the page
    workspace: Workspace = field(default_factory=Workspace)
    parameters: Parameters = field(default_factory=Parameters)
    lecture: Lecture = field(default_factory=Lecture)
    notices: tuple[str, ...] = ()  # sentences that say what was wrong with the link, or with an edit: session.notify

    @property
    def example(self) -> Example:
        """The example in use, with the visitor's edits."""
        return self.workspace.edited_example

    @property
    def cell(self) -> tuple[str, int, int] | None:
        """The selected cell, whose arithmetic the page shows, as (matrix id, row, column), or None."""
        return self.parameters.cell

    def with_parameters(self, **values: Any) -> Visit:
        """Return a visit in which some parameters of the page have other values."""
        return replace(self, parameters=replace(self.parameters, **values))


T = TypeVar("T")
MOST_NOTICES, MORE = 10, "More values were refused. Only the first ones are listed here."
NOT_DRAWN = object()  # stands for the value of a widget that was not drawn under its present key


@dataclass(slots=True)
class Visitor:
    """Everything that the server stores about one visitor."""

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
    """Add notices for the visitor, such as sentences about refused values."""
    if notices:
        visitor().notices_shown = False
        update(notices=_first_notices(tuple(dict.fromkeys((*visit().notices, *notices)))))


def _first_notices(notices: tuple[str, ...]) -> tuple[str, ...]:
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
    """Return the notices for the page to draw, and remember that they were shown."""
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
