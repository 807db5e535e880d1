"""Measure the effect of one shared matrix for queries and keys, and of one number of W^Q on a weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.examples import Example


@cache_recent
def with_one_matrix(example: Example) -> Example | None:
    """Return the example with w_q in place of w_k. The scores are then symmetric: scores[i, j] = scores[j, i].

    Return None if w_q and w_k have different shapes, if only one of them has a bias, or if the example has a context.
    """
    if example.context is not None or example.w_q.shape != example.w_k.shape:
        return None
    if (example.b_q is None) != (example.b_k is None):
        return None
    biases = {} if example.b_q is None else {"b_k": example.b_q}
    return example.with_matrices({"w_k": example.w_q, **biases})


@dataclass(frozen=True, slots=True)
class Nudge:
    """A change of one number of w_q by 1 or −1, and the weight of a token's best key before and after this change."""

    row: int
    column: int
    step: float  # 1, or −1
    key: int  # the key with the token's greatest weight
    before: float  # the weight of this key before the change
    after: float  # its weight after the change


@cache_recent
def nudge_of_query(example: Example, trace: SelfAttentionTrace, token: int) -> Nudge | None:
    """Find the number of w_q that has the greatest effect on a token's greatest weight, and change it by 1 or −1.

    The sign of the change is such that the weight should grow. Return None if no number of w_q changes the weight.

    For small changes, the weight a_j of key j changes by a_j · scale · x_r (k_jc − Σ_m a_m k_mc) times the change of
    w_q[r, c].

    Raises: IndexError if there is no such token.
    """
    key = int(np.argmax(trace.weights[token]))
    slopes = np.outer(example.x[token], trace.k[key] - trace.weights[token] @ trace.k)
    row, column = map(int, np.unravel_index(np.argmax(np.abs(slopes)), slopes.shape))
    step = float(np.sign(slopes[row, column]))
    if step == 0:
        return None
    w_q = example.w_q.copy()
    w_q[row, column] += step
    after = example.with_matrices({"w_q": w_q}).attention(scale=trace.scale).weights[token, key]
    return Nudge(row, column, step, key, float(trace.weights[token, key]), float(after))
