"""Slips of multi-head attention: heads cut, scaled or put together the wrong way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace, multi_head_attention, repeat_heads, split_heads
from attention_core.slips.output_projection import OUTPUT_SLIPS, with_concat
from attention_core.slips.slip import Slip


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


def _cut_by_reshape(trace: MultiHeadTrace) -> MultiHeadTrace:
    shared = trace.n_heads // trace.n_kv_heads
    heads = attend(
        split_heads_by_reshape(trace.q, trace.n_heads),
        repeat_heads(split_heads_by_reshape(trace.k, trace.n_kv_heads), shared),
        repeat_heads(split_heads_by_reshape(trace.v, trace.n_kv_heads), shared),
        mask=trace.heads.mask,
    )
    return with_concat(trace, heads, heads.output.reshape(trace.concat.shape))


def _averaged(trace: MultiHeadTrace) -> MultiHeadTrace:
    mean = trace.heads.output.mean(axis=-3)
    return with_concat(trace, trace.heads, np.tile(mean, trace.n_heads))


def _slices_of_the_input(trace: MultiHeadTrace) -> MultiHeadTrace:
    """Let head h see only block h of the features: its other rows of w_q, w_k and w_v become 0."""
    w, groups = trace.weights, {"w_q": trace.n_heads, "w_k": trace.n_kv_heads, "w_v": trace.n_kv_heads}
    return multi_head_attention(
        trace.x,
        replace(w, **{name: _rows_of_each_head(getattr(w, name), n_heads) for name, n_heads in groups.items()}),
        trace.n_heads, context=trace.context, n_kv_heads=trace.n_kv_heads, mask=trace.heads.mask,
    )  # fmt: skip


def _rows_of_each_head(w: Array, n_heads: int) -> Array:
    rows, columns = np.shape(w)
    if rows % n_heads:
        raise ValueError(
            f"the heads must divide the input’s width to slice it; got {n_heads} heads, width {rows}: "
            "every head reads all of it through its own columns of W."
        )
    kept = np.kron(np.eye(n_heads), np.ones((rows // n_heads, columns // n_heads)))
    return w * kept


def _weights_as_high_as_the_sentence(trace: MultiHeadTrace) -> MultiHeadTrace:
    n, (d_model, width) = trace.x.shape[-2], np.shape(trace.weights.w_q)
    if n != d_model:
        raise ValueError(
            f"x and W must share d_model; got x {trace.x.shape[-2:]}, W_i {(n, width // trace.n_heads)}: "
            f"each W_i is {(d_model, width // trace.n_heads)}, however long the sentence."
        )
    return trace


HEAD_SLIPS: tuple[Slip[MultiHeadTrace], ...] = (
    Slip(
        name="heads_by_reshape",
        concept="multi_head",
        stage="heads",
        title="Heads by reshape alone",
        formula=r"\texttt{q.reshape(n\_heads, n, d)}",
        code="""\
q_heads, k_heads, v_heads = (m.reshape(n_heads, len(m), -1) for m in (q, k, v))
concat = heads.reshape(len(x), -1)""",
        why="The shape is right and the numbers are not: you cut whole tokens into pieces, and a head no longer sees "
        "every token. Reshape to (n, n_heads, d), then swap the first two axes.",
        sources=("harvardnlp/annotated-transformer#17", "hyunwoongko/transformer#15"),
        apply=_cut_by_reshape,
    ),
    Slip(
        name="heads_averaged",
        concept="multi_head",
        stage="concat",
        title="Heads averaged",
        formula=r"\operatorname{Concat}(\overline{\text{head}}, \ldots, \overline{\text{head}}) \, W^O, \quad "
        r"\overline{\text{head}} = \tfrac{1}{h} \sum_i \text{head}_i",
        code="concat = np.concatenate([heads.mean(axis=0)] * n_heads, axis=1)",
        why="A mean forgets which head found what. Side by side, each keeps its own rows of W^O, "
        "which decide what becomes of it.",
        sources=("000-17",),
        apply=_averaged,
    ),
    Slip(
        name="heads_slice_the_input",
        concept="multi_head",
        stage="q",
        title="Heads slice the input",
        formula=r"\text{head}_i = \operatorname{attention}(X_i W^Q_i, X_i W^K_i, X_i W^V_i)",
        code="""\
def sliced(m, w):
    return np.concatenate([split(m)[h] @ split(rows)[h] for h, rows in enumerate(np.split(w, n_heads))], axis=1)
q, k, v = sliced(x, w_q) + b_q, sliced(context, w_k) + b_k, sliced(context, w_v) + b_v""",
        why="Each head would see a few features of a token only. It is the projections that are cut into blocks of "
        "columns: every head reads the whole token.",
        sources=("karpathy/nanoGPT#629", "Kyubyong/transformer#55", "SamLynnEvans/Transformer#4"),
        apply=_slices_of_the_input,
        state="example=story",
    ),
    Slip(
        name="heads_scaled_by_full_width",
        concept="multi_head",
        stage="scaled",
        title="Scaled by the width of all heads",
        formula=r"\operatorname{softmax}\!\left(\frac{Q_i K_i^\top}{\sqrt{h \, d_k}}\right) \, V_i",
        code="scaled = q_heads @ k_heads.swapaxes(-1, -2) / np.sqrt(q.shape[-1])",
        why="A head’s score is a sum of d_k products, so it must be divided by √d_k of that head. The more heads you "
        "cut, the more even your weights become.",
        sources=("003-18", "karpathy/ng-video-lecture#6", "lucidrains/vit-pytorch#65"),
        apply=heads_scaled_by_full_width,
    ),
    Slip(
        name="w_i_with_n_rows",
        concept="multi_head",
        stage="q",
        title="Wᵢ as high as the sentence is long",
        formula=r"W^Q_i \in \mathbb{R}^{n \times d_k}",
        code="q = x @ w_q.reshape(len(x), -1) + b_q",
        why="A weight matrix meets one token at a time: its rows are the features of a token. "
        "The number of tokens appears in no weight matrix.",
        sources=("003-15",),
        apply=_weights_as_high_as_the_sentence,
        state="example=square",
    ),
    *OUTPUT_SLIPS,
)
