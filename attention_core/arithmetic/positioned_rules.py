"""Calculations in attention with positions in its scores: rotated queries and keys, or a penalty for distance."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from attention_core.arithmetic.attention_rules import attention_rules, weight_rules
from attention_core.arithmetic.building import block_of, cell_of, dot, row_of
from attention_core.arithmetic.head_rules import head_rules
from attention_core.arithmetic.terms import Number, Operation, Term
from attention_core.arithmetic.turning import rotated_cell
from attention_core.arithmetic.worked import Rules
from attention_core.attention import AttentionTrace
from attention_core.heads import MultiHeadTrace
from attention_core.positioned import Places, PositionedHeadsTrace, PositionedTrace


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
