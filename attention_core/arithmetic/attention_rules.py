"""Calculations in one head of attention: how each cell is computed, from the projections to the output."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from attention_core.arithmetic.building import (
    cell_of,
    column_of,
    dot,
    given_rules,
    greatest_of,
    product,
    row_of,
    share_of,
    with_bias,
)
from attention_core.arithmetic.terms import Number, Operation, Term
from attention_core.arithmetic.worked import Rules
from attention_core.attention import AttentionTrace, SelfAttentionTrace, contributions
from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace


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
    """Return a function that takes a row and a column, and returns the calculation of this cell of x w + b.

    `x` is a pair: the name and the matrix of the tokens. `w_name` and `b_name` are the names of `w` and `b`. If `b` is
    None, no bias is added.
    """

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
