"""How each cell of positions is computed, and of averages over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from attention_core.arithmetic.attention_rules import explain
from attention_core.arithmetic.terms import (
    CellCalculations,
    Number,
    Operation,
    Term,
    angle_of,
    cell_of,
    column_of,
    dot,
    given_rules,
    greatest_of,
    rotated_cell,
    row_of,
    share_of,
)
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

    def wavelength(_: int, pair: int) -> Term:
        divisor = angle_of(Number(1.0), 2 * pair, Number(d_model, "d_model"), base).terms[1]
        return Operation("product", (Number(2 * math.pi, "2π"), divisor))

    return CellCalculations(
        {
            "sinusoidal": (sinusoidal(n_positions, d_model, base), encoding_rule(d_model, base)),
            "wavelengths": (wavelengths(d_model, base)[None], wavelength),
        }
    )


def similarity_rules(n_positions: int, d_model: int, base: float = 10000.0) -> CellCalculations:
    """Return how the encoding of positions and the similarity of every two positions are calculated.

    Raises: ValueError if d_model is odd, n_positions is not at least 1, or the base is not positive.
    """
    table = sinusoidal(n_positions, d_model, base)

    def similarity(i: int, j: int) -> Term:
        # The squares of a sine and its cosine add up to 1, so every row has the length √(d_model / 2).
        half = Operation("quotient", (Number(d_model, "d_model"), Number(2.0)))
        return Operation("quotient", (dot(row_of("sinusoidal", table, i), row_of("sinusoidal", table, j)), half))

    return CellCalculations(
        {
            "sinusoidal": (table, encoding_rule(d_model, base)),
            "similarity": (cosine_similarities(table), similarity),
        }
    )


def shift_rules(t: ShiftTrace) -> CellCalculations:
    """Return how three matrices are calculated: "before", "rotation" and "after".

    "before" is a pair of columns of the encoding, at one position. "after" is the same pair after a shift to another
    position. It is the product of "before" and "rotation".
    """

    def entry(i: int, j: int) -> Term:
        turn = angle_of(Number(t.shift, "shift"), 2 * t.pair, Number(t.d_model, "d_model"), t.base)
        if i == j:
            return Operation("cos", (turn,))
        sine = Operation("sin", (turn,))
        return sine if i else Operation("product", (Number(-1.0), sine))

    def after(i: int, j: int) -> Term:
        column = [Number(float(t.rotation[r, j]), "rotation", (r, j)) for r in range(2)]
        return dot(row_of("before", t.before, i), column)

    def before(_: int, j: int) -> Term:
        return encoding_rule(t.d_model, t.base)(t.position, 2 * t.pair + j)

    return CellCalculations({
        "before": (t.before, before), "rotation": (t.rotation, entry), "after": (t.after, after),
    })  # fmt: skip


def embedding_rules(t: EmbeddingTrace) -> CellCalculations:
    """Return how the matrices before the first layer are calculated: embeddings, encoding, and their sum."""
    d_model = t.x.shape[-1]

    def embedded(i: int, j: int) -> Term:
        x = cell_of("x", t.x, i, j)
        root = Operation("root", (Number(d_model, "d_model"),))
        return x if t.factor == 1 else Operation("product", (x, root))

    def positioned(i: int, j: int) -> Term:
        own = cell_of("x", t.x, i, j) if t.factor == 1 else cell_of("embedded", t.embedded, i, j)
        return Operation("sum", (own, cell_of("sinusoidal", t.encoding, i, j)))

    return CellCalculations(
        {
            "x": (t.x, partial(cell_of, "x", t.x)),
            "embedded": (t.embedded, embedded),
            "sinusoidal": (t.encoding, encoding_rule(d_model, t.base)),
            "positioned": (t.positioned, positioned),
        }
    )


def shuffle_rules(t: ShuffleTrace) -> CellCalculations:
    """Return how three matrices are calculated: "shuffled", "moved" and "difference".

    "shuffled" is the output of attention for the shuffled tokens. "moved" has the rows of the original output in the
    order of the shuffled tokens. "difference" is shuffled minus moved.
    """
    right, shuffled = t.original.output, t.shuffled.output

    def output(i: int, j: int) -> Term:
        return explain(t.shuffled, "output", (i, j)).term

    def moved(i: int, j: int) -> Term:
        return cell_of("output", right, t.order[i], j)

    def difference(i: int, j: int) -> Term:
        return Operation("difference", (cell_of("shuffled", shuffled, i, j), cell_of("moved", t.moved, i, j)))

    return CellCalculations(
        {
            "shuffled": (shuffled, output),
            "moved": (t.moved, moved),
            "difference": (t.difference, difference),
        }
    )


def rope_rules(t: RopeTrace, query_row: int = 0, key_row: int = 0) -> CellCalculations:
    """Return how the rotated queries, the rotated keys and their scores are calculated.

    One query and one key are rotated at every position. The query is row `query_row` of the queries. The key is row
    `key_row` of the keys.
    """

    def score(i: int, j: int) -> Term:
        return dot(row_of("q_turned", t.q_turned, i), row_of("k_turned", t.k_turned, j))

    return CellCalculations(
        {
            "q_turned": (t.q_turned, _rule_of_rotation("q", query_row, t.q, t)),
            "k_turned": (t.k_turned, _rule_of_rotation("k", key_row, t.k, t)),
            "scores_turned": (t.scores, score),
        }
    )


def alibi_rules(slopes: Array, bias: Array, head: int) -> CellCalculations:
    """Return how the slopes of ALiBi, and the penalties of one head, are calculated. `head` counts from 0.

    Shapes: slopes (n_heads,), bias (n_heads, n_q, n_k).
    """

    def penalty(i: int, j: int) -> Term:
        distance = Number(abs(i - j), "distance")
        return Operation("product", (Number(-1.0), Number(float(slopes[head]), "slopes", (head,)), distance))

    def slope(_: int, h: int) -> Term:
        return Operation("power", (Number(2.0), Number(math.log2(slopes[h]))))

    return CellCalculations({"slopes": (slopes[None], slope), "bias": (bias[head], penalty)})


# --- terms ---


def encoding_rule(d_model: int, base: float) -> Callable[..., Term]:
    """Return a function that takes a position and a column, and returns the calculation of this cell of an encoding."""
    even = even_width(d_model)
    width = Number(even, "d_model" if even == d_model else None)

    def rule(position: int, column: int) -> Term:
        angle = angle_of(Number(position, "pos"), column - column % 2, width, base)
        return Operation("cos" if column % 2 else "sin", (angle,))

    return rule


def _rule_of_rotation(name: str, token: int, x: Array, t: RopeTrace) -> Callable[..., Term]:
    """Return a function that takes a position and a column, and returns the calculation of a cell of a rotated row.

    `x` is the row before the rotation: row `token` of the matrix `name`. RoPE rotates this row by the position.
    """
    row = [Number(float(value), name, (token, column)) for column, value in enumerate(x)]

    def rule(position: int, column: int) -> Term:
        return rotated_cell(row, column, position, t.base, interleaved=t.interleaved)

    return rule


def position_step_rules(t: PositionTrace) -> CellCalculations:
    """Return how each cell of the encoding is calculated, and each cell of the sum of encoding and embeddings.

    If the trace has no embeddings, there is no sum.
    """
    rule = encoding_rule(t.d_model, t.base)

    def wave(i: int, j: int) -> Term:
        return rule(int(t.positions[i]), j)

    if t.x is None or t.positioned is None:
        return CellCalculations({"sinusoidal": (t.encoding, wave)})
    x = t.x

    def positioned(i: int, j: int) -> Term:
        root = Operation("root", (Number(t.d_model, "d_model"),))
        embedded = Operation("product", (Number(float(x[i, j]), "x", (i, j)), root))
        return Operation("sum", (embedded, wave(i, j)))

    return CellCalculations({"sinusoidal": (t.encoding, wave), "positioned": (t.positioned, positioned)})


def numbering_rules(traces: Mapping[str, SelfAttentionTrace], token: int) -> CellCalculations:
    """Return how the scaled scores and the weights of the token `token` are calculated, for several encodings.

    `traces` has the attention with each encoding of positions, by the name of the encoding. The matrices
    "numbered_scores" and "numbered" (the weights) have one row for each encoding.
    """
    ways = list(traces.values())
    scores = np.stack([trace.scaled[token] for trace in ways])

    def score(i: int, j: int) -> Term:
        q, k = ([Number(float(value)) for value in row] for row in (ways[i].q[token], ways[i].k[j]))
        return Operation("quotient", (dot(q, k), Number(1 / ways[i].scale)))

    def weight(i: int, j: int) -> Term:
        row = row_of("numbered_scores", scores, i)
        peak = greatest_of(row)
        powers = [Operation("exp", (Operation("difference", (number, peak)),)) for number in row]
        return share_of(powers[j], Operation("sum", tuple(powers)))

    weights = np.stack([trace.weights[token] for trace in ways])
    return CellCalculations({"numbered_scores": (scores, score), "numbered": (weights, weight)})


def average_rules(name: str, values: Array) -> CellCalculations:
    """Return how two matrices are calculated, "averages" and "counts". Both have a row for each column of `values`.

    "averages" has the mean and the standard error of the column. "counts" has how many of its numbers are below 0.
    `name` is the name of `values` in the calculations.

    Shapes: values (n, columns) → averages (columns, 2), counts (columns, 1).
    """
    n = Number(float(len(values)))

    def mean(way: int) -> Operation:
        return Operation("quotient", (Operation("sum", tuple(column_of(name, values, way))), n))

    def error(way: int) -> Operation:
        away = [Operation("difference", (each, average(way))) for each in column_of(name, values, way)]
        squares = Operation("sum", tuple(Operation("power", (each, Number(2.0))) for each in away))
        spread = Operation("root", (Operation("quotient", (squares, Number(len(values) - 1.0))),))
        return Operation("quotient", (spread, Operation("root", (n,))))

    def average(way: int) -> Number:
        return Number(float(averages[way, 0]), "averages", (way, 0))

    def cell(way: int, j: int) -> Term:
        return error(way) if j else mean(way)

    def count(way: int, _: int) -> Term:
        return Operation("sum", tuple(Number(float(value < 0)) for value in values[:, way]))

    averages = averages_of(values)
    return CellCalculations(
        {**given_rules(**{name: values}), "averages": (averages, cell), "counts": (counts_of(values), count)}
    )


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
