"""Check that messages and events from the browser have the expected form, because a changed browser may send anything.

An event is one action of a visitor in an equation or a sentence. All functions are pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pages.shared.controls.kinds import CellInput

MOST_EVENTS = 2_000  # the most events in one message, such as the moves of a long drag while the server is slow
LONGEST_NAME = 100  # characters


def is_message(message: Any) -> bool:
    """Return whether `message` has the form of a message from an equation.

    Its fields are "list" (the events), "instance" (the id of the equation's copy in the browser), and "generation" (see
    `events.sync`).
    """
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


def _edit(event: Mapping[str, Any]) -> bool:
    is_gesture = event.get("gesture") is None or _is_name(event["gesture"])
    return isinstance(event.get("done"), bool) and is_gesture and _cells(event, _may_be_a_number)


def _may_be_a_number(value: Any) -> bool:
    """Return whether `value` has a type that can be written into a cell. The size of the number is checked later."""
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


def _is_undo_or_redo(event: Mapping[str, Any]) -> bool:
    """Return whether an undo or redo event has a correct form.

    The event may have the id of a blank matrix, which a learner fills in. Then the learner's last entry is undone or
    redone.
    """
    return isinstance(event.get("id", ""), str)


def _is_reset(event: Mapping[str, Any]) -> bool:
    """Return whether a reset event has a correct form, without the id of a matrix.

    An id would mean a blank matrix, which a learner fills in. A blank matrix cannot be reset.
    """
    return "id" not in event


_FORMS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "select": _select, "edit": _edit, "fill": _fill, "ask": _ask,
    "undo": _is_undo_or_redo, "redo": _is_undo_or_redo, "reset": _is_reset,
}  # fmt: skip


def _is_name(value: Any) -> bool:
    """Return whether `value` is a short printable text. The server stores such names, so they must not be long."""
    return isinstance(value, str) and len(value) <= LONGEST_NAME and value.isprintable()


def _is_whole(value: Any) -> bool:
    """Return whether `value` is a whole number that JavaScript can store exactly (below 2⁵³)."""
    return type(value) is int and abs(value) < 2**53
