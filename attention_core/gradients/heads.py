"""The gradient of several heads: back through W^O, through each head by itself, and together into the projections."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from attention_core.checks import Array
from attention_core.gradients.arriving import checked_upstream
from attention_core.gradients.attention import AttentionGradient, attention_gradient
from attention_core.gradients.projection import through_projection
from attention_core.gradients.self_attention import through_projections
from attention_core.heads import MultiHeadTrace, merge_heads, split_heads


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MultiHeadGradient:
    """Every gradient of multi-head attention. `d_k` and `d_v` are those of keys and values, not widths."""

    d_output: Array  # (…, n_q, d_model) what arrives
    d_concat: Array  # (…, n_q, n_heads · d_v) d_output w_oᵀ
    heads: AttentionGradient  # every field with a head axis; keys and values that heads share stand there once a head
    d_q: Array  # (…, n_q, n_heads · d_k)
    d_k: Array  # (…, n_k, n_kv_heads · d_k) the sum over the query heads that share a key head
    d_v: Array  # (…, n_k, n_kv_heads · d_v) the sum over the query heads that share a value head
    through_q: Array  # (…, n_q, d_model) what comes back through the queries
    through_k: Array  # (…, n_k, d_context) what comes back through the keys
    through_v: Array  # (…, n_k, d_context) what comes back through the values
    d_x: Array  # (…, n_q, d_model) the sum of all three, or through_q alone where there is a context
    d_context: Array | None  # (…, n_k, d_context) through_k + through_v; None where x itself is the context
    d_w_q: Array  # (d_model, n_heads · d_k)
    d_w_k: Array  # (d_context, n_kv_heads · d_k)
    d_w_v: Array  # (d_context, n_kv_heads · d_v)
    d_w_o: Array  # (n_heads · d_v, d_model)
    d_b_q: Array | None  # (n_heads · d_k,)
    d_b_k: Array | None  # (n_kv_heads · d_k,) always 0 but for rounding
    d_b_v: Array | None  # (n_kv_heads · d_v,)
    d_b_o: Array | None  # (d_model,)


def multi_head_gradient(trace: MultiHeadTrace, upstream: ArrayLike) -> MultiHeadGradient:
    """Go back through multi-head attention.

    d_w_o = concatᵀ d_output, d_concat = d_output w_oᵀ, whose column block h is what arrives at head h;
    each head as `attention_gradient`; a key head that several query heads share gets the sum of theirs;
    the heads' columns side by side again, and on through the projections as `self_attention_gradient`.

    Shapes: upstream (…, n_q, d_model); each d_NAME has the shape of NAME.
    Raises: ValueError if upstream is not finite or has another shape than the output.
    Source: the chain rule, after `attention_gradient` and `projection_gradient`.
    """
    learned, shared = trace.weights, trace.n_heads // trace.n_kv_heads
    mixed = through_projection(trace.concat, learned.w_o, learned.b_o, checked_upstream(upstream, trace.output))
    heads = attention_gradient(trace.heads, split_heads(mixed.d_x, trace.n_heads))
    d_q = merge_heads(heads.d_q)
    d_k, d_v = merge_heads(_gathered(heads.d_k, shared)), merge_heads(_gathered(heads.d_v, shared))
    return MultiHeadGradient(
        d_output=mixed.d_output, d_concat=mixed.d_x, heads=heads, d_q=d_q, d_k=d_k, d_v=d_v,
        d_w_o=mixed.d_w, d_b_o=mixed.d_b,
        **through_projections(trace.x, trace.context, learned, d_q, d_k, d_v),
    )  # fmt: skip


def _gathered(d_heads: Array, shared: int) -> Array:
    """Sum what reaches the copies that `repeat_heads` made of each head: (…, h·shared, n_k, d) → (…, h, n_k, d)."""
    *leading, n_heads, n_k, d = d_heads.shape
    return d_heads.reshape(*leading, n_heads // shared, shared, n_k, d).sum(axis=-3)
