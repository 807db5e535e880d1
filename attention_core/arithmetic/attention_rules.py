"""How each cell of attention is computed, with one head and with several, and the explanation of a cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from attention_core.arithmetic.terms import (
    Cell,
    CellCalculations,
    Number,
    Operation,
    Rule,
    Rules,
    Term,
    block_of,
    cell_of,
    column_of,
    dot,
    evaluate,
    given_rules,
    greatest_of,
    product,
    rotated_cell,
    row_of,
    share_of,
    with_bias,
)
from attention_core.attention import AttentionTrace, SelfAttentionTrace, contributions
from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace
from attention_core.rotation import Places, PositionedHeadsTrace, PositionedTrace
from attention_core.softmax import SoftmaxTrace


def softmax_rules(t: SoftmaxTrace, scores_name: str = "scores") -> Rules:
    """Return how each cell of the matrices of a softmax is calculated, by the name of the matrix.

    `scores_name` is the name of the scores in these calculations, such as "scaled".
    """

    def line(index: tuple[int, ...], name: str, matrix: Array) -> list[Number]:
        along = [
            range(n) if t.axis is None or a == t.axis % t.scores.ndim else [index[a]]
            for a, n in enumerate(t.scores.shape)
        ]
        grid = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, t.scores.ndim)
        return [cell_of(name, matrix, *map(int, position)) for position in grid]

    def power(*index: int) -> Term:
        score, scores = cell_of(scores_name, t.scores, *index), line(index, scores_name, t.scores)
        greatest = greatest_of(scores)
        subtracted = float(np.broadcast_to(t.peak, t.scores.shape)[index]) == evaluate(greatest)
        shifted = Operation("difference", (score, greatest)) if subtracted else score
        return _power_of(t.base, _divided_by_temperature(shifted, t.temperature))

    def weight(*index: int) -> Term:
        total = Operation("sum", tuple(line(index, "powers", t.powers)))
        return share_of(cell_of("powers", t.powers, *index), total)

    def entropy(*index: int) -> Term:
        shares = [share for share in line(index, "weights", t.weights) if share.value != 0]
        surprises = [Operation("log", (Operation("quotient", (Number(1.0), share)),)) for share in shares]
        return Operation("sum", tuple(Operation("product", pair) for pair in zip(shares, surprises, strict=True)))

    return {
        **given_rules(**{scores_name: t.scores}),
        "powers": (t.powers, power),
        "weights": (t.weights, weight),
        "entropies": (t.entropies, entropy),
    }


def _divided_by_temperature(term: Term, temperature: float) -> Term:
    return term if temperature == 1 else Operation("quotient", (term, Number(temperature, "temperature")))


def _power_of(base: float, exponent: Term) -> Operation:
    return Operation("exp", (exponent,)) if base == math.e else Operation("power", (Number(base, "base"), exponent))


def attention_rules(t: SelfAttentionTrace) -> Rules:
    """Return how each cell of attention with one head is calculated.

    The result has a pair for the name of each matrix: the matrix, and a function that takes the index of a cell and
    returns the calculation of this cell.
    """
    return {
        **given_rules(x=t.x, context=t.context, w_q=t.w_q, w_k=t.w_k, w_v=t.w_v, b_q=t.b_q, b_k=t.b_k, b_v=t.b_v),
        **one_head_rules(t),
        **projection_rules(t, t.w_q, t.w_k, t.w_v, t.b_q, t.b_k, t.b_v),
    }


def one_head_rules(t: AttentionTrace) -> Rules:
    """Return how each cell of attention with one head is calculated. The queries, keys and values are given numbers.

    The result has a pair for the name of each matrix: the matrix, and a function that takes the index of a cell and
    returns the calculation of this cell.
    """

    def score(i: int, j: int) -> Term:
        return dot(row_of("q", t.q, i), row_of("k", t.k, j))

    def term(i: int, j: int, d: int) -> Term:
        return product(cell_of("weights", t.weights, i, j), cell_of("v", t.v, j, d))

    def output(i: int, j: int) -> Term:
        return dot(row_of("weights", t.weights, i), column_of("v", t.v, j))

    return {
        **given_rules(q=t.q, k=t.k, v=t.v),
        "scores": (t.scores, score),
        **weight_rules(t),
        "terms": (contributions(t), term),
        "output": (t.output, output),
    }


def projection_rules(t: SelfAttentionTrace | MultiHeadTrace, *w_and_b: Array | None) -> Rules:
    """Return how each cell of the queries, keys and values is calculated.

    The result has a pair for each of the names "q", "k" and "v": the matrix, and a function that takes the index of a
    cell and returns the calculation of this cell. `w_and_b` are the arrays w_q, w_k, w_v, b_q, b_k and b_v, in this
    order. A bias may be None.
    """
    w_q, w_k, w_v, b_q, b_k, b_v = w_and_b
    source = ("x" if t.context is t.x else "context", t.context)
    return {
        "q": (t.q, _rule_of_projection(("x", t.x), "w_q", w_q, "b_q", b_q)),
        "k": (t.k, _rule_of_projection(source, "w_k", w_k, "b_k", b_k)),
        "v": (t.v, _rule_of_projection(source, "w_v", w_v, "b_v", b_v)),
    }


def _rule_of_projection(x: tuple[str, Array], w_name: str, w: Any, b_name: str, b: Array | None) -> Callable[..., Term]:
    def rule(i: int, j: int) -> Term:
        return with_bias(dot(row_of(*x, i), column_of(w_name, w, j)), b_name, b, j)

    return rule


def weight_rules(t: AttentionTrace) -> Rules:
    """Return how the scaled scores, the masked scores and the weights are calculated, for one head or for several."""

    def scaled(*index: int) -> Term:
        score, d_k = cell_of("scores", t.scores, *index), t.q.shape[-1]
        if math.isclose(t.scale, d_k**-0.5):
            return Operation("quotient", (score, Operation("root", (Number(d_k, "d_k"),))))
        if math.isclose(t.scale, 1 / d_k):
            return Operation("quotient", (score, Number(d_k, "d_k")))
        return Operation("product", (score, Number(t.scale, "scale")))

    def masked(*index: int) -> Term:
        return _masked_score(cell_of("scaled", t.scaled, *index), t.mask, t.masked.shape, index)

    def weight(*index: int) -> Term:
        row = row_of("scaled" if t.mask is None else "masked", t.masked, *index[:-1])
        peak = greatest_of(row)
        powers = [Operation("exp", (Operation("difference", (number, peak)),)) for number in row]
        return share_of(powers[index[-1]], Operation("sum", tuple(powers)))

    return {"scaled": (t.scaled, scaled), "masked": (t.masked, masked), "weights": (t.weights, weight)}


def _masked_score(scaled: Number, mask: Any, shape: tuple[int, ...], index: tuple[int, ...]) -> Term:
    """Return the calculation of one masked score: the scaled score, −∞, or the scaled score plus a number of the mask.

    A boolean mask gives the scaled score or −∞. A mask of numbers gives the sum. `shape` is the shape of all scores,
    and `index` is the index of this score.
    """
    if mask is None:
        return scaled
    entry = np.broadcast_to(mask, shape)[index]
    if np.asarray(mask).dtype == bool:
        return scaled if entry else Number(-math.inf)
    return Operation("sum", (scaled, Number(float(entry), "mask", index)))


def head_rules(t: MultiHeadTrace) -> Rules:
    """Return how each cell of attention with several heads is calculated, from the projections to the output.

    The result has a pair for the name of each matrix: the matrix, and a function that takes the index of a cell and
    returns the calculation of this cell.
    """
    w, heads = t.projections, t.heads
    d_k, d_v, group = heads.q.shape[-1], heads.v.shape[-1], t.n_heads // t.n_kv_heads

    def score(h: int, i: int, j: int) -> Term:
        return dot(
            row_of("q", t.q, i, columns=block_of(h, d_k)), row_of("k", t.k, j, columns=block_of(h // group, d_k))
        )

    def head(h: int, i: int, j: int) -> Term:
        return dot(row_of("weights", heads.weights, h, i), column_of("v", t.v, h // group * d_v + j))

    def share(h: int, i: int, j: int) -> Term:
        return dot(row_of("heads", heads.output, h, i), column_of("w_o", w.w_o, j, rows=block_of(h, d_v)))

    def copied(i: int, j: int) -> Term:
        return cell_of("heads", heads.output, j // d_v, i, j % d_v)

    def mixed(i: int, j: int) -> Term:
        return with_bias(dot(row_of("concat", t.concat, i), column_of("w_o", w.w_o, j)), "b_o", w.b_o, j)

    return {
        **given_rules(x=t.x, context=t.context, w_q=w.w_q, w_k=w.w_k, w_v=w.w_v, w_o=w.w_o),
        **given_rules(b_q=w.b_q, b_k=w.b_k, b_v=w.b_v, b_o=w.b_o),
        **projection_rules(t, w.w_q, w.w_k, w.w_v, w.b_q, w.b_k, w.b_v),
        "scores": (heads.scores, score),
        **weight_rules(heads),
        "heads": (heads.output, head),
        "concat": (t.concat, copied),
        "shares": (t.shares, share),
        "output": (t.output, mixed),
    }


def positioned_rules(t: PositionedTrace | PositionedHeadsTrace) -> Rules:
    """Return how each cell of attention is calculated if positions change the scores (RoPE or ALiBi).

    The trace may have one head or several. The matrices "q_turned" and "k_turned" are the rotated queries and keys.
    """
    plain = head_rules(t) if isinstance(t, MultiHeadTrace) else attention_rules(t)
    inner = t.heads if isinstance(t, MultiHeadTrace) else t
    return {
        **plain,
        **(_rules_of_penalty(inner, t.places) if t.places.kind == "alibi" else _rules_of_rotation(t, inner)),
    }


def _rules_of_rotation(t: PositionedTrace | PositionedHeadsTrace, inner: AttentionTrace) -> Rules:
    """Return how the rotated queries, the rotated keys and the scores are calculated.

    `inner` is the attention of the heads in `t`, or `t` itself if `t` has only one head.
    """
    places, d_k = t.places, inner.q.shape[-1]
    q_turned, k_turned = places.rotate(inner.q, inner.k)
    at = {"q": places.queries, "k": places.keys}
    group = t.n_heads // t.n_kv_heads if isinstance(t, MultiHeadTrace) else 1

    def cell(name: str, *index: int) -> Term:
        *head, row, column = index
        block = block_of(head[0] // (group if name == "k" else 1), d_k) if head else None
        numbers = row_of(name, getattr(t, name), row, columns=block)
        return rotated_cell(numbers, column, int(at[name][row]), places.base, interleaved=places.kind == "rotary_pairs")

    def score(*index: int) -> Term:
        *head, i, j = index
        return dot(row_of("q_turned", q_turned, *head, i), row_of("k_turned", k_turned, *head, j))

    return {
        "q_turned": (q_turned, partial(cell, "q")),
        "k_turned": (k_turned, partial(cell, "k")),
        "scores": (inner.scores, score),
    }


def _rules_of_penalty(inner: AttentionTrace, places: Places) -> Rules:
    """Return how ALiBi's masked scores and the weights are calculated. `places` has the positions and the slopes.

    A masked score is the scaled score minus slope · distance, or −∞. The weights are the softmax of the masked scores.
    """

    def masked(*index: int) -> Term:
        *head, i, j = index
        if np.isneginf(inner.masked[index]):
            return Number(-math.inf)
        slope = Number(float(places.slopes[head[0] if head else places.head]), "m")
        distance = Number(abs(int(places.queries[i]) - int(places.keys[j])), "distance")
        return Operation(
            "difference", (cell_of("scaled", inner.scaled, *index), Operation("product", (slope, distance)))
        )

    of_weights = weight_rules(replace(inner, mask=inner.masked))["weights"]  # softmax of the lowered scores
    return {"masked": (inner.masked, masked), "weights": of_weights}


ExplainedTrace = SelfAttentionTrace | MultiHeadTrace | SoftmaxTrace | CellCalculations


def rule_of(trace: ExplainedTrace, name: str) -> Rule:
    """Return a pair: the matrix with this name, and a function from the index of a cell to its calculation.

    If the trace has no such matrix, the ValueError says which matrices the trace has.
    """
    rules = rules_of(trace)
    if name not in rules:
        raise ValueError(f"a cell's matrix must be one of {', '.join(rules)}; got {name}: choose one of these.")
    return rules[name]


def rules_of(trace: ExplainedTrace) -> Rules:
    """Return all matrices of a trace by name, each with a function from the index of a cell to its calculation.

    >>> from attention_core.softmax import softmax_steps
    >>> sorted(rules_of(softmax_steps([[0.0, 0.0]])))
    ['entropies', 'powers', 'scores', 'weights']
    """
    if isinstance(trace, CellCalculations):
        return trace.rules
    if isinstance(trace, SoftmaxTrace):
        return softmax_rules(trace)
    if isinstance(trace, PositionedTrace | PositionedHeadsTrace):
        return positioned_rules(trace)
    return head_rules(trace) if isinstance(trace, MultiHeadTrace) else attention_rules(trace)


def explain(trace: ExplainedTrace, name: str, index: tuple[int, ...]) -> Cell:
    """Return the calculation of one cell of a matrix of a trace.

    The names of matrices are the fields of the trace. In a multi-head trace, `scores`, `scaled`, `masked`, `weights`
    and `heads` (the output of each head) have the indices head, row, column.

    Raises: ValueError if the trace has no such matrix or the matrix no such cell.

    >>> from attention_core.arithmetic.terms import evaluate
    >>> from attention_core.softmax import softmax_steps
    >>> cell = explain(softmax_steps([[0.0, 0.0]]), "weights", (0, 1))
    >>> cell.term.symbol, evaluate(cell.term)
    ('quotient', 0.5)
    """
    matrix, rule = rule_of(trace, name)
    if len(index) != matrix.ndim or not all(0 <= i < n for i, n in zip(index, matrix.shape, strict=True)):
        raise ValueError(f"a cell of {name} must lie within {matrix.shape}; got {index}: count from 0.")
    return Cell(name, index, float(matrix[index]), rule(*index))


def explain_all(trace: ExplainedTrace, name: str) -> Iterator[Cell]:
    """Return the calculation of every cell of a matrix of a trace, row by row.

    Raises: ValueError if the trace has no such matrix.

    >>> from attention_core.softmax import softmax_steps
    >>> [cell.index for cell in explain_all(softmax_steps([[0.0, 0.0]]), "weights")]
    [(0, 0), (0, 1)]
    """
    matrix, rule = rule_of(trace, name)
    return (Cell(name, index, float(matrix[index]), rule(*index)) for index in np.ndindex(matrix.shape))


def shape_of(trace: ExplainedTrace, name: str) -> tuple[int, ...]:
    """Return the shape of a matrix of a trace, or () if the trace has no matrix with this name.

    >>> from attention_core.softmax import softmax_steps
    >>> trace = softmax_steps([[0.0, 0.0, 0.0]])
    >>> shape_of(trace, "weights"), shape_of(trace, "nothing")
    ((1, 3), ())
    """
    rules = rules_of(trace)
    return rules[name][0].shape if name in rules else ()


def explain_sinusoidal(position: int, column: int, d_model: int, base: float = 10000.0) -> Cell:
    """Return the calculation of one cell of the sinusoidal encoding: sine or cosine of position / base^(2i/d_model).

    >>> from attention_core.arithmetic.terms import evaluate
    >>> evaluate(explain_sinusoidal(0, 1, d_model=4).term)
    1.0
    """
    exponent = Operation("quotient", (Number(column - column % 2, "2i"), Number(d_model, "d_model")))
    angle = Operation("quotient", (Number(position, "pos"), Operation("power", (Number(base, "base"), exponent))))
    term = Operation("cos" if column % 2 else "sin", (angle,))
    return Cell("sinusoidal", (position, column), evaluate(term), term)
