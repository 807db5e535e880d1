"""Routes: which scenes a lecture of some length shows, in which order and for how long. Pure.

A lecture of so many minutes is written in `pages/scenes/routes.toml`. A single lesson is the scenes of one page.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from pages.shared.scene_files import FOLDER
from pages.shared.scene_files.scene import scenes_of

FILE = FOLDER / "routes.toml"
MINUTES_A_SCENE = 2  # how long a scene takes in a single lesson
OWN = "own"  # the route of a lecturer's own course; `own_course` has its scenes


@dataclass(frozen=True, slots=True)
class Stop:
    """A scene of a page on a route, and how long it takes."""

    page: str
    scene: int  # counted from 1
    minutes: float = MINUTES_A_SCENE


@dataclass(frozen=True, slots=True)
class Route:
    """A lecture: its scenes in order."""

    name: str  # as the link says it
    title: str
    about: str  # for whom it is, in a sentence
    stops: tuple[Stop, ...]

    @property
    def minutes(self) -> float:
        """How long all of it takes."""
        return sum(stop.minutes for stop in self.stops)

    def place(self, page: str, scene: int) -> int | None:
        """Return where a scene stands on the route, counted from 0, or None if it is not on it."""
        places = (i for i, stop in enumerate(self.stops) if (stop.page, stop.scene) == (page, scene))
        return next(places, None)


@cache
def routes() -> tuple[Route, ...]:
    """Return the lectures of so many minutes, the shortest first.

    Raises: ValueError if a stop names no scene.
    """
    written = tomllib.loads(FILE.read_text(encoding="utf-8"))["route"]
    return tuple(Route(each["name"], each["title"], each["about"], _stops(each["stops"])) for each in written)


def _stops(written: list[str]) -> tuple[Stop, ...]:
    return tuple(_stop(text) for text in written)


def _stop(text: str) -> Stop:
    """Read a stop: the page, the number of its scene, and the minutes."""
    page, number, minutes = text.split()
    if not 1 <= int(number) <= len(scenes_of(page)):
        raise ValueError(
            f"a stop must name a scene; got {text}: give a page, the number of its scene from 1 to "
            f"{len(scenes_of(page))}, and minutes."
        )
    return Stop(page, int(number), float(minutes))


def lesson(page: str) -> Route:
    """Return the scenes of one page as a lecture of its own."""
    stops = tuple(Stop(page, number) for number in range(1, len(scenes_of(page)) + 1))
    return Route(page, "", "", stops)


@cache
def route_names() -> tuple[str, ...]:
    """Return what a link may call a route: a lecture by its minutes, a lesson by its page."""
    lessons = sorted(file.stem for file in FOLDER.glob("*.toml") if file != FILE and scenes_of(file.stem))
    return (*(route.name for route in routes()), *lessons, OWN)


def route_named(name: str) -> Route:
    """Return a route by the name that a link has for it."""
    return next((route for route in routes() if route.name == name), None) or lesson(name)
