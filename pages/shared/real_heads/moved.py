"""What changes in a head if its text moves to other positions, and what does not change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.attention import AttentionTrace, attend
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.positions import rope
from attention_core.rotation import RopeTrace, rope_scores

BASE = 100_000.0  # the base of RoPE in the model
N_PLACES = 8
SHIFTS = (1, 100, 5000)
GAP = 20  # how many positions are left out in the middle


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """The greatest change of a weight for each way to move the text to other positions."""

    together: tuple[float, ...]  # if all tokens are moved: one number for each of SHIFTS
    apart: float  # if only the second half of the tokens is moved


@cache_recent
def changes_if_moved(trace: AttentionTrace) -> Moved:
    """Return how much the weights change if the whole text moves, and if only its second half moves."""
    n = len(trace.q)
    half = np.where(np.arange(n) < n // 2, 0, GAP)
    return Moved(tuple(_greatest_change(trace, np.full(n, shift)) for shift in SHIFTS), _greatest_change(trace, half))


@cache_recent
def scores_at_every_position(trace: AttentionTrace, asks: int, answers: int) -> RopeTrace:
    """Return the scores of one query and one key of a head at every pair of positions.

    `asks` is the index of the token with the query, and `answers` is the index of the token with the key.
    """
    q, k = (rope(row[None], [-place], BASE, interleaved=True)[0] for row, place in _query_and_key(trace, asks, answers))
    return rope_scores(q, k, N_PLACES, BASE, interleaved=True)


def _query_and_key(trace: AttentionTrace, asks: int, answers: int) -> tuple[tuple[Array, int], tuple[Array, int]]:
    return (trace.q[asks], asks), (trace.k[answers], answers)


def _greatest_change(trace: AttentionTrace, by: Array) -> float:
    """Return the greatest change of a weight if each token moves by the number of positions in `by`."""
    q, k = (rope(each, by, BASE, interleaved=True) for each in (trace.q, trace.k))
    return float(np.abs(attend(q, k, trace.v, mask=trace.mask).weights - trace.weights).max())
