"""Attention: each query compares itself with all keys, and its output is a weighted average of the values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.checks import Array, check_finite, floats
from attention_core.masks import apply_mask
from attention_core.projection import project_named, root_scale
from attention_core.softmax import fast_softmax_steps, softmax


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AttentionTrace:
    """Every intermediate result of scaled dot-product attention."""

    q: Array  # (…, n_q, d_k) what each token looks for
    k: Array  # (…, n_k, d_k) what each token can be found by
    v: Array  # (…, n_k, d_v) what others take from each token
    mask: NDArray[np.generic] | None  # (…, n_q, n_k) booleans (true: may attend), or numbers added to the scores
    scale: float  # the factor of the scores, usually 1/√d_k
    scores: Array  # (…, n_q, n_k) q kᵀ
    scaled: Array  # (…, n_q, n_k) scores · scale
    masked: Array  # (…, n_q, n_k) scaled, with −∞ where a query may not attend, or with the mask added
    weights: Array  # (…, n_q, n_k) each row sums to 1
    output: Array  # (…, n_q, d_v) weights v


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelfAttentionTrace(AttentionTrace):
    """Every intermediate result of attention, from the projections to the output."""

    x: Array  # (…, n_q, d_model) the tokens that attend
    context: Array  # (…, n_k, d_context) the tokens that they attend to: x itself in self-attention
    w_q: Array  # (d_model, d_k)
    w_k: Array  # (d_context, d_k)
    w_v: Array  # (d_context, d_v)
    b_q: Array | None  # (d_k,)
    b_k: Array | None  # (d_k,)
    b_v: Array | None  # (d_v,)


def attend(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, *, mask: ArrayLike | None = None, scale: float | None = None
) -> AttentionTrace:
    """Return for each query a weighted average of the rows of v. A weight says how well the query matches a key.

    softmax(q kᵀ · scale) v, with scale = 1/√d_k unless given.

    Shapes: q (…, n_q, d_k), k (…, n_k, d_k), v (…, n_k, d_v), mask (…, n_q, n_k) → output (…, n_q, d_v);
            leading axes broadcast. A mask is boolean (true: may attend) or float (added to the scaled scores).
    Range:  each row of weights sums to 1, or to 0 if the mask hides every key of the row.
    Raises: ValueError if d_k or n_k differ, the mask does not broadcast to the scores, or the scores overflow.
    Source: Vaswani et al. 2017, eq. 1.

    >>> attend([[1.0]], [[0.0], [0.0]], [[2.0], [4.0]]).output
    array([[3.]])
    """
    q, k, v = floats("q", q, min_rank=2), floats("k", k, min_rank=2), floats("v", v, min_rank=2)
    _check_shapes(q, k, v)
    scale = root_scale(q.shape[-1]) if scale is None else float(floats("scale", scale, min_rank=0))
    scores = q @ k.swapaxes(-1, -2)
    scaled = scores * scale
    check_finite("scaled scores", scaled, remedy="make q, k or the scale smaller")
    masked = apply_mask(scaled, mask)
    weights = fast_softmax_steps(masked).weights
    return AttentionTrace(
        q=q, k=k, v=v, mask=None if mask is None else np.asarray(mask), scale=scale,
        scores=scores, scaled=scaled, masked=masked, weights=weights, output=weights @ v,
    )  # fmt: skip


def contributions(trace: AttentionTrace) -> Array:
    """Return how much each value adds to the output of each query. The sum over the keys is the output.

    weights[i, j] · v[j]

    Shapes: → (…, n_q, n_k, d_v).

    >>> contributions(attend([[1.0]], [[0.0], [0.0]], [[2.0], [4.0]])).tolist()
    [[[1.0], [2.0]]]
    """
    return trace.weights[..., None] * trace.v[..., None, :, :]


def self_attention(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    *,
    b_q: ArrayLike | None = None,
    b_k: ArrayLike | None = None,
    b_v: ArrayLike | None = None,
    context: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> SelfAttentionTrace:
    """Let tokens attend to each other: project them to queries, keys and values, then compute attention.

    attend(x w_q + b_q, x w_k + b_k, x w_v + b_v). If a context is given, keys and values are computed from the context
    instead of x (cross-attention).

    Shapes: x (…, n_q, d_model), context (…, n_k, d_context), w_q (d_model, d_k), w_k (d_context, d_k),
            w_v (d_context, d_v), biases as wide as their weights → output (…, n_q, d_v). Without a context, n_k is n_q
            and d_context is d_model.
    Raises: ValueError for the same reasons as `project` and `attend`.
    Source: Vaswani et al. 2017, section 3.2; with biases: Prince 2023, eq. 12.2–12.4.

    >>> trace = self_attention([[1.0], [2.0]], w_q=[[0.0]], w_k=[[1.0]], w_v=[[1.0]])
    >>> trace.weights.tolist(), trace.output.tolist()
    ([[0.5, 0.5], [0.5, 0.5]], [[1.5], [1.5]])
    """
    x = floats("x", x, min_rank=2)
    source = x if context is None else floats("context", context, min_rank=2)
    inner = attend(
        project_named("w_q", x, w_q, b_q),
        project_named("w_k", source, w_k, b_k),
        project_named("w_v", source, w_v, b_v),
        mask=mask,
        scale=scale,
    )
    return SelfAttentionTrace(
        **{name: getattr(inner, name) for name in AttentionTrace.__slots__},
        x=x, context=source, w_q=np.asarray(w_q), w_k=np.asarray(w_k), w_v=np.asarray(w_v),
        b_q=_optional(b_q), b_k=_optional(b_k), b_v=_optional(b_v),
    )  # fmt: skip


def with_scale(trace: SelfAttentionTrace, scale: float) -> SelfAttentionTrace:
    """Return the trace with another scale, and compute all later steps again.

    >>> trace = self_attention([[1.0], [2.0]], w_q=[[1.0]], w_k=[[1.0]], w_v=[[1.0]])
    >>> with_scale(trace, 0.0).weights
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    scaled = trace.scores * scale
    masked = apply_mask(scaled, trace.mask)
    return with_weights(replace(trace, scale=scale, scaled=scaled, masked=masked), softmax(masked))


def with_weights(trace: SelfAttentionTrace, weights: Array) -> SelfAttentionTrace:
    """Return the trace with other weights, and compute the output again.

    >>> trace = self_attention([[1.0], [2.0]], w_q=[[1.0]], w_k=[[1.0]], w_v=[[1.0]])
    >>> with_weights(trace, np.eye(2)).output.tolist()
    [[1.0], [2.0]]
    """
    return replace(trace, weights=weights, output=weights @ trace.v)


def _optional(values: ArrayLike | None) -> Array | None:
    return None if values is None else np.asarray(values)


def _check_shapes(q: Array, k: Array, v: Array) -> None:
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k must share d_k, but q is {q.shape} and k is {k.shape}. Check w_q and w_k.")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"k and v must share n_k, but k is {k.shape} and v is {v.shape}. Give each key its value.")
    if q.ndim == k.ndim == v.ndim == 2:
        return
    try:
        np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError as error:
        raise ValueError(
            f"leading axes of q, k and v must broadcast; got q {q.shape}, k {k.shape}, v {v.shape}: "
            "make each leading length equal, or 1."
        ) from error
