"""Check the arguments of public functions: real, finite, rectangular numbers with enough axes.

Each error says the rule, what was given, and what to do. Private functions do not check again.
"""

from __future__ import annotations

from math import isfinite
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.floating[Any]]


def floats(name: str, values: ArrayLike, *, min_rank: int = 1, minus_infinity: bool = False) -> Array:
    """Return the values as an array of floats: float32 stays float32, and integers become float64.

    `name` is the name of the values in an error. `min_rank` is the least number of axes. If `minus_infinity` is true,
    −∞ is allowed.

    Raises: ValueError if the values are ragged, not real numbers, empty, have too few axes, or are NaN or infinite.

    >>> floats("x", [1, 2])
    array([1., 2.])
    """
    array = _rectangular(name, values)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold real numbers; got {array.dtype}: give integers or decimals.")
    if array.ndim < min_rank:
        raise ValueError(
            f"{name} must have at least {min_rank} axes; got shape {array.shape}: "
            f"write it as {'a matrix, [[…], […]]' if min_rank == 2 else 'a list, […]'}."
        )
    if array.size == 0:
        raise ValueError(
            f"{name} must not be empty; got shape {array.shape}: give at least one number along each axis."
        )
    array = array if array.dtype.kind == "f" else array.astype(np.float64)
    check_finite(name, array, minus_infinity=minus_infinity)
    return array


def _rectangular(name: str, values: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{name} must be rectangular; got rows of different lengths: give every row as many numbers."
        ) from error


def check_finite(
    name: str, array: Array, *, minus_infinity: bool = False, remedy: str = "replace it by a number"
) -> None:
    """Raise a ValueError if the array has a NaN or an infinity. The error says at which index.

    `name` is the name of the array in the error, and `remedy` says what to do. If `minus_infinity` is true, −∞ is
    allowed.
    """
    flat = array.ravel(order="K")  # in the order of memory, so that a transposed matrix is not copied
    if isfinite(np.vdot(flat, flat)):  # a finite sum of squares proves that all are finite, and is quick
        return
    good = np.isfinite(array)
    if minus_infinity:
        good |= np.isneginf(array)
    if good.all():
        return
    index = tuple(int(i) for i in np.argwhere(~good)[0])
    raise ValueError(f"{name} must be finite; got {array[index]} at {index}: {remedy}.")


def greatest_difference(a: Array, b: Array) -> float:
    """Return the greatest difference between two arrays: ∞ if their shapes differ, NaN if one of them has a NaN.

    >>> greatest_difference(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    2.0
    """
    return float(np.abs(a - b).max()) if np.shape(a) == np.shape(b) else float("inf")


def positive_integer(name: str, value: object) -> int:
    """Return the value if it is a whole number of at least 1, else raise a ValueError. `name` is its name in the error.

    >>> positive_integer("n", 3)
    3
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1; got {value!r}: give 1, 2, 3 ….")
    return int(value)


def natural_number(name: str, value: object) -> int:
    """Return the value if it is a whole number of at least 0, else raise a ValueError."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise ValueError(f"{name} must be a whole number of at least 0; got {value!r}: give 0, 1, 2 ….")
    return int(value)


def positive(name: str, value: float) -> float:
    """Return the value if it is finite and greater than 0, else raise a ValueError."""
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be finite and greater than 0; got {value}: give a positive number.")
    return float(value)


def not_negative(name: str, value: float, remedy: str) -> float:
    """Return the value if it is finite and at least 0, else raise a ValueError that ends with `remedy`.

    >>> not_negative("eps", 0.5, "give a number of at least 0")
    0.5
    """
    if not (np.isfinite(value) and value >= 0):
        raise ValueError(f"{name} must be finite and at least 0; got {value}: {remedy}.")
    return float(value)
