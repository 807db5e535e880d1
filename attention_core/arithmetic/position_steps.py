"""Calculations of the steps of the encoding, for tokens at any positions."""

from __future__ import annotations

from attention_core.arithmetic.position_rules import encoding_rule
from attention_core.arithmetic.terms import Number, Operation, Term
from attention_core.arithmetic.worked import CellCalculations
from attention_core.position_trace import PositionTrace


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
