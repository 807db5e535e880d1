"""What positions change: order, similarity, numbering."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array, floats, greatest_difference, positive, positive_integer
from attention_core.examples import Example
from attention_core.examples.example import frozen_copy
from attention_core.mistakes.wrong_formulas import doubled_exponent_at, shifted_cosine_at
from attention_core.positions import even_width, rope, sinusoidal_at, sinusoidal_of_any_width


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EmbeddingTrace:
    """The rows of tokens before the first layer: embeddings, the encoding of positions, and their sum."""

    x: Array  # (n, d_model)
    factor: float  # √d_model, or 1
    base: float
    embedded: Array  # (n, d_model) x · factor
    encoding: Array  # (n, d_model) one row for each position
    positioned: Array  # (n, d_model) embedded + encoding


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShuffleTrace:
    """The attention over tokens in their order, and over the same tokens in another order."""

    order: tuple[int, ...]  # the numbers of the tokens, from 0, in the new order
    original: SelfAttentionTrace
    shuffled: SelfAttentionTrace
    moved: Array  # (n, d_v) the original outputs, in the order of the shuffled tokens
    difference: Array  # (n, d_v) the shuffled output minus `moved`: 0 if the order has no effect


def embed_positions(x: ArrayLike, base: float = 10000.0, *, root: bool = True) -> EmbeddingTrace:
    """Add to each token's embedding the encoding of the token's position.

    x · √d_model + PE, or x + PE if `root` is false

    Shapes: x (…, n, d_model) → positioned (…, n, d_model). The encoding is that of `sinusoidal_of_any_width`.
    Raises: ValueError if x is no matrix, or the base is not positive.
    Source: Vaswani et al. 2017, sections 3.4 and 3.5.

    >>> embed_positions([[1.0, 1.0]]).positioned.round(2)
    array([[1.41, 2.41]])
    """
    x, base = floats("x", x, min_rank=2), positive("base", base)
    factor = math.sqrt(x.shape[-1]) if root else 1.0
    embedded, encoding = x * factor, sinusoidal_of_any_width(x.shape[-2], x.shape[-1], base)
    return EmbeddingTrace(
        x=x, factor=factor, base=base, embedded=embedded, encoding=encoding, positioned=embedded + encoding
    )


def new_order(kind: str, n: int, first: int = 0, second: int = 1) -> tuple[int, ...]:
    """Return an order of n tokens, as a tuple of their numbers from 0.

    `kind` is "reversed", "rotated" (the first token comes last), "swapped" (the tokens `first` and `second` change
    places), or "exchanged" (the first and the third token change places; if there are only two tokens, these two).

    Raises: ValueError for any other kind, or a token that does not exist.

    >>> new_order("rotated", 3), new_order("swapped", 3, 0, 2)
    ((1, 2, 0), (2, 1, 0))
    """
    plain = list(range(n))
    if not (0 <= first < n and 0 <= second < n):
        raise ValueError(f"tokens to swap must be two of the {n}; got {first} and {second}: count from 0.")
    swapped = {first: second, second: first}
    orders = {
        "reversed": plain[::-1],
        "rotated": plain[1:] + plain[:1],
        "exchanged": [plain[min(2, n - 1)], *plain[1 : min(2, n - 1)], 0, *plain[3:]],
        "swapped": [swapped.get(i, i) for i in plain],
    }
    if kind not in orders:
        raise ValueError(f"kind must be one of {', '.join(orders)}; got {kind}: choose one of these.")
    return tuple(orders[kind])


def shuffle_tokens(
    example: Example, order: Sequence[int], *, positions: bool, base: float = 10000.0, root: bool = True
) -> ShuffleTrace:
    """Compute attention for an example's tokens in their order, and in another order, with or without positions.

    Without positions, the outputs are the same, in the new order. With positions, the outputs change,
    because each position keeps its encoding when the tokens move. In cross-attention, the tokens of the context keep
    their order and get no positions. `root` says whether embeddings are multiplied by √d_model.

    Shapes: order has the numbers 0 … n − 1 in any order.
    Raises: ValueError if a number of the order is missing or comes twice.
    Source: Prince 2023, Understanding Deep Learning, section 12.3.1; erratum 002-13.
    """
    places, n = list(order), len(example.x)
    if sorted(places) != list(range(n)):
        raise ValueError(f"order must name each of the {n} tokens once; got {places}: shuffle 0 to {n - 1}.")
    original, shuffled = (
        example.with_matrices({"x": _input_of_first_layer(x, positions, base, root)}).attention()
        for x in (example.x, example.x[places])
    )
    moved = original.output[places]
    return ShuffleTrace(
        order=tuple(places), original=original, shuffled=shuffled, moved=moved, difference=shuffled.output - moved
    )


def _input_of_first_layer(x: Array, positions: bool, base: float, root: bool) -> Array:
    trace = embed_positions(x, base, root=root)
    return trace.positioned if positions else trace.embedded


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveEffect:
    """How much a move of all positions changes cosines between encodings, and scores with two kinds of encoding."""

    likeness: float  # the change of the cosine between the encodings of two positions
    sinusoidal: float  # the change of a scaled score if sinusoidal encodings are added to the rows
    rotary: float  # the change of a scaled score if queries and keys are rotated by their positions


def moved_positions(example: Example, by: int, base: float = 10_000.0) -> MoveEffect:
    """Move all tokens of an example by `by` positions. Return the greatest changes of encodings and of scores.

    Raises: ValueError if the example has a context, which has positions of its own.
    """
    if example.context is not None:
        raise ValueError("all tokens must stand in one text; got an example with a context: give one without.")
    places = np.arange(len(example.tokens), dtype=float)
    both = (places, places + by)
    width = example.x.shape[-1]
    even = [sinusoidal_at(each, even_width(width), base) for each in both]
    encoded = [each[:, :width] for each in even]
    plain = example.attention()
    return MoveEffect(
        likeness=greatest_difference(*(cosine_similarities(each) for each in even)),
        sinusoidal=greatest_difference(*(_scores(example, each) for each in encoded)),
        rotary=greatest_difference(*(_rotate(plain.q, plain.k, each, base) for each in both)),
    )


def _scores(example: Example, encoding: Array) -> Array:
    return replace(example, x=frozen_copy(example.x + encoding), sentence="").attention().scaled


def _rotate(q: Array, k: Array, places: Array, base: float) -> Array:
    paired = q.shape[-1] // 2 * 2  # a last feature without a partner stays as it is
    q, k = (np.hstack([rope(m[:, :paired], places, base=base), m[:, paired:]]) if paired else m for m in (q, k))
    return q @ k.T / q.shape[-1] ** 0.5
