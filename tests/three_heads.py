"""Attention with three heads of two columns, computed by loops over the heads.

Tests compare mistakes of heads with it.
"""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from attention_core import MultiHeadProjections, multi_head_attention
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.mistake import lines_with
from attention_core.mistakes.engine.named_traces import names_of
from attention_core.mistakes.engine.pipelines import HEADS
from strategies import random_numbers

N, H, D = 6, 3, 2  # as many tokens as features, so that every mistake is possible
WIDTH = H * D
ROOT = np.sqrt(D)
CAUSAL = np.tri(N, dtype=bool)


def correct_trace(mask=None, n=N):
    """Return the trace (all matrices) of correct attention with three heads on random matrices."""
    w = {f"w_{m}": random_numbers(WIDTH, WIDTH, seed=200 + i) / 2 for i, m in enumerate("qkvo")}
    b = {f"b_{m}": random_numbers(WIDTH, seed=210 + i) for i, m in enumerate("qkvo")}
    return multi_head_attention(random_numbers(n, WIDTH, seed=220), MultiHeadProjections(**w, **b), H, mask=mask)


def output_of_mistake(mistake, t):
    """Return the output of a mistake, which may have another shape than the correct output.

    `t` is the trace of the correct attention.
    """
    return run(lines_with(HEADS, mistake), names_of(t))["output"]


def heads_of(m):
    """Return the columns of the matrix `m` that belong to each head, as a list of matrices."""
    return [m[:, h * D : (h + 1) * D] for h in range(H)]


def outputs_of_heads(q, k, v, *, scale=(ROOT,) * H, weights=None, seen=None):
    """Return the output of each head for these queries, keys and values, as a list.

    `scale` holds the number by which the scores of each head are divided, and `seen` holds the mask of each head.
    `weights` is a function that takes the weights of all heads and returns changed weights.
    """
    hidden = [np.ones((N, N), dtype=bool)] * H if seen is None else seen
    scaled = [a @ b.T / root for a, b, root in zip(q, k, scale, strict=True)]
    found = [softmax(np.where(m, s, -np.inf), axis=1) for s, m in zip(scaled, hidden, strict=True)]
    return [w @ m for w, m in zip(weights(found) if weights else found, v, strict=True)]


def mix_heads(t, heads):
    """Multiply the concatenated `heads` by W^O of the trace `t`, add the bias, and return the output."""
    return np.hstack(heads) @ t.projections.w_o + t.projections.b_o


def usual_output(t, **more):
    """Return the output of attention with three heads. `more` holds keywords of `outputs_of_heads`."""
    return mix_heads(t, outputs_of_heads(heads_of(t.q), heads_of(t.k), heads_of(t.v), **more))


def correct_outputs_of_heads(t):
    """Return the correct output of each head."""
    return outputs_of_heads(heads_of(t.q), heads_of(t.k), heads_of(t.v))
