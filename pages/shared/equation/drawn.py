"""What this run has drawn so far: equations and pictures. Also the actions that run after the last equation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.state import session


@dataclass(slots=True)
class DrawnSoFar:
    """The equations that this run has drawn so far, by key, and the actions to run after the last equation."""

    equations: dict[str, tuple[Line, ...]] = field(default_factory=dict)
    waiting: list[Callable[[], None]] = field(default_factory=list)
    pictures: dict[str, str] = field(default_factory=dict)  # the names of pictures that a scene can show, by key


def note_picture(key: str, name: str) -> None:
    """Store that this run draws the picture `key`. A scene can then be about this picture.

    A lecturer who makes a scene sees the picture under the name `name`.
    """
    session.visitor_object(DrawnSoFar).pictures[key] = name


def pictures() -> dict[str, str]:
    """Return the pictures that this run has drawn so far: their names for a lecturer, by key."""
    return session.visitor_object(DrawnSoFar).pictures


def equations_on_page() -> dict[str, tuple[Line, ...]]:
    """Return the lines of the equations that this run has drawn so far, by key, with tokens as rows."""
    return session.visitor_object(DrawnSoFar).equations


def start_drawing() -> None:
    """Forget the last run: its equations, its pictures, and the actions that were to run after its last equation."""
    session.visitor_object(DrawnSoFar).equations.clear()
    session.visitor_object(DrawnSoFar).pictures.clear()
    session.visitor_object(DrawnSoFar).waiting.clear()  # a run that was ended early may have left some


def when_all_are_drawn(action: Callable[[], None]) -> None:
    """Store an action that is to run after all equations of this run of the page are drawn."""
    session.visitor_object(DrawnSoFar).waiting.append(action)


def finish_drawing() -> None:
    """Run the stored actions, because the last equation of this run of the page is drawn."""
    waiting = session.visitor_object(DrawnSoFar).waiting
    while waiting:
        waiting.pop(0)()


def matrix_on_page_at(place: tuple[str, int, int]) -> Matrix | None:
    """Return the matrix on the page that shows a cell, or None. `place` is the cell as (matrix id, row, column)."""
    shown = (matrix for lines in equations_on_page().values() for matrix in matrices_of(lines))
    return next((matrix for matrix in shown if matrix.id == place[0] and matrix.shows(*place[1:])), None)
