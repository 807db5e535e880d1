"""Multi-head attention: several heads of attention side by side. W^O mixes their outputs.

Each head uses its own columns of the same projections.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import AttentionTrace, attend
from attention_core.checks import Array, floats, greatest_difference, positive_integer
from attention_core.projection import project_named


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MultiHeadProjections:
    """The learned matrices of all heads. Head h has column block h of w_q, w_k and w_v, and row block h of w_o."""

    w_q: Array  # (d_model, n_heads · d_k)
    w_k: Array  # (d_context, n_kv_heads · d_k)
    w_v: Array  # (d_context, n_kv_heads · d_v)
    w_o: Array  # (n_heads · d_v, d_model)
    b_q: Array | None = None  # (n_heads · d_k,)
    b_k: Array | None = None  # (n_kv_heads · d_k,)
    b_v: Array | None = None  # (n_kv_heads · d_v,)
    b_o: Array | None = None  # (d_model,)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MultiHeadTrace:
    """Every intermediate result of multi-head attention."""

    x: Array  # (…, n_q, d_model)
    context: Array  # (…, n_k, d_context): x itself in self-attention
    projections: MultiHeadProjections
    n_heads: int
    n_kv_heads: int
    q: Array  # (…, n_q, n_heads · d_k)
    k: Array  # (…, n_k, n_kv_heads · d_k)
    v: Array  # (…, n_k, n_kv_heads · d_v)
    heads: AttentionTrace  # the attention of all heads; every field has an axis of heads: (…, n_heads, n, …)
    concat: Array  # (…, n_q, n_heads · d_v)
    shares: Array  # (…, n_heads, n_q, d_model) each head's part of the output: head_h · its rows of w_o
    output: Array  # (…, n_q, d_model) concat w_o + b_o

    @property
    def shares_keys(self) -> bool:
        """Whether several query heads use the same head of keys and values."""
        return self.n_kv_heads != self.n_heads

    @property
    def share_residual(self) -> float:
        """The greatest difference between the output and the sum of the parts that the heads add to the output.

        Only rounding causes this difference.
        """
        added = self.shares.sum(axis=-3)
        return greatest_difference(added if self.projections.b_o is None else added + self.projections.b_o, self.output)


def split_heads(x: ArrayLike, n_heads: int) -> Array:
    """Give every head its own block of columns.

    Head h gets columns h·d to (h+1)·d: reshape, then swap axes. A reshape alone would mix tokens.

    Shapes: (…, n, n_heads·d) → (…, n_heads, n, d).
    Raises: ValueError if n_heads does not divide the width.

    >>> split_heads([[1, 2, 3, 4]], 2)[:, 0].tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    x, n_heads = floats("x", x, min_rank=2), positive_integer("n_heads", n_heads)
    if x.shape[-1] % n_heads:
        divisors = [d for d in range(1, x.shape[-1] + 1) if x.shape[-1] % d == 0]
        raise ValueError(
            f"n_heads must divide the width; got {n_heads} heads for x {x.shape}: choose one of {divisors}."
        )
    return x.reshape(*x.shape[:-1], n_heads, -1).swapaxes(-2, -3)


def merge_heads(x: ArrayLike) -> Array:
    """Put the columns of all heads side by side again. This is the inverse of `split_heads`.

    Shapes: (…, n_heads, n, d) → (…, n, n_heads·d).
    Raises: ValueError if x has fewer than three axes.
    """
    x = floats("x", x, min_rank=3).swapaxes(-2, -3)
    return x.reshape(*x.shape[:-2], -1)


def repeat_heads(x: ArrayLike, n: int) -> Array:
    """Repeat each key or value head n times, so that n neighbouring query heads share it (grouped-query attention).

    Shapes: (…, h, n_k, d) → (…, h·n, n_k, d); query heads h·n to (h+1)·n use head h.
    Raises: ValueError if x has fewer than three axes or n is not a whole number of at least 1.
    Source: Ainslie et al. 2023, doi:10.18653/v1/2023.emnlp-main.298.
    """
    return np.repeat(floats("x", x, min_rank=3), positive_integer("n", n), axis=-3)


def multi_head_attention(
    x: ArrayLike,
    projections: MultiHeadProjections,
    n_heads: int,
    *,
    context: ArrayLike | None = None,
    n_kv_heads: int | None = None,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> MultiHeadTrace:
    """Compute attention in n_heads heads side by side, and mix their outputs with w_o.

    Concat(head_1, …, head_h) w_o + b_o, which equals Σ head_h · (its rows of w_o) + b_o.

    Shapes: x (…, n_q, d_model), context (…, n_k, d_context) → output (…, n_q, d_model). A mask broadcasts to
            (…, n_heads, n_q, n_k). The scale is 1/√d_k of one head unless given.
    Raises: ValueError if widths differ, n_heads does not divide a width, or n_kv_heads does not divide n_heads.
    Source: Vaswani et al. 2017, section 3.2.2.
    """
    x = floats("x", x, min_rank=2)
    source = x if context is None else floats("context", context, min_rank=2)
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    _check_kv_heads(n_heads, n_kv_heads)
    q = project_named("w_q", x, projections.w_q, projections.b_q)
    k = project_named("w_k", source, projections.w_k, projections.b_k)
    v = project_named("w_v", source, projections.w_v, projections.b_v)
    shared = n_heads // n_kv_heads
    heads = attend(
        split_heads(q, n_heads),
        repeat_heads(split_heads(k, n_kv_heads), shared),
        repeat_heads(split_heads(v, n_kv_heads), shared),
        mask=mask,
        scale=scale,
    )
    return MultiHeadTrace(
        x=x, context=source, projections=projections, n_heads=n_heads, n_kv_heads=n_kv_heads, q=q, k=k, v=v,
        heads=heads, **_fields_after_heads(heads, projections),
    )  # fmt: skip


def with_heads(trace: MultiHeadTrace, heads: AttentionTrace) -> MultiHeadTrace:
    """Return the trace with `heads` as the attention of its heads, and compute all later steps again.

    >>> same = MultiHeadProjections(w_q=np.eye(1), w_k=np.eye(1), w_v=np.eye(1), w_o=np.eye(1))
    >>> trace = multi_head_attention([[1.0], [3.0]], same, n_heads=1)
    >>> with_heads(trace, attend(trace.q[None], trace.k[None], trace.v[None], scale=0.0)).output.tolist()
    [[2.0], [2.0]]
    """
    return replace(trace, heads=heads, **_fields_after_heads(heads, trace.projections))


def _fields_after_heads(heads: AttentionTrace, projections: MultiHeadProjections) -> dict[str, Array]:
    """Return the fields of a trace that depend on the outputs of the heads, by name: concat, shares and output."""
    concat = merge_heads(heads.output)
    return {
        "concat": concat,
        "output": project_named("w_o", concat, projections.w_o, projections.b_o),
        "shares": _shares(heads.output, projections.w_o),
    }


def _check_kv_heads(n_heads: int, n_kv_heads: int) -> None:
    positive_integer("n_heads", n_heads)
    positive_integer("n_kv_heads", n_kv_heads)
    if n_heads % n_kv_heads:
        raise ValueError(
            f"n_kv_heads must divide n_heads; got n_kv_heads {n_kv_heads}, n_heads {n_heads}: "
            "every key head serves as many query heads as the others."
        )


def _shares(outputs: Array, w_o: Array) -> Array:
    rows = np.asarray(w_o).reshape(outputs.shape[-3], outputs.shape[-1], -1)
    return outputs @ rows
