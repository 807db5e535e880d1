"""Calculations of the matrices that a first lesson on attention shows in addition to those of attention."""

from __future__ import annotations

import numpy as np

from attention_core.arithmetic.attention_rules import attention_rules
from attention_core.arithmetic.building import cell_of, column_of, dot, given_rules, greatest_of, row_of, share_of
from attention_core.arithmetic.terms import Operation, Term
from attention_core.arithmetic.worked import CellCalculations
from attention_core.checks import Array
from attention_core.experiments.path_steps import PathSteps


def path_rules(t: PathSteps, w_o: Array) -> CellCalculations:
    """Return how each cell of attention with one head and of three further matrices is calculated.

    The three matrices are "overlaps" (x xᵀ), "mixed" (output · w_o) and "summed" (x + mixed).
    """
    a = t.attention

    def overlap(i: int, j: int) -> Term:
        return dot(row_of("x", a.x, i), row_of("x", a.x, j))

    def mixed(i: int, j: int) -> Term:
        return dot(row_of("output", a.output, i), column_of("w_o", w_o, j))

    def summed(i: int, j: int) -> Term:
        return Operation("sum", (cell_of("x", a.x, i, j), cell_of("mixed", t.mixed, i, j)))

    own = {"overlaps": (t.overlaps, overlap), "mixed": (t.mixed, mixed), "summed": (t.summed, summed)}
    return CellCalculations({**attention_rules(a), **given_rules(w_o=w_o), **own})


def plain_softmax_rules(t: PathSteps) -> CellCalculations:
    """Return how the softmax of the scores is calculated by hand, without a division by √d_k.

    The matrix "powers" has e to the power of each score. A weight is a power divided by the sum of the powers in the
    same row.
    """
    scores = t.attention.scores

    def power(i: int, j: int) -> Term:
        return Operation("exp", (cell_of("scores", scores, i, j),))

    def share(i: int, j: int) -> Term:
        row = row_of("powers", t.powers, i)
        if np.isfinite(t.powers[i]).all() and t.powers[i].sum() > 0:
            return share_of(row[j], Operation("sum", tuple(row)))
        return _share_of_shifted(i, j)

    def _share_of_shifted(i: int, j: int) -> Term:
        """Return the calculation of weight (i, j) with the greatest score of the row subtracted from every score.

        Without the subtraction, a power would be infinite, or all powers would be 0.
        """
        row = row_of("scores", scores, i)
        powers = [Operation("exp", (Operation("difference", (score, greatest_of(row))),)) for score in row]
        return share_of(powers[j], Operation("sum", tuple(powers)))

    return CellCalculations(
        {**given_rules(scores=scores), "powers": (t.powers, power), "weights": (t.plain.weights, share)}
    )
