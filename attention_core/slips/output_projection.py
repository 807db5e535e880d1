"""Slips of the output projection: W^O left out, or transposed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core.attention import AttentionTrace
from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace, split_heads
from attention_core.projection import project
from attention_core.slips.slip import Slip


def with_concat(trace: MultiHeadTrace, heads: AttentionTrace, concat: Array) -> MultiHeadTrace:
    """Replace the heads and their concatenation, and compute the rest rightly."""
    w_o = np.asarray(trace.weights.w_o)
    shares = split_heads(concat, trace.n_heads) @ w_o.reshape(trace.n_heads, -1, w_o.shape[-1])
    return replace(trace, heads=heads, concat=concat, shares=shares, output=project(concat, w_o, trace.weights.b_o))


def _without_w_o(trace: MultiHeadTrace) -> MultiHeadTrace:
    if trace.concat.shape != trace.output.shape:
        raise ValueError(
            f"the output must be as wide as the input; got {trace.concat.shape[-2:]}, x {trace.x.shape[-2:]}: "
            "multiply the concatenation by W^O."
        )
    return replace(trace, output=trace.concat)


def _w_o_transposed(trace: MultiHeadTrace) -> MultiHeadTrace:
    w_o = np.asarray(trace.weights.w_o)
    if w_o.shape != w_o.T.shape:
        raise ValueError(f"concat @ w_o.T needs as many rows as columns; got w_o {w_o.shape}: write concat @ w_o.")
    return with_concat(replace(trace, weights=replace(trace.weights, w_o=w_o.T)), trace.heads, trace.concat)


OUTPUT_SLIPS: tuple[Slip[MultiHeadTrace], ...] = (
    Slip(
        name="w_o_forgotten",
        concept="multi_head",
        stage="output",
        title="Wᴼ forgotten",
        formula=r"\operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h)",
        code="output = concat",
        why="Without it the heads’ findings stay in their own blocks of columns: nothing mixes them, and only by luck "
        "are they as wide as the input.",
        sources=("000-17", "001-13"),
        apply=_without_w_o,
        state="example=columns",
    ),
    Slip(
        name="w_o_transposed",
        concept="multi_head",
        stage="output",
        title="Wᴼ transposed",
        formula=r"\operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h) \, (W^O)^\top",
        code="output = concat @ w_o.T",
        why="The rows of W^O belong to the heads’ columns: transposed, as PyTorch keeps it, each head meets the wrong "
        "ones. It runs only where W^O is square.",
        sources=("skyzh/tiny-llm#60",),
        apply=_w_o_transposed,
        state="example=square",
    ),
)
