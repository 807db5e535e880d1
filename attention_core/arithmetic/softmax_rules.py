"""Calculations in a softmax alone: how each power, each weight and each entropy is computed."""

from __future__ import annotations

import math

import numpy as np

from attention_core.arithmetic.building import cell_of, given_rules, greatest_of, share_of
from attention_core.arithmetic.terms import Number, Operation, Term, evaluate
from attention_core.arithmetic.worked import Rules
from attention_core.checks import Array
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
