"""Measure how much rounding may change a number: run the code again with input numbers that are slightly changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pages.shared.takehome.code import Block, Code, run, starting_names

EXACT = 1e-9
CERTAIN = 1e-3  # times the greatest number of a matrix: if rounding may change a number by more, it is not compared
DIGITS = 1e-15
SHAKEN = 1e-14  # the relative change of the inputs: about the error of some arithmetic with 16 digits
SHAKES = 3

Variables = dict[str, Any]


def runs(code: Code, columns: bool) -> Iterator[tuple[Block, Variables, list[Variables]]]:
    """Run the code several times: first with its own numbers, and then with slightly changed ones.

    After each block, yield the block, the variables of the first run, and a list with the variables of each other run.
    `columns` says whether tokens are columns.
    """
    shaken = [run(code, columns, _slightly_changed(code, columns, seed)) for seed in range(SHAKES)]
    for (block, names), *others in zip(run(code, columns), *shaken, strict=True):
        yield block, names, [other for _, other in others]


def tolerance_of(expression: str, names: Variables, others: list[Variables]) -> float:
    """Return how much the value of `expression` may differ from the page: the absolute tolerance for a comparison.

    `names` has the variables of the first run, and `others` those of the runs with slightly changed numbers. The more
    the value differs between the runs, the greater is the tolerance. If the value depends on rounding alone, return
    infinity.
    """
    value, *moved = (_evaluate(expression, found) for found in (names, *others))
    greatest = _greatest(value)
    apart = max(_greatest_difference(value, other) for other in moved)
    least = EXACT if greatest == 0 or CERTAIN * greatest >= EXACT else max(EXACT * greatest, DIGITS)
    near = max(least, apart)
    return near if near <= max(CERTAIN * greatest, EXACT) else np.inf


def _evaluate(expression: str, names: Mapping[str, Any]) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(eval(expression, dict(names)), dtype=float)


def _greatest(values: np.ndarray) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def _greatest_difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the greatest difference between two arrays, after a small relative tolerance is subtracted.

    Return infinity if the arrays have different shapes, or different infinite or NaN entries.
    """
    finite = np.isfinite(one)
    if one.shape != other.shape or not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return np.inf
    if not np.isfinite(other[finite]).all():
        return np.inf
    beyond = np.abs(one[finite] - other[finite]) - EXACT * np.abs(one[finite])
    return float(beyond.max(initial=0.0))


def _slightly_changed(code: Code, columns: bool, seed: int) -> Variables:
    draw = np.random.default_rng(seed)
    numbers = {name: v for name, v in starting_names(code, columns).items() if _is_number(v)}
    return {name: v * (1 + SHAKEN * draw.uniform(-1, 1, np.shape(v))) for name, v in numbers.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
