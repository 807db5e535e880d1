"""Mistakes in the projections: biases are left out, or matrices are multiplied in the wrong order."""

from __future__ import annotations

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.with_switch.products import PRODUCT_MISTAKES


def _has_biases(trace: SelfAttentionTrace | MultiHeadTrace) -> bool:
    learned = trace.projections if isinstance(trace, MultiHeadTrace) else trace
    return any(b is not None and bool(np.any(b)) for b in (learned.b_q, learned.b_k, learned.b_v))


PROJECTION_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = (
    Mistake(
        name="biases_forgotten",
        concept="queries_keys_values",
        stage="q",
        title="The biases are not added",
        formula=r"Q = X W^Q",
        code="q, k, v = x @ w_q, context @ w_k, context @ w_v",
        why="Each projection adds its bias to every token. You left out the biases.",
        sources=("002-01",),
        needs="This example has no biases.",
        state="example=columns",
        shows=_has_biases,
    ),
    Mistake(
        name="weights_transposed",
        concept="queries_keys_values",
        stage="q",
        title="The weight matrices are transposed",
        formula=r"Q = X (W^Q)^\top",
        code="q, k, v = x @ w_q.T + b_q, context @ w_k.T + b_k, context @ w_v.T + b_v",
        why="PyTorch stores the weights of a layer transposed, and computes x Wᵀ. Here they are stored as (d_model, "
        "d_k), so x Wᵀ uses rows as columns. It runs only if the matrices are square.",
        sources=("probml/pml-book#707", "karpathy/nanoGPT#416"),
        state="example=columns",
    ),
    Mistake(
        name="weights_times_input",
        concept="queries_keys_values",
        stage="q",
        title="The weights stand before the input",
        formula=r"Q = W^Q X",
        code="q, k, v = w_q @ x + b_q, w_k @ context + b_k, w_v @ context + b_v",
        why="Each row of X has the features of one token, so compute X W, not W X. W X runs only if there are as many "
        "tokens as features.",
        sources=("Graylab/DL4Proteins-notebooks#8", "d2l-ai/d2l-en#128"),
        state="example=square",
    ),
    *PRODUCT_MISTAKES,
)
