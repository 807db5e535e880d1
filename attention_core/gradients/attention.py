"""The gradient of attention: back through the average, the softmax, the mask, the scale and the dot products."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import AttentionTrace
from attention_core.checks import Array
from attention_core.gradients.arriving import checked_upstream, summed_to, swap_last_axes
from attention_core.gradients.softmax import through_softmax


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AttentionGradient:
    """Every gradient of scaled dot-product attention. `d_k` and `d_v` are those of keys and values, not widths."""

    d_output: Array  # (…, n_q, d_v) what arrives
    d_weights: Array  # (…, n_q, n_k) d_output vᵀ
    d_masked: Array  # (…, n_q, n_k) weights · (d_weights − Σ weights · d_weights); each row sums to 0
    d_scaled: Array  # (…, n_q, n_k) the same, and 0 where a query may not look
    d_scores: Array  # (…, n_q, n_k) d_scaled · scale
    d_q: Array  # (…, n_q, d_k) d_scores k
    d_k: Array  # (…, n_k, d_k) d_scoresᵀ q
    d_v: Array  # (…, n_k, d_v) weightsᵀ d_output
    d_mask: Array | None  # the shape of a mask that was added to the scores; None for a boolean one, or none
    d_scale: float  # Σ d_scaled · scores


def attention_gradient(trace: AttentionTrace, upstream: ArrayLike) -> AttentionGradient:
    """Go back through attention, step by step, from the last to the first.

    d_v = weightsᵀ d_output, d_weights = d_output vᵀ
    d_masked = weights · (d_weights − Σ_j weights_j · d_weights_j), d_scaled = 0 where masked is −∞, else d_masked
    d_scores = d_scaled · scale, d_q = d_scores k, d_k = d_scoresᵀ q

    Shapes: upstream (…, n_q, d_v); each d_NAME has the shape of NAME: what was broadcast gets the sum of its uses.
    Range:  each row of d_scores sums to 0; a cell that is masked gets 0.
    Raises: ValueError if upstream is not finite or has another shape than the output.
    Source: Dao et al. 2022, arXiv:2205.14135, appendix B.2.

    >>> from attention_core.attention import attend
    >>> attention_gradient(attend([[0.0]], [[1.0], [3.0]], [[5.0], [9.0]]), [[1.0]]).d_q
    array([[2.]])
    """
    d_output = checked_upstream(upstream, trace.output)
    d_weights = summed_to(d_output @ swap_last_axes(trace.v), trace.weights.shape)
    d_masked = through_softmax(trace.weights, d_weights)
    d_scaled = np.where(np.isneginf(trace.masked), 0, d_masked)
    d_scores = d_scaled * trace.scale
    d_q, d_k = through_scores(trace, d_scores)
    return AttentionGradient(
        d_output=d_output, d_weights=d_weights, d_masked=d_masked, d_scaled=d_scaled, d_scores=d_scores,
        d_q=d_q, d_k=d_k, d_v=summed_to(swap_last_axes(trace.weights) @ d_output, trace.v.shape),
        d_mask=_added(trace, d_scaled), d_scale=float((d_scaled * trace.scores).sum()),
    )  # fmt: skip


def through_scores(trace: AttentionTrace, d_scores: Array) -> tuple[Array, Array]:
    """Return what reaches the queries, d_scores k, and the keys, d_scoresᵀ q."""
    d_q, d_k = d_scores @ trace.k, swap_last_axes(d_scores) @ trace.q
    return summed_to(d_q, trace.q.shape), summed_to(d_k, trace.k.shape)


def _added(trace: AttentionTrace, d_scaled: Array) -> Array | None:
    if trace.mask is None or trace.mask.dtype == bool:
        return None
    return summed_to(d_scaled, trace.mask.shape)
