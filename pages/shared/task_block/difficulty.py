"""Choose the difficulty of a task that fits the present state of a page. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# By concept: conditions on the state of the page, and a difficulty. The first condition that holds decides.
FITS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "attention": {"2": lambda here: here.mask == "causal"},
    "positional_encoding": {"3": lambda here: here.look == "bag"},
}


def chosen_difficulty(concept: str, parameters: Any) -> str:
    """Return the difficulty of the next task on a page: "1", "2" or "3".

    If the visitor has chosen 2 or 3, this is the difficulty. Otherwise it depends on what the page shows. `concept` is
    the name of the page in `FITS`, and `parameters` are the page's parameters.
    """
    found = (difficulty for difficulty, fits in FITS.get(concept, {}).items() if fits(parameters))
    return next(found, "1") if parameters.difficulty == "1" else parameters.difficulty
