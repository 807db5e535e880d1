"""Events that the browser sends, and how they change a visit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from attention_core.examples import EXAMPLES
from pages.shared.controls import controls_of
from pages.shared.controls.kinds import BOUNDS, CellInput, LiveSlider, Steps
from pages.shared.notation.numbers import number_text
from pages.shared.notation.prose import short
from pages.shared.state import address, history, session
from pages.shared.state.session import matrix_inputs, original

MOST_EVENTS = 2_000  # the most events in one message, such as the moves of a long drag while the server is slow
LONGEST_NAME = 100  # characters
LONGEST_CHOICE = 2_000  # characters: as in a link


def is_message(message: Any) -> bool:
    """Return whether `message` has the form of a message from an equation."""
    return (
        isinstance(message, Mapping)
        and _is_name(message.get("instance"))
        and _is_whole(message.get("generation"))
        and isinstance(message.get("list"), list)
        and len(message["list"]) <= MOST_EVENTS
    )


def is_event(event: Any) -> bool:
    """Return whether `event` has the form of an event that an equation can send."""
    if not isinstance(event, Mapping) or not _is_whole(event.get("sequence")):
        return False
    kind = event.get("kind")
    return isinstance(kind, str) and kind in _FORMS and _FORMS[kind](event)


def _select(event: Mapping[str, Any]) -> bool:
    place = event.get("place")
    if place is None:
        return "place" in event
    if not (isinstance(place, list | tuple) and len(place) == 3 and isinstance(place[0], str)):
        return False
    return all(map(_is_whole, place[1:])) and _is_cell((place[0], *place[1:]))


def _is_cell(place: tuple[str, int, int]) -> bool:
    try:
        return CellInput().decode(CellInput().encode(place)) == place
    except ValueError:
        return False


def _is_edit(event: Mapping[str, Any]) -> bool:
    is_gesture = event.get("gesture") is None or _is_name(event["gesture"])
    return isinstance(event.get("done"), bool) and is_gesture and _cells(event, _may_be_a_number)


def _may_be_a_number(value: Any) -> bool:
    return value is None or isinstance(value, str | float) or _is_whole(value)


def _fill(event: Mapping[str, Any]) -> bool:
    return _cells(event, lambda text: isinstance(text, str))


def _cells(event: Mapping[str, Any], is_entry: Callable[[Any], bool]) -> bool:
    cells = event.get("cells")
    return (
        isinstance(event.get("id"), str)
        and isinstance(cells, list)
        and all(isinstance(cell, list | tuple) and len(cell) == 3 for cell in cells)
        and all(_is_whole(row) and _is_whole(column) and is_entry(value) for row, column, value in cells)
    )


def _ask(event: Mapping[str, Any]) -> bool:
    return _is_whole(event.get("word")) and -1 <= event["word"] < 100


def _set(event: Mapping[str, Any]) -> bool:
    value = event.get("value")
    return _is_name(event.get("name")) and (_is_whole(value) or isinstance(value, float))


def _choose(event: Mapping[str, Any]) -> bool:
    text = event.get("text")
    return _is_name(event.get("name")) and isinstance(text, str) and len(text) <= LONGEST_CHOICE


def _is_undo_or_redo(event: Mapping[str, Any]) -> bool:
    return isinstance(event.get("id", ""), str)


def _is_reset(event: Mapping[str, Any]) -> bool:
    return "id" not in event


_FORMS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "select": _select, "edit": _is_edit, "fill": _fill, "ask": _ask, "set": _set, "choose": _choose,
    "undo": _is_undo_or_redo, "redo": _is_undo_or_redo, "reset": _is_reset,
}  # fmt: skip


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_NAME and value.isprintable()


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) < 2**53


NOTHING_BLANK = "You can fill in only the empty matrix of an open task, not this matrix. Nothing was written."
NOT_AN_EVENT = "Your browser sent an action that this equation does not have. Nothing was changed: reload the page."


class Blank(Protocol):
    """An object that receives what a learner writes into a blank matrix of a task, such as the module `answering`."""

    def fill(self, name: str, cells: Sequence[Sequence[Any]]) -> str | None:
        """Write texts into cells of the blank matrix `name`. Each item of `cells` has a row, a column and a text."""
        ...

    def undo_or_redo(self, kind: str) -> None:
        """Undo the last entry (`kind` is "undo"), or redo the entry that was undone last ("redo")."""
        ...


@dataclass(slots=True)
class AppliedEvents:
    """For each equation, the number of the last event from the browser that the server has applied."""

    last: dict[str, dict[str, int]] = field(default_factory=dict)


def sync(equation: str) -> dict[str, Any]:
    """Return data for the equation `equation`. With them, the server can ignore events that are too old or come twice.

    "generation" is how often the server has replaced all numbers. The browser sends it back with its events. "epoch" is
    a text that names the page and its example. "applied" has, for each copy of the equation in the browser, the number
    of the last event that was applied.
    """
    visit = session.visit()
    return {
        "generation": history.history().generation,
        "epoch": f"{visit.page} {visit.workspace.example}",
        "applied": session.visitor_object(AppliedEvents).last.get(equation, {}),
    }


def receive(equation: str, message: Mapping[str, Any] | None, blank: Blank | None = None) -> None:
    """Apply the events of `message` in order, without those that were applied before."""
    if not message:
        return
    if not is_message(message):
        _refuse()
        return
    received, instance = session.visitor_object(AppliedEvents).last, message["instance"]
    last, generation = received.get(equation, {}).get(instance, 0), history.history().generation
    for event in message["list"]:
        if not is_event(event):
            _refuse()
        elif event["sequence"] > last:
            last = event["sequence"]
            # An edit of an old generation is dropped, because its numbers have been replaced since. A selection or
            # an undo means the same as before.
            if message["generation"] == generation or event["kind"] != "edit":
                _apply(event, blank)
    received[equation] = {instance: last}


def _refuse() -> None:
    session.clear_seen_notices()
    session.notify(NOT_AN_EVENT)


def _apply(event: Mapping[str, Any], blank: Blank | None) -> None:
    kind = event["kind"]
    if kind != "select":  # selecting a cell changes no numbers
        session.clear_seen_notices()
    if kind == "select":
        session.set_parameters(cell=event["place"] and tuple(event["place"]))
    elif kind == "ask":
        _choose_word(event["word"])
    elif kind == "set":
        _set_parameter(event["name"], event["value"])
    elif kind == "choose":
        _choose_value(event["name"], event["text"])
    elif kind == "edit":
        _edit(event["id"], event["cells"], event.get("gesture"))
        if event["done"]:
            history.end_gesture()
    elif kind == "fill" or event.get("id"):  # an undo or a redo with an id belongs to a blank matrix
        _apply_to_blank(event, blank)
    else:
        {"undo": history.undo, "redo": history.redo, "reset": history.reset}[kind]()


def _choose_word(word: int) -> None:
    if "word" in controls_of(type(session.visit().parameters)):
        session.set_parameters(word=word)
    else:
        session.notify(NOT_AN_EVENT)


def _choose_value(name: str, text: str) -> None:
    """Set a parameter to the value that was chosen in a panel. `text` is the value as a link has it."""
    if name == "example" and text in EXAMPLES:
        address.note_press()
        history.choose_example(text)
        return
    control = controls_of(type(session.visit().parameters)).get(name)
    if control is None or control.belongs_to_workspace:
        session.notify(NOT_AN_EVENT)
        return
    history.end_gesture()  # a visitor who uses a control is no longer dragging a number
    try:
        session.set_parameters(**{name: control.pressed(text)})
    except ValueError as error:
        session.notify(control.refusal(error, text))


def _set_parameter(name: str, value: float) -> None:
    """Set a parameter to the number of its live slider."""
    control = controls_of(type(session.visit().parameters)).get(name)
    if not isinstance(control, LiveSlider | Steps) or not control.setting:
        session.notify(NOT_AN_EVENT)
        return
    history.end_gesture()  # a visitor who uses a control is no longer dragging a number
    try:
        session.set_parameters(**{name: control.value_at(value)})
    except ValueError as error:
        session.notify(control.refusal(error, value))


def _apply_to_blank(event: Mapping[str, Any], blank: Blank | None) -> None:
    """Apply an event of the browser to `blank`: write an entry, undo an entry or redo it."""
    if blank is None:
        session.notify(NOTHING_BLANK)
    elif event["kind"] != "fill":
        blank.undo_or_redo(event["kind"])
    elif problem := blank.fill(event["id"], event["cells"]):
        session.notify(problem)


def _edit(name: str, cells: list[list[float]], gesture: str | None) -> None:
    visit = session.visit()
    problem = _problem_with_edit(name, cells)
    if problem:
        session.notify(problem)
        return
    base = original(name, visit.workspace.example, type(visit.parameters))
    rows = [list(row) for row in visit.workspace.edits.get(name, base)]
    for row, column, value in cells:
        rows[int(row)][int(column)] = float(value)
    edited = tuple(tuple(row) for row in rows)
    history.edit(name, None if edited == base else edited, gesture)


def _problem_with_edit(name: str, cells: list[list[float]]) -> str | None:
    """Return a sentence that says why an edit of the matrix `name` is refused, or None if the edit is correct."""
    inputs = matrix_inputs(session.visit().workspace.example, type(session.visit().parameters))
    if name not in inputs:
        return f"You can edit only {', '.join(inputs)} here, but the edit was of {short(name)}. Nothing was changed."
    shape = inputs[name]
    for row, column, value in cells:
        if not (0 <= row < shape.rows and 0 <= column < shape.columns):
            return f"{name} is {shape.rows}×{shape.columns}. It has no cell {row}, {column}. Nothing was changed."
        if not (isinstance(value, int | float) and math.isfinite(value) and BOUNDS[0] <= value <= BOUNDS[1]):
            bounds = f"{number_text(BOUNDS[0])} to {number_text(BOUNDS[1])}"
            return f"A cell must hold a number from {bounds}, but you typed {short(str(value))}. Nothing was changed."
    return None
