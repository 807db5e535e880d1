"""Slips of multi-head attention: heads cut across tokens, or scaled as if they were one."""

from __future__ import annotations

from numpy.typing import ArrayLike

from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace, multi_head_attention, split_heads


def split_heads_by_reshape(x: ArrayLike, n_heads: int) -> Array:
    """Reshape to the right shape without swapping axes.

    (…, n, h·d) → reshape → (…, h, n, d)

    Shapes: (…, n, n_heads·d) → (…, n_heads, n, d).
    Raises: ValueError as `split_heads`.
    Wrong:  the shape is right and the numbers are not: a head gets whole tokens, cut into pieces, where it should
            get a few features of every token.
    Source: harvardnlp/annotated-transformer#17, hyunwoongko/transformer#15.

    >>> split_heads_by_reshape([[1, 2], [3, 4]], 2)[0].tolist()
    [[1.0], [2.0]]
    """
    right = split_heads(x, n_heads)
    return right.swapaxes(-2, -3).reshape(right.shape)


def heads_scaled_by_full_width(trace: MultiHeadTrace) -> MultiHeadTrace:
    """Scale each head by the width of all heads together.

    head_h = softmax(q_h k_hᵀ / √(n_heads · d_k)) v_h

    Wrong:  a head's score is a sum of d_k products, so it must be divided by √d_k.
    Source: erratum 003-18, karpathy/ng-video-lecture#6, lucidrains/vit-pytorch#65.
    """
    return multi_head_attention(
        trace.x, trace.weights, trace.n_heads, context=trace.context, n_kv_heads=trace.n_kv_heads,
        mask=trace.heads.mask, scale=trace.q.shape[-1] ** -0.5,
    )  # fmt: skip
