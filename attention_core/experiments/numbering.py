"""Add positions to the rows of tokens in several ways, from counting to waves, and see how each changes attention."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array, floats, positive_integer
from attention_core.examples import Example
from attention_core.positions import sinusoidal_of_any_width

MOST_BITS = 62  # how far a 64-bit number may be shifted


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NumberingTrace:
    """A table with a row of numbers for each position, and the attention over tokens to which these rows were added."""

    table: Array  # (n, d_model) one row for each position
    trace: SelfAttentionTrace


def position_numbers(n_positions: int, d_model: int) -> Array:
    """Return a matrix whose rows count 1, 2, 3 … Each row has its number in every column.

    Shapes: → (n_positions, d_model).
    Raises: ValueError if a size is not a whole number of at least 1.

    >>> position_numbers(2, 3).tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """
    places = np.arange(1.0, positive_integer("n_positions", n_positions) + 1)
    return np.repeat(places[:, None], positive_integer("d_model", d_model), axis=1)


def in_bits(n_positions: int, d_model: int) -> Array:
    """Return the positions from 0 as binary numbers, one row for each position. The first column has the lowest bit.

    Shapes: → (n_positions, d_model).
    Range:  0 or 1.
    Raises: ValueError if a size is not a whole number of at least 1.

    >>> in_bits(4, 2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    places = np.arange(positive_integer("n_positions", n_positions))[:, None]
    shifts = np.minimum(np.arange(positive_integer("d_model", d_model)), MOST_BITS)
    return (places >> shifts & 1).astype(np.float64)


def step_lengths(table: ArrayLike) -> Array:
    """Return the distance of each row to the next row.

    Shapes: (n, d) → (n − 1,).
    Raises: ValueError if the table is no matrix.

    >>> step_lengths([[0, 0], [3, 4]]).tolist()
    [5.0]
    """
    return np.sqrt((np.diff(floats("table", table, min_rank=2), axis=0) ** 2).sum(axis=1))


def number_tokens(example: Example, base: float = 10000.0) -> dict[str, NumberingTrace]:
    """Add positions to an example's tokens in four ways, and compute attention for each way.

    The names of the ways are "nowhere" (without positions), "counted", "in_bits" and "in_waves". In cross-attention,
    the tokens of the context get no positions.

    Raises: ValueError if the base is not positive.
    """
    n, d_model = example.x.shape
    tables = {
        "nowhere": np.zeros((n, d_model)),
        "counted": position_numbers(n, d_model),
        "in_bits": in_bits(n, d_model),
        "in_waves": sinusoidal_of_any_width(n, d_model, base),
    }
    return {
        way: NumberingTrace(table=table, trace=example.with_matrices({"x": example.x + table}).attention())
        for way, table in tables.items()
    }
