"""The gradient of attention: backward through the average, the softmax, the mask, the scale and the dot products."""

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
    """The gradient of every step of scaled dot-product attention."""

    grad_output: Array  # (…, n_q, d_v) upstream
    grad_weights: Array  # (…, n_q, n_k) grad_output vᵀ
    grad_masked: Array  # (…, n_q, n_k) weights · (grad_weights − Σ weights · grad_weights); each row sums to 0
    grad_scaled: Array  # (…, n_q, n_k) grad_masked, with 0 where a query may not attend
    grad_scores: Array  # (…, n_q, n_k) grad_scaled · scale
    grad_q: Array  # (…, n_q, d_k) grad_scores k
    grad_k: Array  # (…, n_k, d_k) grad_scoresᵀ q
    grad_v: Array  # (…, n_k, d_v) weightsᵀ grad_output
    grad_mask: Array | None  # in the shape of an added mask; None for a boolean mask, or without a mask
    grad_scale: float  # Σ grad_scaled · scores


def attention_gradient(trace: AttentionTrace, upstream: ArrayLike) -> AttentionGradient:
    """Compute the gradients of attention, step by step, from the last step to the first.

    grad_v = weightsᵀ grad_output, grad_weights = grad_output vᵀ

    grad_masked = weights · (grad_weights − Σ_j weights_j · grad_weights_j)

    grad_scaled = 0 where masked is −∞, else grad_masked

    grad_scores = grad_scaled · scale, grad_q = grad_scores k, grad_k = grad_scoresᵀ q

    Shapes: upstream (…, n_q, d_v); each grad_NAME has the shape of NAME. An array that was broadcast gets the sum over
            its uses.
    Range:  each row of grad_scores sums to 0; a cell that is masked gets 0.
    Raises: ValueError if upstream is not finite or has another shape than the output.
    Source: Dao et al. 2022, arXiv:2205.14135, appendix B.2.

    >>> from attention_core.attention import attend
    >>> attention_gradient(attend([[0.0]], [[1.0], [3.0]], [[5.0], [9.0]]), [[1.0]]).grad_q
    array([[2.]])
    """
    grad_output = checked_upstream(upstream, trace.output)
    grad_weights = summed_to(grad_output @ swap_last_axes(trace.v), trace.weights.shape)
    grad_masked = through_softmax(trace.weights, grad_weights)
    grad_scaled = np.where(np.isneginf(trace.masked), 0, grad_masked)
    grad_scores = grad_scaled * trace.scale
    grad_q, grad_k = through_scores(trace, grad_scores)
    return AttentionGradient(
        grad_output=grad_output, grad_weights=grad_weights, grad_masked=grad_masked, grad_scaled=grad_scaled,
        grad_scores=grad_scores, grad_q=grad_q, grad_k=grad_k,
        grad_v=summed_to(swap_last_axes(trace.weights) @ grad_output, trace.v.shape),
        grad_mask=_mask_gradient(trace, grad_scaled), grad_scale=float((grad_scaled * trace.scores).sum()),
    )  # fmt: skip


def through_scores(trace: AttentionTrace, grad_scores: Array) -> tuple[Array, Array]:
    """Return the gradients of queries and keys as a pair: grad_scores k, and grad_scoresᵀ q."""
    grad_q, grad_k = grad_scores @ trace.k, swap_last_axes(grad_scores) @ trace.q
    return summed_to(grad_q, trace.q.shape), summed_to(grad_k, trace.k.shape)


def _mask_gradient(trace: AttentionTrace, grad_scaled: Array) -> Array | None:
    if trace.mask is None or trace.mask.dtype == bool:
        return None
    return summed_to(grad_scaled, trace.mask.shape)
