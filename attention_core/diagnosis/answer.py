"""An answer: the numbers that somebody gave, and comparisons with other numbers up to their rounding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array

FEWEST_DECIMALS, MOST_DECIMALS = (
    2,
    12,
)  # with fewer, only exact numbers count; with more, a number is exact
SMALLEST_SPREAD = 1e-9
SAME = 1e-9  # relative to the greatest number: a smaller difference does not count


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
        return (self.rounding if tells else 0.0) + SAME * self.scale

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
