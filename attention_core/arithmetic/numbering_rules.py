"""Calculations of the scores and the weights of one token, for several ways to number positions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_core.arithmetic.building import dot, greatest_of, row_of, share_of
from attention_core.arithmetic.terms import Number, Operation, Term
from attention_core.arithmetic.worked import CellCalculations
from attention_core.attention import SelfAttentionTrace


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
