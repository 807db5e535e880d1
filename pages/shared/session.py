"""The session: the only room that reads and writes Streamlit's session state and the URL.

URL → parameters → core → trace → views: `begin` takes the state in at the start of a run, `finish` writes the link at
its end, and between them everything is frozen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import streamlit as st

from attention_core.examples import Example
from pages.shared.controls import BOUNDS, Choice, Parameters, TokenInput, controls_of, number_text
from pages.shared.link import Workspace, decode, encode, matrix_inputs, original, with_matrices

P = TypeVar("P", bound=Parameters)

MOST_UNDO = 100


@dataclass(slots=True)
class _Session:
    """What one visitor has set; everything in it that pages see is frozen."""

    page: str = ""
    kind: type[Parameters] = Parameters
    workspace: Workspace = field(default_factory=Workspace)
    parameters: dict[str, Parameters] = field(default_factory=dict)  # by page
    past: list[Workspace] = field(default_factory=list)
    future: list[Workspace] = field(default_factory=list)
    gesture: str | None = None  # the drag whose edits are one step of undo
    generation: int = 0  # counts what makes edits under way stale
    applied: dict[str, dict[str, int]] = field(default_factory=dict)  # by equation: the last event of each browser view
    notices: list[str] = field(default_factory=list)


def _own() -> _Session:
    return st.session_state.setdefault("attention_lab", _Session())


# --- a run ---


def visit(page: str, kind: type[Parameters]) -> None:
    """Come to a page: once per visit, what its link says becomes the state."""
    own = _own()
    own.kind = kind
    if own.page == page:
        return
    own.page, own.notices, own.gesture = page, [], None
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    if query:
        workspace, parameters, own.notices = decode(query, kind)
        _change(workspace)
        own.parameters[page] = parameters
    own.parameters.setdefault(page, kind())


def begin(kind: type[P]) -> tuple[P, Example]:
    """Return what the visitor has set, widgets included, as the run's one truth."""
    own = _own()
    before = own.parameters[own.page]
    set_by_widgets = {
        f.name: _accepted(f.name, getattr(before, f.name)) for f in fields(kind) if _key(f.name) in st.session_state
    }
    example = own.workspace.edited_example()
    parameters = _with_tokens(with_matrices(replace(before, **set_by_widgets), own.workspace), example)
    own.parameters[own.page] = parameters
    return parameters, example  # type: ignore[return-value]


def finish() -> None:
    """Write the link, if it is not there already."""
    own = _own()
    query = encode(own.workspace, own.parameters[own.page])
    if query != st.query_params.to_dict():
        st.query_params.from_dict(query)


def _with_tokens(parameters: P, example: Example) -> P:
    """Put the first token in place of one that this example does not have."""
    chosen = {name: getattr(parameters, name) for name, c in controls_of(type(parameters)).items() if isinstance(c, TokenInput)}
    gone = {name: 0 for name, place in chosen.items() if place >= len(example.tokens)}
    for name in gone:
        _own().notices.append(f"This example has {len(example.tokens)} tokens, so `{name}={chosen[name]}` became the first of them.")
    return replace(parameters, **gone)


def draw_token(parameters: Parameters, name: str, tokens: Sequence[str]) -> None:
    """Draw the choice of a token."""
    st.session_state[_key(name)] = getattr(parameters, name)
    controls_of(type(parameters))[name].draw(_key(name), tokens)


def draw(parameters: Parameters, *names: str) -> None:
    """Draw the widgets of some parameters, showing what they are set to."""
    for name in names:
        value = getattr(parameters, name)
        st.session_state[_key(name)] = value or None if isinstance(controls_of(type(parameters))[name], Choice) else value
        controls_of(type(parameters))[name].draw(_key(name))


def step_button(label: str, name: str, value: Any, *, icon: str, disabled: bool, primary: bool = False) -> None:
    """Draw a button that sets a parameter."""
    st.button(
        label, icon=icon, disabled=disabled, type="primary" if primary else "secondary", key=f"{_key(name)}.{label}",
        on_click=lambda: st.session_state.update({_key(name): value}),
    )  # fmt: skip


def _key(name: str) -> str:
    return f"{page_name()}.{name}"


def _accepted(name: str, before: Any) -> Any:
    """Return what a widget says; a choice that was switched off stays as it was, unless it may be off."""
    value = st.session_state[_key(name)]
    if value is not None:
        return value
    control = controls_of(_own().kind)[name]
    return "" if isinstance(control, Choice) and control.optional else before


# --- what views ask ---


def page_name() -> str:
    """Return the name of the page that is shown."""
    return _own().page


def notices() -> list[str]:
    """Return what was wrong with the link, or with an edit."""
    return _own().notices


def workspace() -> Workspace:
    """Return the example in use and its edits."""
    return _own().workspace


def history() -> tuple[bool, bool]:
    """Return whether there is something to undo, and something to redo."""
    return bool(_own().past), bool(_own().future)


def selected() -> tuple[str, int, int] | None:
    """Return the cell whose arithmetic is asked for."""
    return _own().parameters[page_name()].cell


def query_with(state: Mapping[str, str]) -> dict[str, str]:
    """Return the query that opens another page in a state, with this visitor's example and edits."""
    return encode(workspace(), Parameters()) | dict(state)


# --- what visitors do ---


def choose_example(name: str) -> None:
    """Take another example, without edits."""
    page_matrices = {n: rows for n, rows in workspace().edits.items() if n not in workspace().edited_example().matrices()}
    _step(Workspace(name, page_matrices))


def reset() -> None:
    """Go back to the example as it is."""
    _step(Workspace(workspace().example))


def undo() -> None:
    """Take back the last edit."""
    own = _own()
    if own.past:
        own.future.append(own.workspace)
        _change(own.past.pop())


def redo() -> None:
    """Do again what was taken back."""
    own = _own()
    if own.future:
        own.past.append(own.workspace)
        _change(own.future.pop())


def _step(workspace: Workspace) -> None:
    own = _own()
    own.past = [*own.past, own.workspace][-MOST_UNDO:]
    own.future = []
    _change(workspace)


def _change(workspace: Workspace) -> None:
    """Replace the workspace by something other than an edit in place, which makes edits under way stale."""
    own = _own()
    own.workspace, own.gesture = workspace, None
    own.generation += 1


# --- what equations send ---


def sync(equation: str) -> dict[str, Any]:
    """Return what an equation's browser side must know to keep in step."""
    own = _own()
    return {
        "generation": own.generation,
        "epoch": f"{own.page} {own.workspace.example}",
        "applied": own.applied.get(equation, {}),
    }


def receive(equation: str, message: Mapping[str, Any] | None) -> None:
    """Apply the events that an equation sent and that were not applied yet, in their order."""
    if not message:
        return
    own = _own()
    instance, last = message["instance"], own.applied.get(equation, {}).get(message["instance"], 0)
    generation = own.generation
    for event in message["list"]:
        if event["sequence"] > last:
            last = event["sequence"]
            if message["generation"] == generation or event["kind"] == "select":
                _apply(event)
    own.applied[equation] = {instance: last}


def _apply(event: Mapping[str, Any]) -> None:
    kind = event["kind"]
    if kind == "select":
        own = _own()
        place = event["place"] and (str(event["place"][0]), int(event["place"][1]), int(event["place"][2]))
        own.parameters[own.page] = replace(own.parameters[own.page], cell=place or None)
    elif kind == "edit":
        _edit(event["id"], event["cells"], event.get("gesture"))
    else:
        {"undo": undo, "redo": redo}[kind]()


def _edit(name: str, cells: list[list[float]], gesture: str | None) -> None:
    own = _own()
    problem = _problem(name, cells)
    if problem:
        own.notices = [problem]
        return
    base = original(name, own.workspace.example, own.kind)
    rows = [list(row) for row in own.workspace.edits.get(name, base)]
    for row, column, value in cells:
        rows[int(row)][int(column)] = float(value)
    edits = {n: r for n, r in own.workspace.edits.items() if n != name}
    edited = tuple(tuple(row) for row in rows)
    if edited != base:
        edits[name] = edited
    if gesture is None or gesture != own.gesture:
        own.past = [*own.past, own.workspace][-MOST_UNDO:]
    own.workspace, own.future, own.gesture = Workspace(own.workspace.example, edits), [], gesture


def _problem(name: str, cells: list[list[float]]) -> str | None:
    """Say what is wrong with an edit that the browser let through."""
    inputs = matrix_inputs(_own().workspace.example, _own().kind)
    if name not in inputs:
        return f"Only {', '.join(inputs)} can be edited here; got an edit of {name}, so nothing was changed."
    shape = inputs[name]
    for row, column, value in cells:
        if not (0 <= row < shape.rows and 0 <= column < shape.columns):
            return f"{name} has {shape.rows}×{shape.columns} cells; got an edit of row {row}, column {column}: nothing was changed."
        if not (isinstance(value, int | float) and math.isfinite(value) and BOUNDS[0] <= value <= BOUNDS[1]):
            return f"A cell holds {number_text(BOUNDS[0])} to {number_text(BOUNDS[1])}; got {value}: nothing was changed."
    return None
