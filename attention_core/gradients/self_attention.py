"""The gradient of self-attention: queries, keys and values come from the same tokens, so their gradients add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.gradients.attention import AttentionGradient, attention_gradient
from attention_core.gradients.projection import through_projection
from attention_core.heads import MultiHeadWeights


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelfAttentionGradient(AttentionGradient):
    """The gradients of attention together with those of the projections that led to it."""

    through_q: Array  # (…, n_q, d_model) what comes back through the queries
    through_k: Array  # (…, n_k, d_context) what comes back through the keys
    through_v: Array  # (…, n_k, d_context) what comes back through the values
    d_x: Array  # (…, n_q, d_model) the sum of all three, or through_q alone where there is a context
    d_context: Array | None  # (…, n_k, d_context) through_k + through_v; None where x itself is the context
    d_w_q: Array  # (d_model, d_k)
    d_w_k: Array  # (d_context, d_k)
    d_w_v: Array  # (d_context, d_v)
    d_b_q: Array | None  # (d_k,)
    d_b_k: Array | None  # (d_k,) always 0 but for rounding: it adds the same to all scores of a query
    d_b_v: Array | None  # (d_v,)


def self_attention_gradient(trace: SelfAttentionTrace, upstream: ArrayLike) -> SelfAttentionGradient:
    """Go back through attention to the tokens and to the three matrices.

    d_w_q = xᵀ d_q, d_w_k = contextᵀ d_k, d_w_v = contextᵀ d_v, over all rows of all sequences; biases: the sums
    through_q = d_q w_qᵀ, through_k = d_k w_kᵀ, through_v = d_v w_vᵀ
    d_x = through_q + through_k + through_v; with a context d_x = through_q, d_context = through_k + through_v

    Shapes: upstream (…, n_q, d_v); each d_NAME has the shape of NAME.
    Raises: ValueError if upstream is not finite or has another shape than the output.
    Source: the chain rule, after `attention_gradient` and `projection_gradient`.
    """
    inner = attention_gradient(trace, upstream)
    return SelfAttentionGradient(
        **{name: getattr(inner, name) for name in AttentionGradient.__slots__},
        **through_projections(trace.x, trace.context, trace, inner.d_q, inner.d_k, inner.d_v),
    )


def through_projections(
    x: Array, context: Array, learned: SelfAttentionTrace | MultiHeadWeights, d_q: Array, d_k: Array, d_v: Array
) -> dict[str, Any]:
    """Return, by name, what reaches the tokens, the matrices and the biases through queries, keys and values."""
    q = through_projection(x, learned.w_q, learned.b_q, d_q)
    k = through_projection(context, learned.w_k, learned.b_k, d_k)
    v = through_projection(context, learned.w_v, learned.b_v, d_v)
    tokens = _of_tokens(q.d_x, k.d_x + v.d_x, alone=context is x)
    matrices = {"d_w_q": q.d_w, "d_w_k": k.d_w, "d_w_v": v.d_w, "d_b_q": q.d_b, "d_b_k": k.d_b, "d_b_v": v.d_b}
    return {"through_q": q.d_x, "through_k": k.d_x, "through_v": v.d_x, **tokens, **matrices}


def _of_tokens(asking: Array, answering: Array, alone: bool) -> dict[str, Array | None]:
    if alone:
        return {"d_x": asking + answering, "d_context": None}
    return {"d_x": asking, "d_context": answering}
