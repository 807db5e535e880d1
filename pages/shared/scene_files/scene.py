"""The scenes of the pages, the routes through them, and the scene that a link opens."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from pages.shared.notation.prose import several_values_notice, short
from pages.shared.scene_files.screens import PAGES, screens

_IN_BRACES = re.compile(r"\{([^{}]+)\}")
_CELL = re.compile(r"([a-z][\w.]*)\[(\d+),\s*(\d+)\]")


@dataclass(frozen=True, slots=True)
class Scene:
    """A state of a page that a lecturer can show, with the words to say about it."""

    title: str
    say: str  # Markdown; numbers in braces are read from the screen: {weights[0,1]}
    state: str  # the parameters of a link as one text; "" is the page as it starts
    focus: str  # the key of the equation or the chart that the scene is about
    claims: tuple[str, ...] = ()  # the claims of the text, as comparisons of numbers on the screen
    options: tuple[str, ...] = ()  # the answers A, B, C that the audience chooses from
    right: str = ""  # the letter of the correct answer, or "" if the scene does not say it
    waits: tuple[str, ...] = ()  # matrices to hide until the audience has answered; if empty, the results
    note: str = ""  # for the speaker alone: what to say, what the audience will ask, what to try
    screen: str = ""  # the name of the screen of the path that has the same sentence to remember
    lines: tuple[int, ...] = ()  # which lines of its equation are presented, counted from 1; with none, all of them

    @property
    def query(self) -> dict[str, list[str]]:
        """The state of the page, as the parameters of a link."""
        return parse_qs(self.state, keep_blank_values=True)

    @property
    def keep(self) -> str:
        """The sentence that the audience should remember, or "". A screen of the path for learners also has it."""
        return next((screen.keep for screen in screens() if screen.name == self.screen), "")

    @property
    def cells_in_text(self) -> list[tuple[str, int, int]]:
        """The cells whose numbers the sentence of the scene contains, each as (matrix id, row, column).

        >>> Scene("", "It gets {weights[4,0]}, {heads.1[0,2] - 1} more than {sum(weights[4,:])}.", "", "").cells_in_text
        [('weights', 4, 0), ('heads.1', 0, 2)]
        """
        cells = [cell for text in _IN_BRACES.findall(self.say) for cell in _CELL.findall(text)]
        return list(dict.fromkeys((name, int(row), int(column)) for name, row, column in cells))


@cache
def _read(page: str) -> dict[str, Any]:
    path = PAGES / page / "scenes.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


@cache
def scenes_of(page: str) -> tuple[Scene, ...]:
    """Return the scenes of a page in order, or () if the page has no file of scenes.

    Raises: ValueError if a scene lacks a field, or has an unknown one.
    """
    return tuple(_scene(page, number, given) for number, given in enumerate(_read(page).get("scene", []), start=1))


def _scene(page: str, number: int, given: dict[str, Any]) -> Scene:
    fields: dict[str, Any] = given | {
        name: tuple(given.get(name, ())) for name in ("claims", "options", "waits", "lines")
    }
    try:
        return Scene(**fields)
    except TypeError:
        raise ValueError(
            "a scene has title, say, state and focus, and may have claims, options, waits, note, screen and lines; "
            f"got {', '.join(given)} in scene {number} of {page}: write it like the others."
        ) from None


FILE = Path(__file__).with_name("routes.toml")
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
    lessons = sorted(file.parent.name for file in PAGES.glob("*/scenes.toml"))
    return (*(route.name for route in routes()), *lessons, OWN)


def route_named(name: str) -> Route:
    """Return the route with this name in links."""
    return next((route for route in routes() if route.name == name), None) or lesson(name)


Query = Mapping[str, Sequence[str]]

# A link to a scene may also have these parameters, because the layout changes no number.
BESIDE = {"layout"}
PRESENT = "present"
GUESS = "guess"


@dataclass(frozen=True, slots=True)
class Lecture:
    """What a visitor's link says about a lecture: the open scene, the route (the order of the scenes), and the view."""

    scene: int = 0  # counted from 1; 0 means that no scene is open
    present: bool = False
    route: str = ""  # "" stands for the whole course
    guess: bool = False  # on a phone in the audience: the results of a scene are shown after its owner has guessed

    def encode(self) -> dict[str, str]:
        """Return the lecture as the parameters of a link."""
        view = PRESENT * self.present or GUESS * self.guess
        texts = {"scene": str(self.scene or ""), "route": self.route, "view": view}
        return {name: text for name, text in texts.items() if text}

    def key(self, page: str) -> str:
        """Return a text that distinguishes the open scene of the page `page` from every other scene."""
        return f"{page} {self.scene}"

    def in_words(self) -> list[str]:
        """Return what a link says about the lecture, as a list of short texts for the visitor."""
        scene = [f"scene {self.scene}"] * bool(self.scene)
        views = ["the presenter view"] * self.present + ["results after a guess"] * self.guess
        return scene + [f"the route “{self.route}”"] * bool(self.route) + views


def decode(query: Query, scenes: Collection[int]) -> tuple[Lecture, dict[str, Sequence[str]], list[str]]:
    """Return three things of a link: its lecture, its other parameters, and a notice for each refused value."""
    rules = {
        "scene": f"a scene of this page, {min(scenes)} to {max(scenes)}"
        if scenes
        else "left out, because this page has no scenes",
        "route": f"one of {', '.join(route_names())}",
        "view": f"{PRESENT} or {GUESS}",
    }
    good = {"scene": [str(n) for n in scenes], "route": route_names(), "view": [PRESENT, GUESS]}
    given = {name: query[name] for name in rules if query.get(name)}
    accepted = {name: texts[-1] for name, texts in given.items() if texts[-1] in good[name]}
    notices = [notice for name, texts in given.items() for notice in several_values_notice(name, texts)]
    notices += [
        f"The link’s `{name}` must be {rules[name]}, but it is {short(texts[-1])}, so it was ignored."
        for name, texts in given.items()
        if name not in accepted
    ]
    rest = {name: texts for name, texts in query.items() if name not in rules}
    view = accepted.get("view")
    opened = Lecture(int(accepted.get("scene", 0)), view == PRESENT, accepted.get("route", ""), view == GUESS)
    return opened, rest, notices


def opens_the_scene(lecture: Lecture, rest: Query) -> bool:
    """Return whether a link opens a scene in the state in which the scene begins."""
    return bool(lecture.scene) and rest.keys() <= BESIDE


def lecture_link(
    lecture: Lecture, state: Mapping[str, str], scene_state: Mapping[str, str], first_example: str
) -> dict[str, str]:
    """Return the parameters of a link that opens the state `state` and the lecture `lecture`."""
    if not lecture.scene:
        return {**state, **lecture.encode()}
    beside = {name: text for name, text in state.items() if name in BESIDE}
    if {**scene_state, **beside} == dict(state):
        return beside | lecture.encode()
    explicit = {} if without_parameters(state, BESIDE) else {"example": first_example}  # so that the link is not empty
    return explicit | dict(state) | lecture.encode()


def without_parameters(state: Mapping[str, str], names: AbstractSet[str]) -> dict[str, str]:
    """Return the parameters of a link, without those whose names are in `names`."""
    return {name: text for name, text in state.items() if name not in names}
