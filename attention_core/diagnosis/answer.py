"""An answer: the numbers that somebody gave, compared up to their rounding, and the findings that explain them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array
from attention_core.mistakes import Mistake

FEWEST_DECIMALS, MOST_DECIMALS = (
    2,
    12,
)  # with fewer, only exact numbers count; with more, a number is exact
SMALLEST_SPREAD = 1e-9
SAME = 1e-9  # relative to the greatest number: a smaller difference does not count
USUAL = 100.0  # of a greater number, only so much counts, and beyond it the rounding of the computation itself
COMPUTED = 1e-12  # relative to the greatest number: what the rounding of the computation can make


@dataclass(frozen=True, slots=True)
class Answer:
    """A matrix of numbers that somebody gives as an answer, with its number of decimals."""

    values: Array
    decimals: int
    scale: float = 1.0  # the greatest correct number, and at least 1
    rows: tuple[int, ...] = ()  # which rows of the matrix were given, if not all
    columns: tuple[int, ...] = ()  # which columns were given, if not all
    is_coarse: bool = False  # whether fewer than two decimals are enough to agree

    def matches(self, candidate: Array) -> bool:
        """Return whether the answer equals a candidate matrix, up to the rounding of the answer."""
        candidate = candidate[list(self.rows)] if self.rows and max(self.rows) < len(candidate) else candidate
        if self.columns and candidate.ndim == 2 and max(self.columns) < candidate.shape[1]:
            candidate = candidate[:, list(self.columns)]
        if self.values.shape != candidate.shape:
            return False
        one, other = float(self.values.flat[0]), float(candidate.flat[0])  # usually, the first number decides
        if abs(one - other) > self.tolerance and one != other:
            return False
        return bool(self.agrees(candidate).all())

    def probability_by_chance(self, candidates: int, spread: float) -> float:
        """Return the probability that one of `candidates` wrong matrices equals the answer by chance.

        `spread` is the difference between the greatest and the least number of such a matrix. Numbers of the answer
        with the same magnitude count once: 0.5, 0.5 and −0.5 prove no more than a single 0.5.
        """
        decimals = self.decimals if self.is_coarse else max(self.decimals, FEWEST_DECIMALS)
        with np.errstate(over="ignore"):  # the greatest numbers cannot be rounded
            magnitudes = np.abs(self.values[np.isfinite(self.values)]).round(decimals)
        one = 10.0**-decimals / max(spread, SMALLEST_SPREAD)
        return candidates * min(one, 1.0) ** len(np.unique(magnitudes))

    def agrees(self, candidate: Array, bound: Array | float = 0.0) -> NDArray[np.bool_]:
        """Return for each number of the answer whether it equals the number of `candidate` in the same place.

        Two numbers count as equal if they differ by at most the tolerance of the answer plus `bound`. Both matrices
        must have the same shape.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            near = np.abs(self.values - candidate) <= self.tolerance + bound
        return near | (self.values == candidate) | (np.isnan(self.values) & np.isnan(candidate))

    @property
    def is_finite(self) -> bool:
        """Whether no number of the answer is NaN or infinite."""
        return bool(np.isfinite(self.values).all())

    @property
    def tolerance(self) -> float:
        """The greatest difference between two numbers that count as equal, usually half of the last decimal.

        With fewer than two decimals, numbers must be exactly equal.
        """
        tells = self.decimals >= FEWEST_DECIMALS or self.is_coarse
        return (self.rounding if tells else 0.0) + max(SAME * min(self.scale, USUAL), COMPUTED * self.scale)

    @property
    def rounding(self) -> float:
        """The greatest difference that rounding to the decimals of the answer can make."""
        return 0.5 * 10.0**-self.decimals if self.decimals < MOST_DECIMALS else 0.0


def answer_to(wanted: Array, values: Array, decimals: int | None) -> Answer:
    """Return `values` as an answer to a task whose correct result is `wanted`.

    `decimals` is the number of decimals of the answer. If it is None, the decimals in `values` are counted.
    """
    finite = np.abs(wanted[np.isfinite(wanted)])
    return Answer(values, decimals_of(values) if decimals is None else decimals, float(finite.max(initial=1.0)))


def decimals_of(values: Array) -> int:
    """Return how many decimals are needed to write all numbers of a matrix, at most `MOST_DECIMALS`."""
    finite = values[np.isfinite(values)]
    return next((d for d in range(MOST_DECIMALS) if (np.round(finite, d) == finite).all()), MOST_DECIMALS)


# --- unknown numbers from errors ---

FLAT = 1e-9  # a slope this small changes nothing


def middle_changes(errors: Array, slopes: Array, tolerance: float) -> Array:
    """Return for each unknown number the change that brings all its errors to between −tolerance and +tolerance.

    Row i of `errors` has the errors that depend on number i. A change c turns an error e into e + slope · c. Usually
    many changes are possible. Return the middle of the least and the greatest change, or 0 if no change is possible.

    In the example, the errors are 0, 0 and −6, and all slopes are 1. The changes from 2 to 4 are possible.

    Shapes: errors, slopes (n, m) → (n,).

    >>> middle_changes(np.array([[0.0, 0.0, -6.0]]), np.array([[1.0, 1.0, 1.0]]), 4.0)
    array([3.])
    """
    steep = np.abs(slopes) > FLAT
    size = np.where(steep, slopes, 1.0)
    middle, reach = -errors / size, tolerance / np.abs(size)
    low = np.where(steep, middle - reach, -np.inf).max(axis=1)
    high = np.where(steep, middle + reach, np.inf).min(axis=1)
    is_one = np.isfinite(low) & np.isfinite(high) & (low <= high)
    return (np.where(is_one, low, 0.0) + np.where(is_one, high, 0.0)) / 2


# --- findings ---

Kind = Literal[
    "right", "rounded", "digits", "on_the_way", "coarse", "near", "transposed", "reordered", "other_step", "mistakes",
    "one_number", "one_free", "hidden_keys", "dropped_out", "all_equal", "other_end", "other_scale", "follow_through",
    "rounded_inputs", "few_numbers", "no_numbers", "copied_row", "one_factor",
]  # fmt: skip
RIGHT_KINDS: tuple[Kind, ...] = ("right", "rounded", "digits", "on_the_way")


@dataclass(frozen=True, slots=True)
class OneNumber:
    """A single wrong number. All steps after it were computed correctly from it."""

    stage: str
    place: tuple[int, ...]  # head, row, column; or row, column
    value: float  # the changed number
    correct_value: float  # the correct number


@dataclass(frozen=True, slots=True)
class HiddenKeys:
    """The keys that each row of a wrong answer used. The mask of the task allows other keys."""

    rows: tuple[tuple[int, ...], ...]  # for each query, the keys that it used
    mask_clause: str = ""  # a clause that describes all rows: "each token attends only to itself"; or ""
    empty: tuple[int, ...] = ()  # the rows that used no key: their weights are all 0, all NaN, or all equal


@dataclass(frozen=True, slots=True)
class Finding:
    """One explanation of an answer. The kind says which of the other fields have a meaning."""

    kind: Kind
    mistakes: tuple[Mistake[Any], ...] = ()  # the mistakes that were made, in the order of the stages
    decimals: int | None = None  # the decimals that were rounded to; None if nothing was rounded
    order: tuple[int, ...] = ()  # if rows were reordered: the index of the correct row for each row
    stages: tuple[str, ...] = ()  # if rows were copied or reordered: in which matrices
    rows: tuple[int, ...] = ()  # if only some rows were given: the indices of these rows
    columns: tuple[int, ...] = ()  # if only some columns were given: the indices of these columns
    wrong_from: str = ""  # the first wrong given matrix, from which later steps are correct
    rounded: tuple[str, ...] = ()  # the steps that were rounded
    changed: OneNumber | None = None
    step: str = ""  # the step whose correct matrix was given in place of the matrix asked for
    head: int | None = None  # the head of this matrix, or None if there are not several
    further_mistakes: tuple[Mistake[Any], ...] = ()  # further mistakes that give the same numbers
    keys: HiddenKeys | None = None  # if another mask gives these numbers: its keys
    factor: float = 1.0  # the factor of the weights that dropout kept, or of the scaled scores
    dropped: tuple[int, ...] = ()  # the place of a weight that dropout set to 0: (head,) row and column


@dataclass(frozen=True, slots=True)
class StepFound:
    """The result of comparing a given step with the matrix that follows from the steps before it."""

    stage: str
    kind: Literal["right", "near", "follows", "wrong"]
    place: tuple[int, ...] = ()  # the place of the first wrong number
    value: float = 0.0  # the wrong number
    correct_value: float = 0.0  # the correct number after the steps before
    n_wrong: int = 0  # how many numbers are wrong
    why: tuple[Finding, ...] = ()  # the explanations of a wrong step; empty if unknown


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All explanations of an answer that its numbers cannot distinguish, and the results for its given steps."""

    findings: tuple[Finding, ...] = ()  # empty if unknown
    first_wrong_cell: tuple[str, int, int] | None = None  # in the given steps or the answer
    steps: tuple[StepFound, ...] = ()  # the given steps in order, and the answer last

    @property
    def answer_is_correct(self) -> bool:
        """Whether the answer is correct, up to rounding. Steps before it may be wrong."""
        return any(finding.kind in RIGHT_KINDS for finding in self.findings)

    @property
    def all_correct(self) -> bool:
        """Whether the answer is correct, up to rounding, and no given step is wrong."""
        return self.answer_is_correct and not self.wrong_steps

    @property
    def wrong_steps(self) -> list[StepFound]:
        """The given steps that do not follow from the steps before them, in order."""
        return [step for step in self.steps if step.kind == "wrong"]
