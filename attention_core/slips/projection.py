"""Slips of the projections: biases left out, matrices the wrong way round."""

from __future__ import annotations

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.projection import project
from attention_core.slips.products import PRODUCT_SLIPS
from attention_core.slips.slip import Slip, with_projections


def _without_biases(trace: SelfAttentionTrace) -> SelfAttentionTrace:
    without = (project(trace.x, trace.w_q), project(trace.context, trace.w_k), project(trace.context, trace.w_v))
    return with_projections(trace, *without)


def _has_biases(trace: SelfAttentionTrace) -> bool:
    return any(b is not None and bool(np.any(b)) for b in (trace.b_q, trace.b_k, trace.b_v))


def _weights_transposed(trace: SelfAttentionTrace) -> SelfAttentionTrace:
    for name in ("w_q", "w_k", "w_v"):
        rows, columns = np.shape(getattr(trace, name))
        if rows != columns:
            raise ValueError(
                f"x @ {name}.T needs as many rows as columns; got {name} {(rows, columns)}: write x @ {name}."
            )
    q, k = project(trace.x, trace.w_q.T, trace.b_q), project(trace.context, trace.w_k.T, trace.b_k)
    return with_projections(trace, q, k, project(trace.context, trace.w_v.T, trace.b_v))


def _weights_first(trace: SelfAttentionTrace) -> SelfAttentionTrace:
    wrong = dict[str, Array]()
    for name in ("q", "k", "v"):
        x, w, b = trace.x if name == "q" else trace.context, getattr(trace, f"w_{name}"), getattr(trace, f"b_{name}")
        shape = (np.shape(w)[0], x.shape[-1])
        if np.shape(w)[1] != x.shape[-2] or shape != getattr(trace, name).shape[-2:]:
            raise ValueError(
                f"w_{name} @ x gives tokens × d_k only where all are as long; got w_{name} {np.shape(w)}, x {x.shape}: "
                f"write x @ w_{name}."
            )
        wrong[name] = np.asarray(w) @ x if b is None else np.asarray(w) @ x + b
    return with_projections(trace, **wrong)


PROJECTION_SLIPS: tuple[Slip[SelfAttentionTrace], ...] = (
    Slip(
        name="biases_forgotten",
        concept="queries_keys_values",
        stage="q",
        title="Biases forgotten",
        formula=r"Q = X W^Q",
        code="q, k, v = x @ w_q, context @ w_k, context @ w_v",
        why="Each projection adds its bias to every token. Leave it out and queries, keys and values are all shifted.",
        sources=("002-01",),
        apply=_without_biases,
        needs="This example has no biases.",
        state="example=columns",
        shows=_has_biases,
    ),
    Slip(
        name="weights_transposed",
        concept="queries_keys_values",
        stage="q",
        title="Weights transposed",
        formula=r"Q = X (W^Q)^\top",
        code="q, k, v = x @ w_q.T + b_q, context @ w_k.T + b_k, context @ w_v.T + b_v",
        why="PyTorch keeps a layer’s weights transposed and computes x Wᵀ. With weights kept as (d_model, d_k), "
        "as here, that reads each matrix the wrong way round. It runs only where they are square.",
        sources=("probml/pml-book#707", "karpathy/nanoGPT#416"),
        apply=_weights_transposed,
        state="example=columns",
    ),
    Slip(
        name="weights_times_input",
        concept="queries_keys_values",
        stage="q",
        title="Weights times input",
        formula=r"Q = W^Q X",
        code="q, k, v = w_q @ x + b_q, w_k @ context + b_k, w_v @ context + b_v",
        why="With a token a row, the features of a token stand in a row of X, so W must come after it. W X adds up the "
        "tokens instead. It runs only where there are as many tokens as features.",
        sources=("Graylab/DL4Proteins-notebooks#8", "d2l-ai/d2l-en#128"),
        apply=_weights_first,
        state="example=square",
    ),
    *PRODUCT_SLIPS,
)
