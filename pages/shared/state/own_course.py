"""A lecturer's own course: scenes that the lecturer has made from states of pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pages.shared.notation.prose import escape
from pages.shared.scene_files.lecture import Lecture
from pages.shared.scene_files.routes import MINUTES_A_SCENE, OWN
from pages.shared.scene_files.scene import Scene, scenes_of
from pages.shared.state import session

MOST_SCENES = 100
COURSE = "course"  # the parameter of a link that holds a course
_IN_BRACES = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class OwnScene:
    """A scene that a lecturer has made: a state of a page, and the lecturer's own texts.

    A scene may be made from a scene of the app. Then each empty text is replaced by the text of the app's scene. Texts
    have no markup, but names of cells in braces are replaced by numbers on the screen.
    """

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
            _plain_markdown(self.title),
            _plain_markdown(self.say),
            self.state,
            self.focus,
            options=tuple(_plain_markdown(text.strip()) for text in self.options.split("|") if text.strip()),
            note=self.note,
        )
        if self.original is None:
            return own
        texts = {name: getattr(own, name) for name in ("title", "say", "options", "note") if getattr(self, name)}
        lines = self.original.lines if self.focus == self.original.focus else ()
        return replace(self.original, state=self.state, focus=self.focus, claims=(), lines=lines, **texts)


def _plain_markdown(text: str) -> str:
    """Return a lecturer's text as Markdown in which all markup is escaped. Only braces still have an effect."""
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
