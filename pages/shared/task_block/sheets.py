"""Sheets: the numbers that a learner has written for each task, and how many tasks were solved on this visit."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from pages.shared.controls.kinds import BOUNDS, read_number
from pages.shared.notation.numbers import number_text
from pages.shared.state import session

NUMBER = (
    f"A cell must hold a number from {number_text(BOUNDS[0])} to {number_text(BOUNDS[1])}, or a fraction of two such "
    "numbers with a value in the same range"
)
DIVISOR = "No number can be divided by 0"

Entries = tuple[tuple[str, ...], ...]
Key = tuple[str, int, int]  # concept, task, difficulty


@dataclass(frozen=True, slots=True)
class Sheet:
    """The state of one learner's work on one task: the entries, the hints, and whether the task is done."""

    entries: Entries
    done: bool = False  # all cells are correct, or the learner has asked for the answer
    checked: Entries | None = None  # the entries at the last marking, if some were wrong
    hinted: tuple[int, int] | None = None  # the cell of the last hint
    stage: int = 0  # the stage of that hint: 1 words, 2 formula, 3 calculation

    @property
    def missing(self) -> int:
        """The number of empty cells."""
        return sum(not text for row in self.entries for text in row)

    @property
    def numbers(self) -> np.ndarray:
        """The entries as numbers, with NaN for empty cells."""
        return numbers_of(self.entries)

    @property
    def unmarked(self) -> np.ndarray:
        """An array of bools: for each cell, whether it has changed since the last marking or was never marked."""
        before = self.checked or (("",) * len(self.entries[0]),) * len(self.entries)
        return np.array(before) != np.array(self.entries)


def numbers_of(entries: Entries) -> np.ndarray:
    """Return entries as numbers, with NaN for empty cells."""
    return np.array([[read_entry(text) if text else math.nan for text in row] for row in entries])


@dataclass(slots=True)
class Practice:
    """The sheets of one visitor for all tasks, the entries for undo and redo, and the score."""

    sheets: dict[Key, Sheet] = field(default_factory=dict)
    past: dict[Key, list[Entries]] = field(default_factory=dict)
    future: dict[Key, list[Entries]] = field(default_factory=dict)
    right: int = 0
    done: int = 0
    streak: int = 0
    asked_to_commit: bool = False
    refused: Key | None = None  # the task that was not marked, because some of its cells were empty


def practice() -> Practice:
    """Return the `Practice` of the present visitor: all answers and the score."""
    return session.visitor_object(Practice)


def read_entry(text: str) -> float:
    """Return the number in a text, which may be a fraction. Raises: ValueError with a text that names the rule.

    >>> read_entry("1/4"), read_entry("-2.5")
    (0.25, -2.5)
    """
    above, slash, below = text.replace("\u2212", "-").partition("/")
    value = read_number(above, NUMBER)
    if not slash:
        return value
    divisor = read_number(below, NUMBER)
    if divisor == 0:
        raise ValueError(DIVISOR)
    if not BOUNDS[0] <= value / divisor <= BOUNDS[1]:
        raise ValueError(NUMBER)
    return value / divisor
