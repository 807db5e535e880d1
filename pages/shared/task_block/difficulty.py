"""Difficulty: which of a page's tasks asks what the page shows just now. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# By concept: the difficulty whose question is that of a state; the first that fits is taken.
FITS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "attention": {"2": lambda here: here.mask == "causal"},
    "positional_encoding": {"3": lambda here: here.look == "bag"},
}


def fitting(concept: str, here: Any) -> str:
    """Return the difficulty that the visitor chose or, as long as that is 1, the one that fits what the page shows."""
    found = (difficulty for difficulty, fits in FITS.get(concept, {}).items() if fits(here))
    return next(found, "1") if here.difficulty == "1" else here.difficulty
