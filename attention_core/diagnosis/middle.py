"""Move a number that was found to the middle of the range in which it gives an answer to its last digit."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array

FLAT = 1e-9  # a slope this small moves nothing


def move_to_the_middle(misses: Array, slopes: Array, tolerance: float) -> Array:
    """Return by how much to move each number so that all its misses are within the tolerance; 0 if no move does this.

    Each number has several misses, one in each column. A move changes a miss by its slope times the move. Often many
    moves are possible, and the middle one is returned. Least squares would not do, because it may leave one miss beyond
    the tolerance.

    Shapes: misses, slopes (n, m) → (n,).

    >>> move_to_the_middle(np.array([[0.0, 0.0, -6.0]]), np.array([[1.0, 1.0, 1.0]]), 4.0)
    array([3.])
    """
    steep = np.abs(slopes) > FLAT
    size = np.where(steep, slopes, 1.0)
    middle, reach = -misses / size, tolerance / np.abs(size)
    low = np.where(steep, middle - reach, -np.inf).max(axis=1)
    high = np.where(steep, middle + reach, np.inf).min(axis=1)
    is_one = np.isfinite(low) & np.isfinite(high) & (low <= high)
    return (np.where(is_one, low, 0.0) + np.where(is_one, high, 0.0)) / 2
