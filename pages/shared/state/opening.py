"""Open a scene, or a lecturer's own course, from a link."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from pages.shared.notation.prose import escape
from pages.shared.scene_files.scene import MINUTES_A_SCENE, OWN, Lecture, Scene, scenes_of
from pages.shared.state import session

MOST_SCENES = 100
COURSE = "course"  # the parameter of a link that holds a course
_IN_BRACES = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class OwnScene:
    """A scene that a lecturer has made: a state of a page, and the lecturer's own texts."""

    page: str
    state: str  # the parameters of a link as one text
    focus: str  # the key of the equation or picture that the scene is about, or ""
    title: str = ""
    say: str = ""
    options: str = ""  # the answers that the audience chooses from, separated by |
    note: str = ""
    minutes: float = MINUTES_A_SCENE
    of: int = 0  # the number of the page’s scene that this scene was made from, or 0

    @property
    def original(self) -> Scene | None:
        """The scene of the app that this scene was made from, or None."""
        scenes = scenes_of(self.page)
        return scenes[self.of - 1] if 1 <= self.of <= len(scenes) else None

    @property
    def scene(self) -> Scene:
        """This scene as an object of `Scene`, the class of the app's scenes."""
        own = Scene(
            escape(self.title),
            _escape_around_braces(self.say),
            self.state,
            self.focus,
            options=tuple(escape(text.strip()) for text in self.options.split("|") if text.strip()),
            note=self.note,
        )
        if self.original is None:
            return own
        texts = {name: getattr(own, name) for name in ("title", "say", "options", "note") if getattr(self, name)}
        lines = self.original.lines if self.focus == self.original.focus else ()
        return replace(self.original, state=self.state, focus=self.focus, claims=(), lines=lines, **texts)


def _escape_around_braces(text: str) -> str:
    parts = _IN_BRACES.split(text)
    return "".join(f"{{{part}}}" if i % 2 else escape(part) for i, part in enumerate(parts))


@dataclass(slots=True)
class OwnCourse:
    """The course of this visitor: the scenes (states of pages with a text) that the visitor has made, in order."""

    scenes: tuple[OwnScene, ...] = ()
    text: str = ""  # the course as a link holds it, or "" if it is too long for one
    refused: str = ""  # the course of the last link that was tried, so that it is not tried again

    def link(self, lecture: Lecture) -> dict[str, str]:
        """Return the URL parameter that holds all scenes of this course, for a link to `lecture`.

        Return {} if the lecture does not follow this course, or if the course is too long for a link.
        """
        return {COURSE: self.text} if lecture.route == OWN and self.text else {}


def own_course() -> OwnCourse:
    """Return the `OwnCourse` of the present visitor."""
    return session.visitor_object(OwnCourse)


def scene_of(page: str, lecture: Lecture) -> Scene | None:
    """Return the open scene of `lecture`, or None if no scene of the page `page` is open."""
    return scenes_on(page, lecture).get(lecture.scene)


class _ScenesOfTheCourse(Mapping[int, Scene]):
    """The scenes of an own course by their numbers. A scene is made when it is asked for: most of 100 never are."""

    def __init__(self, own: Mapping[int, OwnScene]) -> None:
        self.own = own

    def __getitem__(self, number: int) -> Scene:
        return self.own[number].scene

    def __iter__(self) -> Iterator[int]:
        return iter(self.own)

    def __len__(self) -> int:
        return len(self.own)


def scenes_on(page: str, lecture: Lecture) -> Mapping[int, Scene]:
    """Return the scenes (prepared states for a lecture) of the page `page` by their numbers in links.

    If `lecture` follows the visitor's own course, these are scenes of this course. Otherwise they are scenes of the
    app.
    """
    if lecture.route != OWN:
        return dict(enumerate(scenes_of(page), start=1))
    numbered = enumerate(own_course().scenes, start=1)
    return _ScenesOfTheCourse({number: own for number, own in numbered if own.page == page})


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
