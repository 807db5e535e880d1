"""Events: what visitors do in equations, checked and applied to the session, each once and in order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from pages.shared.controls.kinds import BOUNDS, number_text
from pages.shared.state import session
from pages.shared.state.event_forms import is_event, is_message
from pages.shared.state.link import matrix_inputs, original, short

NOTHING_BLANK = "Only the blank of an open task can be filled in; got another matrix, so nothing was written."
NOT_AN_EVENT = "An equation must send what can be done in it; got something else, so nothing was changed."


class Blank(Protocol):
    """What is written into a matrix that is to be filled in."""

    def fill(self, name: str, cells: Sequence[Sequence[Any]]) -> str | None:
        """Write texts into cells, or say what is wrong with them."""
        ...

    def take_back(self, kind: str) -> None:
        """Take back what was written last, or write it again: "undo" or "redo"."""
        ...


def sync(equation: str) -> dict[str, Any]:
    """Return what an equation's browser side must know to keep in step."""
    mine = session.own()
    return {
        "generation": mine.generation,
        "epoch": f"{mine.page} {mine.workspace.example}",
        "applied": mine.applied.get(equation, {}),
    }


def receive(equation: str, message: Mapping[str, Any] | None, blank: Blank | None = None) -> None:
    """Apply the events that an equation sent and that were not applied yet, in their order."""
    if not message:
        return
    mine = session.own()
    if not is_message(message):
        mine.notices = [NOT_AN_EVENT]
        return
    instance, last = message["instance"], mine.applied.get(equation, {}).get(message["instance"], 0)
    generation = mine.generation
    for event in message["list"]:
        if not is_event(event):
            mine.notices = [NOT_AN_EVENT]
        elif event["sequence"] > last:
            last = event["sequence"]
            if message["generation"] == generation or event["kind"] != "edit":
                _apply(event, blank)
    mine.applied[equation] = {instance: last}


def _apply(event: Mapping[str, Any], blank: Blank | None) -> None:
    kind = event["kind"]
    if kind == "select":
        session.set_parameters(cell=event["place"] and tuple(event["place"]))
    elif kind == "edit":
        session.own().dragging = not event["done"]
        _edit(event["id"], event["cells"], event.get("gesture"))
    elif kind == "fill" or event.get("id"):
        _write(event, blank)
    else:
        {"undo": session.undo, "redo": session.redo, "reset": session.reset}[kind]()


def _write(event: Mapping[str, Any], blank: Blank | None) -> None:
    """Write into a blank, or take back what was written in it."""
    if blank is None:
        session.own().notices = [NOTHING_BLANK]
    elif event["kind"] != "fill":
        blank.take_back(event["kind"])
    elif problem := blank.fill(event["id"], event["cells"]):
        session.own().notices = [problem]


def _edit(name: str, cells: list[list[float]], gesture: str | None) -> None:
    mine = session.own()
    problem = _problem(name, cells)
    if problem:
        mine.notices = [problem]
        return
    base = original(name, mine.workspace.example, mine.kind)
    rows = [list(row) for row in mine.workspace.edits.get(name, base)]
    for row, column, value in cells:
        rows[int(row)][int(column)] = float(value)
    edits = {n: r for n, r in mine.workspace.edits.items() if n != name}
    edited = tuple(tuple(row) for row in rows)
    if edited != base:
        edits[name] = edited
    if gesture is None or gesture != mine.gesture:
        mine.past = [*mine.past, mine.workspace][-session.MOST_UNDO :]
    mine.workspace, mine.future, mine.gesture = replace(mine.workspace, edits=edits), [], gesture


def _problem(name: str, cells: list[list[float]]) -> str | None:
    """Say what is wrong with an edit that the browser let through."""
    inputs = matrix_inputs(session.own().workspace.example, session.own().kind)
    if name not in inputs:
        return f"Only {', '.join(inputs)} can be edited here; got an edit of `{short(name)}`, so nothing was changed."
    shape = inputs[name]
    for row, column, value in cells:
        if not (0 <= row < shape.rows and 0 <= column < shape.columns):
            return f"{name} is {shape.rows}×{shape.columns}; got an edit at {row}, {column}, so nothing was changed."
        if not (isinstance(value, int | float) and math.isfinite(value) and BOUNDS[0] <= value <= BOUNDS[1]):
            return (
                f"A cell holds {number_text(BOUNDS[0])} to {number_text(BOUNDS[1])}; got {value}: nothing was changed."
            )
    return None
