"""Rules: what gives each cell of each matrix in a trace, one rule a matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from attention_core.arithmetic.terms import Number, Operation, Term, evaluate
from attention_core.attention import AttentionTrace, SelfAttentionTrace, contributions
from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace
from attention_core.softmax import SoftmaxTrace

Rule = tuple[Array, Callable[..., Term]]  # the matrix, and what gives its cell
Rules = Mapping[str, Rule]


@dataclass(frozen=True, slots=True, eq=False)
class Worked:
    """Matrices that bring the calculation of their cells along."""

    rules: Rules


Trace = SelfAttentionTrace | MultiHeadTrace | SoftmaxTrace | Worked


def rule_of(trace: Trace, name: str) -> Rule:
    """Return the rule of one matrix; a ValueError says which matrices the trace has."""
    rules = rules_of(trace)
    if name not in rules:
        raise ValueError(f"a cell's matrix must be one of {', '.join(rules)}; got {name}: choose one of these.")
    return rules[name]


def rules_of(trace: Trace) -> Rules:
    """Return the rules of all matrices of a trace, by name."""
    if isinstance(trace, Worked):
        return trace.rules
    if isinstance(trace, SoftmaxTrace):
        return _softmax_rules(trace)
    return _head_rules(trace) if isinstance(trace, MultiHeadTrace) else _attention_rules(trace)


def _softmax_rules(t: SoftmaxTrace) -> Rules:
    def line(index: tuple[int, ...], name: str, matrix: Array) -> list[Number]:
        along = [
            range(n) if t.axis is None or a == t.axis % t.scores.ndim else [index[a]]
            for a, n in enumerate(t.scores.shape)
        ]
        grid = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, t.scores.ndim)
        return [_cell(name, matrix, *map(int, position)) for position in grid]

    def power(*index: int) -> Term:
        score, scores = _cell("scores", t.scores, *index), line(index, "scores", t.scores)
        greatest = _peak(scores)
        subtracted = float(np.broadcast_to(t.peak, t.scores.shape)[index]) == evaluate(greatest)
        shifted = Operation("difference", (score, greatest)) if subtracted else score
        return _power_of(t.base, _cooled(shifted, t.temperature))

    def weight(*index: int) -> Term:
        total = Operation("sum", tuple(line(index, "powers", t.powers)))
        return _share(_cell("powers", t.powers, *index), total)

    def entropy(*index: int) -> Term:
        shares = [share for share in line(index, "weights", t.weights) if share.value != 0]
        surprises = [Operation("log", (Operation("quotient", (Number(1.0), share)),)) for share in shares]
        return Operation("sum", tuple(Operation("product", pair) for pair in zip(shares, surprises, strict=True)))

    return {
        **_given(scores=t.scores),
        "powers": (t.powers, power),
        "weights": (t.weights, weight),
        "entropies": (t.entropies, entropy),
    }


def _cooled(term: Term, temperature: float) -> Term:
    return term if temperature == 1 else Operation("quotient", (term, Number(temperature, "temperature")))


def _attention_rules(t: SelfAttentionTrace) -> Rules:
    def score(i: int, j: int) -> Term:
        return _dot(_row("q", t.q, i), _row("k", t.k, j))

    def term(i: int, j: int, d: int) -> Term:
        return _pair(_cell("weights", t.weights, i, j), _cell("v", t.v, j, d))

    def output(i: int, j: int) -> Term:
        return _dot(_row("weights", t.weights, i), _column("v", t.v, j))

    return {
        **_given(x=t.x, context=t.context, w_q=t.w_q, w_k=t.w_k, w_v=t.w_v, b_q=t.b_q, b_k=t.b_k, b_v=t.b_v),
        **_projection_rules(t, t.w_q, t.w_k, t.w_v, t.b_q, t.b_k, t.b_v),
        "scores": (t.scores, score),
        **_weight_rules(t),
        "terms": (contributions(t), term),
        "output": (t.output, output),
    }


def _head_rules(t: MultiHeadTrace) -> Rules:
    w, heads = t.weights, t.heads
    d_k, d_v, group = heads.q.shape[-1], heads.v.shape[-1], t.n_heads // t.n_kv_heads

    def score(h: int, i: int, j: int) -> Term:
        return _dot(_row("q", t.q, i, columns=_block(h, d_k)), _row("k", t.k, j, columns=_block(h // group, d_k)))

    def head(h: int, i: int, j: int) -> Term:
        return _dot(_row("weights", heads.weights, h, i), _column("v", t.v, h // group * d_v + j))

    def share(h: int, i: int, j: int) -> Term:
        return _dot(_row("heads", heads.output, h, i), _column("w_o", w.w_o, j, rows=_block(h, d_v)))

    def copied(i: int, j: int) -> Term:
        return _cell("heads", heads.output, j // d_v, i, j % d_v)

    def mixed(i: int, j: int) -> Term:
        return _biased(_dot(_row("concat", t.concat, i), _column("w_o", w.w_o, j)), "b_o", w.b_o, j)

    return {
        **_given(x=t.x, context=t.context, w_q=w.w_q, w_k=w.w_k, w_v=w.w_v, w_o=w.w_o),
        **_given(b_q=w.b_q, b_k=w.b_k, b_v=w.b_v, b_o=w.b_o),
        **_projection_rules(t, w.w_q, w.w_k, w.w_v, w.b_q, w.b_k, w.b_v),
        "scores": (heads.scores, score),
        **_weight_rules(heads),
        "heads": (heads.output, head),
        "concat": (t.concat, copied),
        "shares": (t.shares, share),
        "output": (t.output, mixed),
    }  # fmt: skip


def _projection_rules(t: SelfAttentionTrace | MultiHeadTrace, *w_and_b: Array | None) -> Rules:
    w_q, w_k, w_v, b_q, b_k, b_v = w_and_b
    source = ("x" if t.context is t.x else "context", t.context)
    return {
        "q": (t.q, _projection(("x", t.x), "w_q", w_q, "b_q", b_q)),
        "k": (t.k, _projection(source, "w_k", w_k, "b_k", b_k)),
        "v": (t.v, _projection(source, "w_v", w_v, "b_v", b_v)),
    }


def _projection(x: tuple[str, Array], w_name: str, w: Any, b_name: str, b: Array | None) -> Callable[..., Term]:
    def rule(i: int, j: int) -> Term:
        return _biased(_dot(_row(*x, i), _column(w_name, w, j)), b_name, b, j)

    return rule


def _weight_rules(t: AttentionTrace) -> Rules:
    def scaled(*index: int) -> Term:
        score, d_k = _cell("scores", t.scores, *index), t.q.shape[-1]
        if math.isclose(t.scale, d_k**-0.5):
            return Operation("quotient", (score, Operation("root", (Number(d_k, "d_k"),))))
        if math.isclose(t.scale, 1 / d_k):
            return Operation("quotient", (score, Number(d_k, "d_k")))
        return Operation("product", (score, Number(t.scale, "scale")))

    def masked(*index: int) -> Term:
        return _masked(_cell("scaled", t.scaled, *index), t.mask, t.masked.shape, index)

    def weight(*index: int) -> Term:
        row = _row("masked", t.masked, *index[:-1])
        peak = _peak(row)
        powers = [Operation("exp", (Operation("difference", (number, peak)),)) for number in row]
        return _share(powers[index[-1]], Operation("sum", tuple(powers)))

    return {"scaled": (t.scaled, scaled), "masked": (t.masked, masked), "weights": (t.weights, weight)}


# --- terms ---


def _given(**matrices: Array | None) -> Rules:
    present = {name: np.asarray(matrix) for name, matrix in matrices.items() if matrix is not None}
    return {name: (matrix, partial(_cell, name, matrix)) for name, matrix in present.items()}


def _cell(name: str, matrix: Array, *index: int) -> Number:
    return Number(float(matrix[index]), name, index)


def _row(name: str, matrix: Array, *lead: int, columns: range | None = None) -> list[Number]:
    values = matrix[lead].astype(float).tolist()
    return [Number(values[column], name, (*lead, column)) for column in columns or range(len(values))]


def _column(name: str, matrix: Array, column: int, rows: range | None = None) -> list[Number]:
    values = matrix[:, column].astype(float).tolist()
    return [Number(values[row], name, (row, column)) for row in rows or range(len(values))]


def _block(h: int, width: int) -> range:
    return range(h * width, (h + 1) * width)


def _pair(left: Number, right: Number) -> Operation:
    return Operation("product", (left, right))


def _dot(left: Iterable[Number], right: Iterable[Number]) -> Operation:
    return Operation("sum", tuple(_pair(*pair) for pair in zip(left, right, strict=True)))


def _biased(products: Operation, name: str, b: Array | None, column: int) -> Operation:
    return products if b is None else Operation("sum", (*products.terms, _cell(name, b, column)))


def _peak(line: list[Number]) -> Term:
    # A line of only −∞ has no greatest score: 0 is subtracted, and every power is 0.
    return Operation("maximum", tuple(line)) if any(n.value > -math.inf for n in line) else Number(0.0)


def _power_of(base: float, exponent: Term) -> Operation:
    return Operation("exp", (exponent,)) if base == math.e else Operation("power", (Number(base, "base"), exponent))


def _share(part: Term, total: Term) -> Term:
    return Operation("quotient", (part, total)) if evaluate(total) > 0 else Number(0.0)


def _masked(scaled: Number, mask: Any, shape: tuple[int, ...], index: tuple[int, ...]) -> Term:
    if mask is None:
        return scaled
    entry = np.broadcast_to(mask, shape)[index]
    if np.asarray(mask).dtype == bool:
        return scaled if entry else Number(-math.inf)
    return Operation("sum", (scaled, Number(float(entry), "mask", index)))
