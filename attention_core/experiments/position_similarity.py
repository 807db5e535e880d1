"""Measure how similar two rows of an encoding are, and whether the similarity depends only on their distance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, greatest_difference, positive_integer
from attention_core.mistakes.wrong_formulas import doubled_exponent_at, shifted_cosine_at
from attention_core.positions import sinusoidal_at

STILL = (
    0.1  # a column hardly changes if it changes by less than this over the whole sequence (a sine within 0.1 radians)
)

FORMULAS: Mapping[str, Callable[..., Array]] = {
    "paper": sinusoidal_at,
    "doubled": doubled_exponent_at,
    "shifted": shifted_cosine_at,
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FormulaTrace:
    """The encoding that one formula gives, a row for each position, and measurements of this encoding."""

    table: Array  # (n, d_model)
    similar: float  # the cosine between the rows of the two positions that are compared
    still: float  # the fraction of pairs of columns that hardly change
    spread: float  # the greatest difference between cosines of positions at the same distance
    off_paper: float  # the greatest difference of a number from the paper's formula
    off_base_squared: float  # the greatest difference of a number from the paper's formula with base²


def cosine_similarities(table: ArrayLike) -> Array:
    """Return the cosine of the angle between every two rows.

    Shapes: (n, d) → (n, n).
    Range:  −1 to 1; 1 on the diagonal.
    Raises: ValueError if a row has only zeros, and therefore no direction.

    >>> cosine_similarities([[2, 0], [0, 3]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    table = floats("table", table, min_rank=2)
    lengths = np.sqrt(np.einsum("id,id->i", table, table))
    if not lengths.all():
        raise ValueError(
            f"every row must have a direction; got zeros in row {int(np.argmin(lengths))}: "
            "give it one number besides 0."
        )
    return table @ table.T / np.outer(lengths, lengths)


def distance_spread(pairs: ArrayLike) -> float:
    """Measure how much the numbers of a matrix over pairs of positions differ at the same distance.

    max over k of (max − min of S[i, i+k]): 0 if the matrix depends only on the distance.

    Shapes: (n, m) → a number.
    Raises: ValueError if the pairs are not a matrix.

    >>> distance_spread([[1, 2, 3], [4, 1, 2], [5, 4.5, 1]])
    0.5
    """
    pairs = floats("pairs", pairs, min_rank=2)
    n, m = pairs.shape
    # Each reversed row begins one column further right than the row above it, so diagonals become columns.
    padded = np.full((n, n + m), np.nan)
    padded[:, :m] = pairs[:, ::-1]
    diagonals = padded.ravel()[: n * (n + m - 1)].reshape(n, n + m - 1)
    return float((np.fmax.reduce(diagonals) - np.fmin.reduce(diagonals)).max())


def still_share(table: ArrayLike) -> float:
    """Return the fraction of pairs of columns that hardly change: max − min is below 0.1 in both columns of a pair.

    Shapes: (n, d) → a number from 0 to 1.
    Raises: ValueError if d is odd.

    >>> still_share([[0, 1, 0, 1], [0.8, 0.5, 0.01, 1]])
    0.5
    """
    table = floats("table", table, min_rank=2)
    if table.shape[-1] % 2:
        raise ValueError(f"columns must come in pairs; got {table.shape[-1]}: give an even number of them.")
    moves = (table.max(axis=0) - table.min(axis=0)).reshape(-1, 2).max(axis=-1)
    return float((moves < STILL).mean(dtype=float))


def reversal(similarities: ArrayLike) -> tuple[int, int] | None:
    """Return two distances, near < far, whose similarities grow: similarities[near] < similarities[far].

    near is the smallest possible distance above 0. far has the greatest similarity of all distances beyond near.

    Shapes: similarities (n,) of distance 0, 1, 2 … → (near, far), or None if similarity never grows with distance.

    >>> reversal([1, 0.5, 0.2, 0.6])
    (1, 3)
    """
    similar = floats("similarities", similarities)
    for near in range(1, len(similar) - 1):
        far = near + 1 + int(np.argmax(similar[near + 1 :]))
        if similar[far] > similar[near]:
            return near, far
    return None


def compare_formulas(
    n_positions: int, d_model: int, base: float = 10000.0, *, between: tuple[int, int] = (2, 10)
) -> dict[str, FormulaTrace]:
    """Compute and compare three encodings: by the paper's formula, and by two common misreadings of this formula.

    The keys of the result are "paper", "doubled" and "shifted". For each formula, the encodings of the two positions
    in `between` are also compared with each other.

    Shapes: `between` has two positions from 0, which may be beyond the sequence.
    Raises: ValueError for the same reasons as `sinusoidal`.
    Source: Vaswani et al. 2017, section 3.5; erratum 001-01.
    """
    positions = np.arange(positive_integer("n_positions", n_positions))
    tables = {name: formula(positions, d_model, base) for name, formula in FORMULAS.items()}
    squared, similar = sinusoidal_at(positions, d_model, base**2), compare_two(between, d_model, base)
    return {
        name: FormulaTrace(
            table=table,
            similar=similar[name],
            still=still_share(table),
            spread=distance_spread(cosine_similarities(table)),
            off_paper=greatest_difference(tables["paper"], table),
            off_base_squared=greatest_difference(squared, table),
        )
        for name, table in tables.items()
    }


def compare_two(between: tuple[int, int], d_model: int, base: float = 10000.0) -> dict[str, float]:
    """Return the cosine of the encodings of two positions, for the paper's formula and for two misreadings of it.

    The keys of the result are "paper", "doubled" and "shifted".

    Raises: ValueError for the same reasons as `sinusoidal`.

    >>> round(compare_two((2, 10), 512)["paper"], 5)
    0.72252
    """
    return {
        name: float(cosine_similarities(formula(between, d_model, base))[0, 1]) for name, formula in FORMULAS.items()
    }
