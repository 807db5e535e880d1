"""Routes: which scenes a lecture shows, in which order and for how many minutes. Pure.

The lectures are in `pages/scenes/routes.toml`. Each page also has a route through its own scenes, called a lesson.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from pages.shared.scene_files import FOLDER
from pages.shared.scene_files.scene import scenes_of

FILE = FOLDER / "routes.toml"
MINUTES_A_SCENE = 2  # the minutes of a scene in a lesson
OWN = "own"  # the name of the route of a lecturer's own course, whose scenes are in `own_course`


@dataclass(frozen=True, slots=True)
class Stop:
    """One scene of a lecture: its page, its number on this page, and how many minutes it takes."""

    page: str
    scene: int  # counted from 1
    minutes: float = MINUTES_A_SCENE


@dataclass(frozen=True, slots=True)
class Route:
    """The scenes of a lecture in order. The scenes may belong to several pages."""

    name: str  # the name in links
    title: str
    about: str  # the audience, in a sentence
    stops: tuple[Stop, ...]

    @property
    def minutes(self) -> float:
        """How many minutes all scenes of the route take together."""
        return sum(stop.minutes for stop in self.stops)

    def place(self, page: str, scene: int) -> int | None:
        """Return the index of a scene on the route, counted from 0, or None if the scene is not on the route."""
        places = (i for i, stop in enumerate(self.stops) if (stop.page, stop.scene) == (page, scene))
        return next(places, None)


@cache
def routes() -> tuple[Route, ...]:
    """Return the lectures, the shortest first.

    Raises: ValueError if a stop does not name a scene.
    """
    written = tomllib.loads(FILE.read_text(encoding="utf-8"))["route"]
    return tuple(Route(each["name"], each["title"], each["about"], _stops(each["stops"])) for each in written)


def _stops(written: list[str]) -> tuple[Stop, ...]:
    return tuple(_stop(text) for text in written)


def _stop(text: str) -> Stop:
    """Return the scene that a text names, such as "attention 3 2": the page, the number of the scene, and the minutes.

    Raises: ValueError if the page has no such scene.
    """
    page, number, minutes = text.split()
    if not 1 <= int(number) <= len(scenes_of(page)):
        raise ValueError(
            f"a stop must name a scene; got {text}: give a page, the number of its scene from 1 to "
            f"{len(scenes_of(page))}, and minutes."
        )
    return Stop(page, int(number), float(minutes))


def lesson(page: str) -> Route:
    """Return a route through the scenes of one page."""
    stops = tuple(Stop(page, number) for number in range(1, len(scenes_of(page)) + 1))
    return Route(page, "", "", stops)


@cache
def route_names() -> tuple[str, ...]:
    """Return the names of all routes, as they are in links: the names of lectures, the names of pages, and "own"."""
    lessons = sorted(file.stem for file in FOLDER.glob("*.toml") if file != FILE and scenes_of(file.stem))
    return (*(route.name for route in routes()), *lessons, OWN)


def route_named(name: str) -> Route:
    """Return the route with this name in links."""
    return next((route for route in routes() if route.name == name), None) or lesson(name)
