"""The open scene: a scene of the app or of a lecturer's own course, and what a visitor has guessed in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pages.shared.scene_files.lecture import Lecture
from pages.shared.scene_files.routes import OWN
from pages.shared.scene_files.scene import Scene, scenes_of
from pages.shared.state import session
from pages.shared.state.own_course import own_course


def scene_of(page: str, lecture: Lecture) -> Scene | None:
    """Return the open scene of `lecture`, or None if no scene of the page `page` is open."""
    return scenes_on(page, lecture).get(lecture.scene)


def scenes_on(page: str, lecture: Lecture) -> dict[int, Scene]:
    """Return the scenes (prepared states for a lecture) of the page `page` by their numbers in links.

    If `lecture` follows the visitor's own course, these are scenes of this course. Otherwise they are scenes of the
    app.
    """
    if lecture.route != OWN:
        return dict(enumerate(scenes_of(page), start=1))
    numbered = enumerate(own_course().scenes, start=1)
    return {number: own.scene for number, own in numbered if own.page == page}


def open_scene() -> Scene | None:
    """Return the scene (a prepared state of the page, for a lecture) that this visitor has open, or None."""
    return scene_of(session.visit().page, session.visit().lecture)


def focus() -> str:
    """Return the key of the equation or chart that the open scene is about, or "" if there is none."""
    found = open_scene()
    return found.focus if found else ""


def matrices_hidden_at_first() -> tuple[str, ...]:
    """Return the ids of the matrices that the open scene hides until they are revealed, or () if there are none."""
    found = open_scene()
    return found.waits if found else ()


def presented_lines() -> tuple[int, ...]:
    """Return the numbers, from 1, of the lines of an equation that the open scene shows. () means all lines."""
    found = open_scene()
    return found.lines if found else ()


def cells_in_text() -> list[tuple[str, int, int]]:
    """Return the cells whose numbers appear in the sentence of the open scene, each as (matrix id, row, column)."""
    found = open_scene()
    return found.cells_in_text if found else []


@dataclass(slots=True)
class Guesses:
    """What a visitor has guessed on their phone: an answer for each scene, by the scene's key (see `Lecture.key`)."""

    made: dict[str, str] = field(default_factory=dict)


def guess_of_the_scene() -> str | None:
    """Return this visitor's guess in the open scene (a prepared state of the page), or None if there is none yet."""
    return session.visitor_object(Guesses).made.get(_key())


def store_guess(answer: str) -> None:
    """Store `answer` as this visitor's guess in the open scene."""
    session.visitor_object(Guesses).made[_key()] = answer


def is_guessing() -> bool:
    """Return whether this visitor has still to guess in the open scene. Its results are hidden until then."""
    lecture = session.visit().lecture
    return lecture.guess and not lecture.present and open_scene() is not None and guess_of_the_scene() is None


def cover_key() -> str | None:
    """Return a text that identifies the open scene if the browser hides its results, or None if none are hidden."""
    return _key() if session.visit().lecture.present or is_guessing() else None


def _key() -> str:
    return session.visit().lecture.key(session.visit().page)
