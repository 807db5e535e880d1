"""Lines of code that look correct but do something else, and weights that were copied with two rows swapped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake, has_mask
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake
from attention_core.mistakes.rare.heads import mistake_of_heads
from attention_core.mistakes.rare.projection import CALLED, ROWS

COPIED = "The first two are swapped. Compare the weights that you typed with the given weights."
BIAS = (
    "A bias has one number for each column, and the same bias is added to every row. `b[:, None]` adds one number "
    "to each row instead."
)
FEATURES = (
    "In Qᵀ, Kᵀ and Vᵀ, each row is a feature, so Qᵀ K compares features. Q Kᵀ compares the query of each token with "
    "the key of each token."
)
LINES: tuple[tuple[str, str, str, str, str], ...] = (
    ("q", "projections_taken_in_turn", "The columns of Q, K and V are taken in turn from the fused projection",
        "fused = np.concatenate([x @ w_q + b_q, context @ w_k + b_k, context @ w_v + b_v], axis=1)\n"
        "q, k, v = np.moveaxis(fused.reshape(len(x), -1, 3), -1, 0)",
        "The fused projection has all columns of Q, then all of K, then all of V. Reshape it to (n, 3, d), not to "
        "(n, d, 3)."),
    ("scores", "features_attend", "The features attend to each other, not the tokens",
        "scores = q.T @ k\nmasked = scaled\noutput = v @ weights",
        "Qᵀ K compares columns with columns. Q Kᵀ compares the query of each token with the key of each token."),
    ("scores", "transposed_features_attend", "Q, K and V are transposed, so the features attend to each other",
        "scores = q.T @ k\nmasked = scaled\noutput = (weights @ v.T).T", FEATURES),
    ("weights", "weights_sorted", "The weights of each row are sorted",
        "weights = np.sort(softmax(masked), axis=-1)[..., ::-1]",
        "Each weight belongs to one key. After sorting, the weights multiply the values of other tokens."),
    ("scaled", "scaled_at_the_output", "The output is multiplied by √d_k, and the scores are not divided",
        "scaled = scores\noutput = weights @ v * np.sqrt(d_k)",
        "Divide the scores by the square root of d_k, before the softmax. Do not multiply the output by it."),
    ("output", "output_reshaped", "The outputs are reshaped, not transposed",
        "output = (weights @ v).reshape(v.shape[-1], -1)",
        "reshape does not swap rows and columns: it keeps the order of the numbers and only changes the length of the "
        "rows. Use .T to transpose."),
)  # fmt: skip


def _swapped_in_copying() -> Iterator[Mistake[Any]]:
    """Yield the mistakes that swap two rows or columns of W^Q, W^K or W^V, or add a bias to the rows."""
    for m in "qkv":
        w = f"w_{m}"
        swapped = {
            "row": f"np.concatenate([{w}[1:2], {w}[:1], {w}[2:]])",
            "column": f"np.concatenate([{w}[:, 1:2], {w}[:, :1], {w}[:, 2:]], axis=1)",
        }
        for what, code in swapped.items():
            title = f"The first two {what}s of W^{m.upper()} are swapped"
            yield diagnosis_mistake(m, f"{what}s_of_w_{m}_swapped", title, f"{m} = {ROWS[m]} @ {code} + b_{m}", COPIED)
        title = f"The bias of {CALLED[m]} is added down the rows"
        code = f"{m} = {ROWS[m]} @ {w} + np.ravel(b_{m})[: len({ROWS[m]}), None]"
        yield diagnosis_mistake(m, f"bias_of_{m}_down_the_rows", title, code, BIAS)


def _has_row_of_zeros(trace: Any) -> bool:
    """Return whether a trace has a mask, and a row in which all visible scores are 0."""
    scored = trace.heads if isinstance(trace, MultiHeadTrace) else trace
    return has_mask(trace) and bool((~np.nan_to_num(scored.masked, neginf=0).any(axis=-1)).any())


def misleading_lines() -> RareMistakes:
    """Return the mistakes with lines that look correct but do something else, and with wrongly copied weights."""
    return (
        *(diagnosis_mistake(stage, name, title, code, why) for stage, name, title, code, why in LINES),
        diagnosis_mistake(
            "masked", "zeros_hidden_with_a_billion", "The scores of 0 are hidden as well, with −10⁹",
            "masked = np.where(scaled * allowed == 0, -1e9, scaled)",
            "`scores * mask == 0` is true for a hidden score, but also for a score of 0. Test the mask itself instead.",
            needs="It takes a row in which every score that is not hidden is 0.", shows=_has_row_of_zeros,
        ),
        *_swapped_in_copying(),
        mistake_of_heads(
            "output", "heads_stacked", "The heads stand one below the other, and W^O is missing",
            "output = heads.reshape(-1, heads.shape[-1])",
            "Along axis 0, the heads give more rows. Put them side by side along the last axis, and multiply them by "
            "W^O.",
        ),
        mistake_of_heads(
            "q", "nothing_projected_in_heads", "Only W^O is used: Q = K = V = X", "q, k, v = x, context, context",
            "Q, K and V are the input times W^Q, W^K and W^V. These three products are missing.",
        ),
    )  # fmt: skip
