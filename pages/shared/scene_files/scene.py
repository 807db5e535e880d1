"""Scenes: states of a page that a lecture shows, read from `pages/scenes/`. Pure."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from pages.shared.scene_files import FOLDER
from pages.shared.scene_files.screens import screens

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
    path = FOLDER / f"{page}.toml"
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
