"""The gradient of self-attention: queries, keys and values come from the same tokens, so their gradients add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.gradients.attention import AttentionGradient, attention_gradient
from attention_core.gradients.projection import through_projection
from attention_core.heads import MultiHeadProjections


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
