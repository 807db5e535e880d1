"""Choose the difficulty of a task that fits the present state of a page. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# By concept: conditions on the state of the page, and a difficulty. The first condition that holds decides.
FITS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "attention": {"2": lambda here: here.mask == "causal"},
    "positional_encoding": {"3": lambda here: here.look == "bag"},
}


def chosen_difficulty(concept: str, here: Any) -> str:
    """Return the difficulty of the next task on a page, as "1", "2" or "3". `here` are the parameters of the page.

    A difficulty that the visitor has chosen counts. As long as it is 1, return the difficulty that fits what the page
    shows.
    """
    found = (difficulty for difficulty, fits in FITS.get(concept, {}).items() if fits(here))
    return next(found, "1") if here.difficulty == "1" else here.difficulty
