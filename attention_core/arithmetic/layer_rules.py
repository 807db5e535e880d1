"""Calculations in add and norm: the sum, its means and spreads, and the normalised sum."""

from __future__ import annotations

from attention_core.add_and_norm import AddAndNormTrace
from attention_core.arithmetic.building import cell_of, row_of
from attention_core.arithmetic.terms import Number, Operation, Term
from attention_core.arithmetic.worked import CellCalculations


def add_and_norm_rules(t: AddAndNormTrace) -> CellCalculations:
    """Return how the matrices of add and norm are calculated: the sum, its means and spreads, and the normalised sum.

    Each row has a mean, and a spread, which is √(variance + eps). In these calculations, the matrix that is added to x
    has the name "mixed", because it is the output of all heads. The trace must be of one text, so that its matrices
    have two axes.
    """
    mean, spread, d_model = t.norm.mean, t.norm.spread, Number(t.x.shape[-1], "d_model")

    def summed(i: int, j: int) -> Term:
        return Operation("sum", (cell_of("x", t.x, i, j), cell_of("mixed", t.found, i, j)))

    def mean_of(i: int, _: int) -> Term:
        return Operation("quotient", (Operation("sum", tuple(row_of("summed", t.summed, i))), d_model))

    def spread_of(i: int, _: int) -> Term:
        away = [Operation("difference", (each, cell_of("means", mean, i, 0))) for each in row_of("summed", t.summed, i)]
        squares = Operation("sum", tuple(Operation("power", (each, Number(2.0))) for each in away))
        variance = Operation("quotient", (squares, d_model))
        return Operation("root", (Operation("sum", (variance, Number(t.norm.eps))),))

    def normed(i: int, j: int) -> Term:
        centred = Operation("difference", (cell_of("summed", t.summed, i, j), cell_of("means", mean, i, 0)))
        return Operation("quotient", (centred, cell_of("spreads", spread, i, 0)))

    return CellCalculations({
        "summed": (t.summed, summed), "means": (mean, mean_of), "spreads": (spread, spread_of),
        "normed": (t.output, normed),
    })  # fmt: skip
