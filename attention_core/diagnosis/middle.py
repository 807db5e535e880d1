"""Move a solution to the middle of the range in which it gives an answer up to its rounding."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array

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
