"""The course: all scenes of all pages, in order. Pure."""

from __future__ import annotations

from pages.shared.site.catalogue import catalogue
from pages.shared.site.page import Page
from pages.shared.state.scenes import scenes_of


def beside(page: str, scene: int, step: int) -> tuple[Page, int] | None:
    """Return the page and the number of the scene before or after one in the whole course, or None at its ends.

    From a page without a current scene, 0, the next is its first.
    """
    walk = _walk()
    place = next(i for i, (each, n) in enumerate(walk) if (each.name, n) == (page, scene))
    found = walk[place + 1 :] if step > 0 else walk[:place][::-1]
    return next((each for each in found if each[1]), None)


def progress(page: str, scene: int) -> tuple[int, int]:
    """Return which scene of the whole course one is, and how many there are."""
    scenes = [(each.name, n) for each, n in _walk() if n]
    return scenes.index((page, scene)) + 1, len(scenes)


def _walk() -> list[tuple[Page, int]]:
    """Return every page, as scene 0, and its scenes after it."""
    return [(page, n) for page in catalogue() for n in range(len(scenes_of(page.name)) + 1)]
