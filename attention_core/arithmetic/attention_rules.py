"""How each cell of attention is computed, with one head and with several, and the explanation of a cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from attention_core.arithmetic.formulas import (
    Calculated,
    Choice,
    Each,
    Fixed,
    Formula,
    Greatest,
    Grid,
    Index,
    Known,
    Pattern,
    Share,
    UnlessNeutral,
    apply,
    given_rules,
    letters,
    place_letters,
    rotated,
    softmax_of,
    total,
)
from attention_core.arithmetic.terms import Cell, CellCalculations, Rule, Rules
from attention_core.attention import AttentionTrace, SelfAttentionTrace, contributions
from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace
from attention_core.projection import scales
from attention_core.rotation import Places, PositionedHeadsTrace, PositionedTrace
from attention_core.softmax import SoftmaxTrace, softmax


def softmax_rules(
    t: SoftmaxTrace,
    scores_name: str = "scores",
    *,
    given: Array | None = None,
    constant: float | None = None,
    subtracts: bool | None = None,
) -> Rules:
    """Return how each cell of the matrices of a softmax is calculated, by the name of the matrix.

    `scores_name` is the name of the scores in these calculations, such as "scaled". If a `constant` was added to the
    scores before the softmax, `given` are the scores without it. `subtracts` says whether the greatest score was
    subtracted; without it, the numbers tell.
    """
    place = place_letters(t.scores.ndim)
    given = t.scores if given is None else given
    scores, powers, weights = Grid(scores_name, given), Grid("powers", t.powers), Grid("weights", t.weights)
    along = [axis for axis in range(t.scores.ndim) if t.axis is None or axis == t.axis % t.scores.ndim]

    def line(of: Callable[[tuple[Index, ...]], Pattern], prefix: str, present: Grid | None = None) -> Each:
        inner = {axis: Index(f"{prefix}{axis}") for axis in along}
        there = tuple(inner.get(axis, letter) for axis, letter in enumerate(place))
        found: Pattern = of(there)
        for axis in reversed(along):
            own = present[there] if present and axis == along[-1] else None
            found = Each(inner[axis], t.scores.shape[axis], found, own)
        return cast(Each, found)

    def raised(score: Pattern) -> Pattern:
        return score if constant is None else UnlessNeutral("sum", (score, Fixed(constant, "constant")))

    greatest = Greatest((line(lambda there: scores[there], "m"),))
    if subtracts is None:
        subtracts = bool((t.peak == _greatest_of(t)).all())
    shifted = raised(scores[place]) - raised(greatest) if subtracts else raised(scores[place])
    cooled = UnlessNeutral("quotient", (shifted, Fixed(t.temperature, "temperature")))
    summed = Calculated("sum", (line(lambda there: powers[there], "k"),))

    def surprise(there: tuple[Index, ...]) -> Pattern:
        return weights[there] * apply("log", Fixed(1.0) / weights[there])

    entropies = Calculated("sum", (line(surprise, "k", present=weights),))
    return {
        **given_rules(**{scores_name: given}),
        "powers": (t.powers, Formula(place, _power_of(t.base, cooled))),
        "weights": (t.weights, Formula(place, Share((powers[place], summed)))),
        "entropies": (t.entropies, Formula(place, entropies)),
    }


def _greatest_of(t: SoftmaxTrace) -> Array:
    greatest = np.asarray(t.scores.max(axis=t.axis, keepdims=True), dtype=float)
    return np.where(greatest == -np.inf, 0.0, greatest)


def _power_of(base: float, exponent: Pattern) -> Pattern:
    return apply("exp", exponent) if base == math.e else Fixed(base, "base") ** exponent


def attention_rules(t: SelfAttentionTrace) -> Rules:
    """Return how each cell of attention with one head is calculated.

    The result has a pair for the name of each matrix: the matrix, and its formula.
    """
    return {
        **given_rules(x=t.x, context=t.context, w_q=t.w_q, w_k=t.w_k, w_v=t.w_v, b_q=t.b_q, b_k=t.b_k, b_v=t.b_v),
        **one_head_rules(t),
        **projection_rules(t, t.w_q, t.w_k, t.w_v, t.b_q, t.b_k, t.b_v),
    }


def one_head_rules(t: AttentionTrace) -> Rules:
    """Return how each cell of attention with one head is calculated. The queries, keys and values are given numbers.

    The result has a pair for the name of each matrix: the matrix, and its formula.
    """
    i, j, d, n = letters("i j d n")
    queries, keys, values, weights = (Grid(name, getattr(t, name)) for name in ("q", "k", "v", "weights"))
    return {
        **given_rules(q=t.q, k=t.k, v=t.v),
        "scores": (t.scores, Formula((i, j), total(n, t.q.shape[-1], queries[i, n] * keys[j, n]))),
        **weight_rules(t),
        "terms": (contributions(t), Formula((i, j, d), weights[i, j] * values[j, d])),
        "output": (t.output, Formula((i, j), total(n, len(t.v), weights[i, n] * values[n, j]))),
    }


def projection_rules(t: SelfAttentionTrace | MultiHeadTrace, *w_and_b: Array | None) -> Rules:
    """Return how each cell of the queries, keys and values is calculated.

    The result has a pair for each of the names "q", "k" and "v": the matrix, and its formula. `w_and_b` are the arrays
    w_q, w_k, w_v, b_q, b_k and b_v, in this order. A bias may be None.
    """
    w_q, w_k, w_v, b_q, b_k, b_v = w_and_b
    x, source = Grid("x", t.x), Grid("x" if t.context is t.x else "context", t.context)
    return {
        "q": (t.q, product_with(x, "w_q", w_q, "b_q", b_q)),
        "k": (t.k, product_with(source, "w_k", w_k, "b_k", b_k)),
        "v": (t.v, product_with(source, "w_v", w_v, "b_v", b_v)),
    }


def product_with(x: Grid, name: str, w: Array | None, name_of_bias: str = "", bias: Array | None = None) -> Formula:
    """Return the formula of x · w, or of x · w + bias. `name` and `name_of_bias` are the names of w and of the bias."""
    i, j, n = letters("i j n")
    products = total(n, x.values.shape[-1], x[i, n] * Grid(name, np.asarray(w))[n, j])
    return Formula((i, j), products if bias is None else products + Grid(name_of_bias, bias)[j])


def weight_rules(t: AttentionTrace) -> Rules:
    """Return how the scaled scores, the masked scores and the weights are calculated, for one head or for several."""
    place = place_letters(t.scores.ndim)
    scaled, row = Grid("scaled", t.scaled), Grid("scaled" if t.mask is None else "masked", t.masked)
    lowered: Pattern = scaled[place]
    if t.mask is not None:
        mask = np.broadcast_to(np.asarray(t.mask), t.masked.shape)
        added = scaled[place] + Known(mask, place, "mask", shown=True)
        lowered = Choice(mask, place, (scaled[place], Fixed(-math.inf))) if mask.dtype == bool else added
    weights = softmax_of(lambda at: row[(*place[:-1], at)], t.scores.shape[-1], place[-1])
    return {
        "scaled": (t.scaled, Formula(place, scaled_by(t.scale, t.q.shape[-1], Grid("scores", t.scores)[place]))),
        "masked": (t.masked, Formula(place, lowered)),
        "weights": (t.weights, Formula(place, weights)),
    }


def random_score_rules(by_width: Array, widths: Sequence[int], place: int) -> dict[str, CellCalculations]:
    """Return how the weights of one row of random scores are calculated with each divisor, by the divisor's name.

    `by_width` has a row of scores for each of the `widths`. The slider "width" chooses one row: now that at `place`.
    The divisors are "one", "root" and "dk", as in `scales`.
    """
    i, j = letters("i j")
    at = Index.set_by("width", place)
    drawn, d_k = Grid("drawn", by_width[[place]]), Known(np.array(widths, dtype=float), (at,), "d_k")
    rules = {
        **given_rules(drawn_by_width=by_width),
        "drawn": (drawn.values, Formula((i, j), Grid("drawn_by_width", by_width)[at, j])),
    }
    divisors: dict[str, Pattern | None] = {"one": None, "root": apply("root", d_k), "dk": d_k}
    return {
        name: CellCalculations({**rules, **_divided_row_rules(drawn, divisors[name], scale)})
        for name, scale in scales(widths[place]).items()
    }


def _divided_row_rules(drawn: Grid, divisor: Pattern | None, scale: float) -> Rules:
    """Return how a row of scores times `scale` is calculated, which is a division by `divisor`, and its weights."""
    i, j = letters("i j")
    scaled = Grid("scaled", drawn.values * scale) if divisor else drawn
    own = {"scaled": (scaled.values, Formula((i, j), drawn[i, j] / divisor))} if divisor else {}
    weights = softmax_of(lambda at: scaled[0, at], scaled.values.shape[-1], j)
    return {**own, "weights": (softmax(scaled.values), Formula((i, j), weights))}


def scaled_by(scale: float, d_k: int, score: Pattern) -> Pattern:
    """Return a score times the scale. A scale of 1/√d_k or 1/d_k is written as a division."""
    if math.isclose(scale, d_k**-0.5):
        return score / apply("root", Fixed(d_k, "d_k"))
    return score / Fixed(d_k, "d_k") if math.isclose(scale, 1 / d_k) else score * Fixed(scale, "scale")


def head_rules(t: MultiHeadTrace) -> Rules:
    """Return how each cell of attention with several heads is calculated, from the projections to the output.

    The result has a pair for the name of each matrix: the matrix, and its formula.
    """
    w, heads = t.projections, t.heads
    d_k, d_v, group = heads.q.shape[-1], heads.v.shape[-1], t.n_heads // t.n_kv_heads
    h, i, j, n = letters("h i j n")
    queries, keys, values = Grid("q", t.q), Grid("k", t.k), Grid("v", t.v)
    weights, each, w_o = Grid("weights", heads.weights), Grid("heads", heads.output), Grid("w_o", w.w_o)
    score = total(n, d_k, queries[i, h * d_k + n] * keys[j, h // group * d_k + n])
    head = total(n, heads.weights.shape[-1], weights[h, i, n] * values[n, h // group * d_v + j])
    share = total(n, d_v, each[h, i, n] * w_o[h * d_v + n, j])
    return {
        **given_rules(x=t.x, context=t.context, w_q=w.w_q, w_k=w.w_k, w_v=w.w_v, w_o=w.w_o),
        **given_rules(b_q=w.b_q, b_k=w.b_k, b_v=w.b_v, b_o=w.b_o),
        **projection_rules(t, w.w_q, w.w_k, w.w_v, w.b_q, w.b_k, w.b_v),
        "scores": (heads.scores, Formula((h, i, j), score)),
        **weight_rules(heads),
        "heads": (heads.output, Formula((h, i, j), head)),
        "concat": (t.concat, Formula((i, j), each[j // d_v, i, j % d_v])),
        "shares": (t.shares, Formula((h, i, j), share)),
        "output": (t.output, product_with(Grid("concat", t.concat), "w_o", w.w_o, "b_o", w.b_o)),
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
    group = t.n_heads // t.n_kv_heads if isinstance(t, MultiHeadTrace) else 1
    *head, i, j = place = place_letters(inner.scores.ndim)
    n = Index("n")

    def turned(name: str, positions: NDArray[np.int_], group: int) -> Formula:
        first = head[0] // group * d_k if head else 0
        own = Grid(name, getattr(t, name))
        position = Known(positions, (i,), "pos")
        halves = places.kind != "rotary_pairs"
        return Formula(place, rotated(lambda at: own[i, at + first], d_k, position, j, places.base, halves=halves))

    products = Grid("q_turned", q_turned)[(*head, i, n)] * Grid("k_turned", k_turned)[(*head, j, n)]
    return {
        "q_turned": (q_turned, turned("q", places.queries, 1)),
        "k_turned": (k_turned, turned("k", places.keys, group)),
        "scores": (inner.scores, Formula(place, total(n, d_k, products))),
    }


def _rules_of_penalty(inner: AttentionTrace, places: Places) -> Rules:
    """Return how ALiBi's masked scores and the weights are calculated. `places` has the positions and the slopes.

    A masked score is the scaled score minus slope · distance, or −∞. The weights are the softmax of the masked scores.
    """
    *head, i, j = place = place_letters(inner.masked.ndim)
    slope = Known(places.slopes, (head[0] if head else places.head,), "m")
    distance = Known(np.abs(np.subtract.outer(places.queries, places.keys)), (i, j), "distance")
    lowered = Grid("scaled", inner.scaled)[place] - slope * distance
    masked = Choice(~np.isneginf(inner.masked), place, (lowered, Fixed(-math.inf)))
    of_weights = weight_rules(replace(inner, mask=inner.masked))["weights"]  # softmax of the lowered scores
    return {"masked": (inner.masked, Formula(place, masked)), "weights": of_weights}


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
