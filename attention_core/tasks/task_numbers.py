"""Random whole numbers for tasks, from seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from attention_core.checks import Array

# Rows of weights that sum to 1 and are exact with two decimals, by their length. Results from them can be exact too.
SHARES: Mapping[int, Sequence[Sequence[float]]] = {
    2: ((0.5, 0.5), (0.25, 0.75), (0.75, 0.25), (0.2, 0.8), (0.8, 0.2), (0.1, 0.9), (0.9, 0.1)),
    3: (
        (0.5, 0.25, 0.25), (0.25, 0.5, 0.25), (0.25, 0.25, 0.5), (0.2, 0.4, 0.4), (0.4, 0.2, 0.4), (0.4, 0.4, 0.2),
        (0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5),
    ),
}  # fmt: skip


class Draw:
    """A source of random whole numbers from seeds.

    The numbers are the same on every machine and with every version of NumPy.
    """

    def __init__(self, *seeds: int) -> None:
        """Start from these seeds.

        The numbers come from the bits of a bit generator, because only these stay the same in every version of NumPy.
        """
        self._bits = np.random.PCG64(np.random.SeedSequence(seeds))

    def integers(self, low: int, high: int, *shape: int) -> Array:
        """Return an array of whole numbers from low to high, both included."""
        raw = np.asarray(self._bits.random_raw(math.prod(shape)), dtype=np.uint64)
        return (low + (raw % np.uint64(high - low + 1)).astype(np.int64)).astype(np.float64).reshape(shape)

    def tenths(self, low: int, high: int, *shape: int) -> Array:
        """Return an array of numbers with one decimal from low to high, both included."""
        return self.integers(10 * low, 10 * high, *shape) / 10

    def one_of(self, *values: int) -> int:
        """Return one of the given values, chosen at random."""
        return values[int(self.integers(0, len(values) - 1, 1)[0])]

    def shares(self, rows: int, columns: int) -> Array:
        """Return random rows of weights that sum to 1 and are exact with two decimals: (rows, columns)."""
        choices = SHARES[columns]
        return np.array([choices[self.one_of(*range(len(choices)))] for _ in range(rows)])
