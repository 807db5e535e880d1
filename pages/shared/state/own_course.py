"""A lecturer's own course: scenes made of states of pages."""

from __future__ import annotations

from dataclasses import dataclass

from pages.shared.notation.prose import escaped
from pages.shared.scenes.scene import Scene
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
    return session.kept(OwnCourse)
