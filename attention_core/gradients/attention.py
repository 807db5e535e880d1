"""The gradients of attention and of self-attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import AttentionTrace, SelfAttentionTrace
from attention_core.checks import Array
from attention_core.gradients.parts import (
    checked_upstream,
    summed_to,
    swap_last_axes,
    through_projection,
    through_softmax,
)
from attention_core.heads import MultiHeadProjections


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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelfAttentionGradient(AttentionGradient):
    """The gradients of attention, and of the projections that give its queries, keys and values."""

    through_q: Array  # (…, n_q, d_model) the part of the gradient that comes through the queries
    through_k: Array  # (…, n_k, d_context) the part that comes through the keys
    through_v: Array  # (…, n_k, d_context) the part that comes through the values
    grad_x: Array  # (…, n_q, d_model) the sum of all three, or through_q alone if there is a context
    grad_context: Array | None  # (…, n_k, d_context) through_k + through_v; None if x itself is the context
    grad_w_q: Array  # (d_model, d_k)
    grad_w_k: Array  # (d_context, d_k)
    grad_w_v: Array  # (d_context, d_v)
    grad_b_q: Array | None  # (d_k,)
    grad_b_k: Array | None  # (d_k,) always 0, up to rounding: b_k adds the same number to all scores of a query
    grad_b_v: Array | None  # (d_v,)


def self_attention_gradient(trace: SelfAttentionTrace, upstream: ArrayLike) -> SelfAttentionGradient:
    """Compute the gradients of attention, back to the tokens and to the three matrices.

    grad_w_q = xᵀ grad_q, grad_w_k = contextᵀ grad_k, grad_w_v = contextᵀ grad_v, over all rows of all sequences. The
    gradients of biases are the sums of the rows.

    through_q = grad_q w_qᵀ, through_k = grad_k w_kᵀ, through_v = grad_v w_vᵀ

    grad_x = through_q + through_k + through_v. With a context, grad_x = through_q, grad_context = through_k +
    through_v.

    Shapes: upstream (…, n_q, d_v); each grad_NAME has the shape of NAME.
    Raises: ValueError if upstream is not finite or has another shape than the output.
    Source: the chain rule, after `attention_gradient` and `projection_gradient`.

    >>> from attention_core.attention import self_attention
    >>> trace = self_attention([[1.0], [3.0]], w_q=[[0.0]], w_k=[[1.0]], w_v=[[1.0]])
    >>> self_attention_gradient(trace, [[1.0], [0.0]]).grad_w_v
    array([[2.]])
    """
    inner = attention_gradient(trace, upstream)
    return SelfAttentionGradient(
        **{name: getattr(inner, name) for name in AttentionGradient.__slots__},
        **through_projections(trace.x, trace.context, trace, inner.grad_q, inner.grad_k, inner.grad_v),
    )


def through_projections(
    x: Array,
    context: Array,
    learned: SelfAttentionTrace | MultiHeadProjections,
    grad_q: Array,
    grad_k: Array,
    grad_v: Array,
) -> dict[str, Any]:
    """Return the gradients of tokens, matrices and biases by name, from the gradients of queries, keys and values."""
    q = through_projection(x, learned.w_q, learned.b_q, grad_q)
    k = through_projection(context, learned.w_k, learned.b_k, grad_k)
    v = through_projection(context, learned.w_v, learned.b_v, grad_v)
    tokens = _token_gradients(q.grad_x, k.grad_x + v.grad_x, alone=context is x)
    matrices = {"grad_w_q": q.grad_w, "grad_w_k": k.grad_w, "grad_w_v": v.grad_w}
    biases = {"grad_b_q": q.grad_b, "grad_b_k": k.grad_b, "grad_b_v": v.grad_b}
    return {"through_q": q.grad_x, "through_k": k.grad_x, "through_v": v.grad_x, **tokens, **matrices, **biases}


def _token_gradients(asking: Array, answering: Array, alone: bool) -> dict[str, Array | None]:
    if alone:
        return {"grad_x": asking + answering, "grad_context": None}
    return {"grad_x": asking, "grad_context": answering}
