"""Plausible numbers: which wrong number somebody may have written in place of a correct number."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array

NEAR_ENOUGH = 1e-6  # relative: numbers that differ by less are the same
MOST_DIGITS = 4  # decimals of the digits that are compared
BEYOND = 0.5  # how far a number may lie outside the range of the others, as a share of this range
NEGLIGIBLE = 1e-3  # relative to the greatest number: a smaller number may have been written as 0


def is_plausible(value: float, correct_value: float, matrix: Array) -> bool:
    """Return whether somebody may have written `value` by mistake in place of the number `correct_value` of a matrix.

    They may if `value` is about as large as the numbers of the matrix, or if a slip of the pen explains it.
    """
    return _is_of_their_size(value, matrix) or is_writing_error(value, correct_value)


def _is_of_their_size(value: float, matrix: Array) -> bool:
    finite = matrix[np.isfinite(matrix)]
    if not finite.size:
        return False
    low, high = min(float(finite.min()), 0.0), max(float(finite.max()), 0.0)
    room = BEYOND * max(high - low, 1.0)
    return low - room <= value <= high + room


def is_writing_error(value: float, correct_value: float) -> bool:
    """Return whether a slip of the pen can turn `correct_value` into `value`: a wrong sign, point or digit."""
    if correct_value and _is_power_of_ten(abs(value / correct_value)):
        return True  # with another sign only, the exponent is 0
    written, meant = _digits(value), _digits(correct_value)
    return any(
        _one_digit_apart(one, other)
        for one, other in ((written, meant), (written.rstrip("0"), meant.rstrip("0")))
        if other
    )


def _is_power_of_ten(ratio: float) -> bool:
    if not ratio > 0 or not np.isfinite(ratio):
        return False
    exponent = np.log10(ratio)
    return bool(abs(exponent - round(exponent)) < NEAR_ENOUGH and abs(exponent) <= MOST_DIGITS)


def _digits(number: float) -> str:
    """Return the digits of a number to four decimals, without its sign, its point and the zeros in front."""
    return f"{abs(number):.{MOST_DIGITS}f}".replace(".", "").lstrip("0")


def _one_digit_apart(first: str, second: str) -> bool:
    """Return whether two texts differ at most by one digit: changed, added, left out, or swapped with a neighbour."""
    if len(first) == len(second):
        wrong = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
        in_turn = len(wrong) == 2 and wrong[1] == wrong[0] + 1 and first[wrong[0]] == second[wrong[1]]
        return len(wrong) <= 1 or (in_turn and first[wrong[1]] == second[wrong[0]])
    short, long = sorted((first, second), key=len)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
