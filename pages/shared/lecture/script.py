"""The script: every page's scenes, read from the files beside the pages. Pure."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from pages.shared.catalogue import ROOT, Entry, catalogue

FOLDER = ROOT / "pages" / "scenes"


@dataclass(frozen=True, slots=True)
class Scene:
    """A state of a page, and what is to be said of it."""

    title: str
    say: str  # Markdown; in braces what is read from the screen: {weights[0,1]}
    state: str  # as a link says it; "" is the page as it starts
    focus: str  # the key of the equation or the chart that it is about
    claims: tuple[str, ...] = ()  # what the text says, as comparisons of numbers on the screen

    @property
    def query(self) -> dict[str, list[str]]:
        """The state as the link's codec reads it."""
        return parse_qs(self.state, keep_blank_values=True)


@cache
def scenes_of(page: str) -> tuple[Scene, ...]:
    """Return the scenes of a page in their order; none where it has no file.

    Raises: ValueError if a scene lacks something, or has what no scene has.
    """
    path = FOLDER / f"{page}.toml"
    if not path.exists():
        return ()
    scenes = tomllib.loads(path.read_text(encoding="utf-8")).get("scene", [])
    return tuple(_scene(page, number, given) for number, given in enumerate(scenes, start=1))


def _scene(page: str, number: int, given: dict[str, Any]) -> Scene:
    fields: dict[str, Any] = given | {"claims": tuple(given.get("claims", ()))}
    try:
        return Scene(**fields)
    except TypeError:
        raise ValueError(
            f"a scene has title, say, state, focus and claims; got {', '.join(given)} in scene {number} of {page}: "
            "write it like the others."
        ) from None


def beside(page: str, scene: int, step: int) -> tuple[Entry, int] | None:
    """Return the page and the scene before or after one in the whole course, or nothing at its ends.

    From a page without a current scene, 0, the next is its first.
    """
    walk = _walk()
    place = next(i for i, (entry, n) in enumerate(walk) if (entry.name, n) == (page, scene))
    found = walk[place + 1 :] if step > 0 else walk[:place][::-1]
    return next((each for each in found if each[1]), None)


def progress(page: str, scene: int) -> tuple[int, int]:
    """Return which scene of the whole course one is, and how many there are."""
    scenes = [(entry.name, n) for entry, n in _walk() if n]
    return scenes.index((page, scene)) + 1, len(scenes)


def _walk() -> list[tuple[Entry, int]]:
    """Every page, as 0, and its scenes after it."""
    return [(entry, n) for entry in catalogue() for n in range(len(scenes_of(entry.name)) + 1)]


def focus_of(page: str, scene: int) -> str:
    """Return the key of what a scene is about, or nothing where no scene is current."""
    return scenes_of(page)[scene - 1].focus if scene else ""
