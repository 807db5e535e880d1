"""A lecturer's own course: scenes made of states of pages; and the scene that is open, from this course or the app."""

from __future__ import annotations

from dataclasses import dataclass

from pages.shared.notation.prose import escaped
from pages.shared.scenes.lecture import Lecture
from pages.shared.scenes.routes import OWN
from pages.shared.scenes.scene import Scene, scenes_of
from pages.shared.state import session

MOST_SCENES = 100


@dataclass(frozen=True, slots=True)
class OwnScene:
    """A scene that a lecturer made: a state of a page, and words in which nothing is markup."""

    page: str
    state: str  # as a link says it
    focus: str  # the key of the equation that it is about, or ""
    title: str
    say: str = ""

    @property
    def scene(self) -> Scene:
        """Return it as a scene like those of the app."""
        return Scene(escaped(self.title), escaped(self.say), self.state, self.focus)


@dataclass(slots=True)
class OwnCourse:
    """The scenes that this visitor has put together, in order."""

    scenes: tuple[OwnScene, ...] = ()


def own_course() -> OwnCourse:
    """Return the course of this visitor."""
    return session.of(OwnCourse)


def scene_of(page: str, lecture: Lecture) -> Scene | None:
    """Return the scene that a lecture has open on a page, or None."""
    scenes = scenes_on(page, lecture)
    return scenes.get(lecture.scene)


def scenes_on(page: str, lecture: Lecture) -> dict[int, Scene]:
    """Return the scenes of a page by their numbers in links: those of the app, or those of one's own course."""
    if lecture.route != OWN:
        return dict(enumerate(scenes_of(page), start=1))
    numbered = enumerate(own_course().scenes, start=1)
    return {number: own.scene for number, own in numbered if own.page == page}


def focus() -> str:
    """Return the key of the equation or chart that the open scene is about, or "" where none is."""
    found = scene_of(session.visit().page, session.visit().lecture)
    return found.focus if found else ""
