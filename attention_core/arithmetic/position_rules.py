"""How each cell of positions is computed, and of averages over them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.arithmetic.attention_rules import attention_rules
from attention_core.arithmetic.formulas import (
    Calculated,
    Choice,
    Fixed,
    Formula,
    Grid,
    Index,
    Known,
    Pattern,
    angle_of,
    apply,
    given_rules,
    letters,
    rotated,
    softmax_of,
    total,
    wave_at,
)
from attention_core.arithmetic.terms import CellCalculations
from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.experiments.positions import EmbeddingTrace, ShuffleTrace, cosine_similarities
from attention_core.positions import even_width, sinusoidal, wavelengths
from attention_core.rotation import PositionTrace, RopeTrace, ShiftTrace


def encoding_rules(n_positions: int, d_model: int, base: float = 10000.0) -> CellCalculations:
    """Return how each cell of the encoding, and the wavelength of each pair of columns, is calculated.

    Raises: ValueError if d_model is odd, n_positions is not at least 1, or the base is not positive.

    >>> sorted(encoding_rules(3, 4).rules)
    ['sinusoidal', 'wavelengths']
    """
    i, j = letters("i j")
    pair = Known(2 * np.arange(d_model), (j,), "2i")
    divisor = angle_of(Fixed(1.0), pair, Fixed(d_model, "d_model"), base).of[1]
    lengths = Formula((i, j), Fixed(2 * math.pi, "2π") * divisor)
    table = sinusoidal(n_positions, d_model, base)
    return CellCalculations({
        "sinusoidal": (table, encoding_formula(np.arange(n_positions), d_model, base)),
        "wavelengths": (wavelengths(d_model, base)[None], lengths),
    })  # fmt: skip


def similarity_rules(n_positions: int, d_model: int, base: float = 10000.0) -> CellCalculations:
    """Return how the encoding of positions and the similarity of every two positions are calculated.

    Raises: ValueError if d_model is odd, n_positions is not at least 1, or the base is not positive.
    """
    i, j, n = letters("i j n")
    values = sinusoidal(n_positions, d_model, base)
    table = Grid("sinusoidal", values)
    # The squares of a sine and its cosine add up to 1, so every row has the length √(d_model / 2).
    half = Fixed(d_model, "d_model") / Fixed(2.0)
    similarity = total(n, d_model, table[i, n] * table[j, n]) / half
    return CellCalculations({
        "sinusoidal": (values, encoding_formula(np.arange(n_positions), d_model, base)),
        "similarity": (cosine_similarities(values), Formula((i, j), similarity)),
    })  # fmt: skip


def shift_rules(t: ShiftTrace) -> CellCalculations:
    """Return how three matrices are calculated: "before", "rotation" and "after".

    "before" is a pair of columns of the encoding, at one position. "after" is the same pair after a shift to another
    position. It is the product of "before" and "rotation".
    """
    i, j, n = letters("i j n")
    turn = angle_of(Fixed(t.shift, "shift"), Fixed(2 * t.pair, "2i"), Fixed(t.d_model, "d_model"), t.base)
    cosine, sine = apply("cos", turn), apply("sin", turn)
    beside = Choice(np.array([False, True]), (i,), (sine, Fixed(-1.0) * sine))
    after = total(n, 2, Grid("before", t.before)[i, n] * Grid("rotation", t.rotation)[n, j])
    before = _wave(Fixed(t.position, "pos"), j + 2 * t.pair, t.d_model, t.base)
    return CellCalculations({
        "before": (t.before, Formula((i, j), before)),
        "rotation": (t.rotation, Formula((i, j), Choice(np.eye(2) == 1, (i, j), (cosine, beside)))),
        "after": (t.after, Formula((i, j), after)),
    })  # fmt: skip


def embedding_rules(t: EmbeddingTrace, tokens: str = "x") -> CellCalculations:
    """Return how the matrices before the first layer are calculated: embeddings, encoding, and their sum.

    `tokens` is the name of the rows of the tokens.
    """
    i, j = letters("i j")
    d_model = t.x.shape[-1]
    x = Grid(tokens, t.x)[i, j]
    embedded = x if t.factor == 1 else x * apply("root", Fixed(d_model, "d_model"))
    own = x if t.factor == 1 else Grid("embedded", t.embedded)[i, j]
    return CellCalculations({
        **given_rules(**{tokens: t.x}),
        "embedded": (t.embedded, Formula((i, j), embedded)),
        "sinusoidal": (t.encoding, encoding_formula(np.arange(len(t.x)), d_model, t.base)),
        "positioned": (t.positioned, Formula((i, j), own + Grid("sinusoidal", t.encoding)[i, j])),
    })  # fmt: skip


def shuffle_rules(t: ShuffleTrace) -> CellCalculations:
    """Return how three matrices are calculated: "shuffled", "moved" and "difference".

    "shuffled" is the output of attention for the shuffled tokens. "moved" has the rows of the original output in the
    order of the shuffled tokens. "difference" is shuffled minus moved.
    """
    i, j = letters("i j")
    right, shuffled = t.original.output, t.shuffled.output
    difference = Grid("shuffled", shuffled)[i, j] - Grid("moved", t.moved)[i, j]
    return CellCalculations({
        "shuffled": (shuffled, attention_rules(t.shuffled)["output"][1]),
        "moved": (t.moved, Formula((i, j), Grid("output", right)[i.among(t.order), j])),
        "difference": (t.difference, Formula((i, j), difference)),
    })  # fmt: skip


def outcome_rules(t: ShuffleTrace, name: str, embedding: EmbeddingTrace, *, positions: bool) -> CellCalculations:
    """Return how "shuffled" or "moved" (the `name`) is calculated, and all matrices from the "tokens" on.

    The matrix "x" is the input of attention: the embeddings in their order or in the new order, plus the encoding if
    there are `positions`.
    """
    i, j = letters("i j")
    trace, order = (t.shuffled, t.order) if name == "shuffled" else (t.original, tuple(range(len(t.order))))
    row = Grid("embedded", embedding.embedded)[i.among(order), j]
    x = Formula((i, j), row + Grid("sinusoidal", embedding.encoding)[i, j] if positions else row)
    return CellCalculations({
        **embedding_rules(embedding, "tokens").rules, **attention_rules(trace),
        "x": (trace.x, x), name: shuffle_rules(t).rules[name],
    })  # fmt: skip


def rope_rules(t: RopeTrace, query_row: int = 0, key_row: int = 0) -> CellCalculations:
    """Return how the rotated queries, the rotated keys and their scores are calculated.

    One query and one key are rotated at every position. The query is row `query_row` of the queries. The key is row
    `key_row` of the keys.
    """
    i, j, n = letters("i j n")

    def turned(name: str, row: int, x: Array) -> Formula:
        own = Grid(name, np.broadcast_to(x, (row + 1, len(x))))
        position = Known(np.arange(len(t.q_turned)), (i,), "pos")
        return Formula((i, j), rotated(lambda at: own[row, at], len(x), position, j, t.base, halves=not t.interleaved))

    products = Grid("q_turned", t.q_turned)[i, n] * Grid("k_turned", t.k_turned)[j, n]
    return CellCalculations({
        "q_turned": (t.q_turned, turned("q", query_row, t.q)),
        "k_turned": (t.k_turned, turned("k", key_row, t.k)),
        "scores_turned": (t.scores, Formula((i, j), total(n, len(t.q), products))),
    })  # fmt: skip


def alibi_rules(slopes: Array, bias: Array, head: int) -> CellCalculations:
    """Return how the slopes of ALiBi, and the penalties of one head, are calculated. `head` counts from 0.

    Shapes: slopes (n_heads,), bias (n_heads, n_q, n_k).
    """
    i, j = letters("i j")
    n_queries, n_keys = map(int, bias.shape[-2:])
    distance = Known(np.abs(np.arange(n_queries)[:, None] - np.arange(n_keys)), (i, j), "distance")
    penalty = Calculated("product", (Fixed(-1.0), Grid("slopes", slopes)[head], distance))
    slope = Fixed(2.0) ** Known(np.log2(slopes), (j,))
    return CellCalculations({
        "slopes": (slopes[None], Formula((i, j), slope)), "bias": (bias[head], Formula((i, j), penalty)),
    })  # fmt: skip


def encoding_formula(positions: NDArray[Any], d_model: int, base: float) -> Formula:
    """Return the formula of the encoding of these positions."""
    i, j = letters("i j")
    return Formula((i, j), _wave(Known(positions, (i,), "pos"), j, d_model, base))


def _wave(position: Pattern, column: Index, d_model: int, base: float) -> Pattern:
    even = even_width(d_model)
    return wave_at(position, column, Fixed(even, "d_model" if even == d_model else None), d_model, base)


def position_step_rules(t: PositionTrace) -> CellCalculations:
    """Return how each cell of the encoding is calculated, and each cell of the sum of encoding and embeddings.

    If the trace has no embeddings, there is no sum.
    """
    i, j = letters("i j")
    waves = encoding_formula(t.positions, t.d_model, t.base)
    if t.x is None or t.positioned is None:
        return CellCalculations({"sinusoidal": (t.encoding, waves)})
    embedded = Grid("x", t.x)[i, j] * apply("root", Fixed(t.d_model, "d_model"))
    positioned = Formula((i, j), embedded + waves.pattern)
    return CellCalculations({"sinusoidal": (t.encoding, waves), "positioned": (t.positioned, positioned)})


def numbering_rules(traces: Mapping[str, SelfAttentionTrace], token: int) -> CellCalculations:
    """Return how the scaled scores and the weights of the token `token` are calculated, for several encodings.

    `traces` has the attention with each encoding of positions, by the name of the encoding. The matrices
    "numbered_scores" and "numbered" (the weights) have one row for each encoding.
    """
    i, j, n = letters("i j n")
    ways = list(traces.values())
    scores, weights = (np.stack([getattr(trace, name)[token] for trace in ways]) for name in ("scaled", "weights"))
    queries, keys = np.stack([trace.q[token] for trace in ways]), np.stack([trace.k for trace in ways])
    products = total(n, queries.shape[-1], Known(queries, (i, n)) * Known(keys, (i, j, n)))
    score = products / Known(np.array([1 / trace.scale for trace in ways]), (i,))
    row = Grid("numbered_scores", scores)
    shares = softmax_of(lambda at: row[i, at], scores.shape[-1], j)
    return CellCalculations({
        "numbered_scores": (scores, Formula((i, j), score)), "numbered": (weights, Formula((i, j), shares)),
    })  # fmt: skip


def average_rules(name: str, values: Array) -> CellCalculations:
    """Return how two matrices are calculated, "averages" and "counts". Both have a row for each column of `values`.

    "averages" has the mean and the standard error of the column. "counts" has how many of its numbers are below 0.
    `name` is the name of `values` in the calculations.

    Shapes: values (n, columns) → averages (columns, 2), counts (columns, 1).
    """
    i, j, n = letters("i j n")
    many, column, averages = len(values), Grid(name, values)[n, i], averages_of(values)
    mean = total(n, many, column) / Fixed(float(many))
    squares = total(n, many, (column - Grid("averages", averages)[i, 0]) ** Fixed(2.0))
    error = apply("root", squares / Fixed(many - 1.0)) / apply("root", Fixed(float(many)))
    average = Choice(np.array([True, False]), (j,), (mean, error))
    count = total(n, many, Known((values < 0).astype(float), (n, i)))
    return CellCalculations({
        **given_rules(**{name: values}),
        "averages": (averages, Formula((i, j), average)),
        "counts": (counts_of(values), Formula((i, j), count)),
    })  # fmt: skip


def averages_of(values: Array) -> Array:
    """Return the mean of each column and its standard error, one row for each column: (n, columns) → (columns, 2).

    >>> averages_of(np.array([[1.0], [3.0]]))
    array([[2., 1.]])
    """
    return np.stack([values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))], axis=1)


def counts_of(values: Array) -> Array:
    """Return how many numbers of each column are below 0, one row for each column: (n, columns) → (columns, 1).

    >>> counts_of(np.array([[-1.0, 2.0], [-3.0, 4.0]]))
    array([[2.],
           [0.]])
    """
    return (values < 0).sum(axis=0)[:, None].astype(float)
