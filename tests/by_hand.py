"""Attention by hand, without the core: step by step with steps that can be replaced, and three heads by loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import softmax

from attention_core import MultiHeadProjections, multi_head_attention
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.mistake import lines_with
from attention_core.mistakes.engine.named_traces import names_of
from attention_core.mistakes.engine.pipelines import HEADS
from attention_core.rotation import sinusoidal_steps
from strategies import random_numbers

Edit = Callable[[Any], Any]


def unchanged(matrix: Any) -> Any:
    """Return a matrix without a change."""
    return matrix


def one_head(t: Any, **edits: Edit) -> Any:
    """Return the output of one head with its mask, after some matrices were changed.

    Each keyword names a matrix, and its value is a function that changes this matrix. `t` is a problem or a trace with
    the inputs.
    """
    e = {name: edits.pop(name, unchanged) for name in "x q k v scores scaled weights output".split()}
    assert not edits
    x, context = e["x"](t.x), e["x"](t.context)
    b_q, b_k, b_v = (0 if bias is None else bias for bias in (t.b_q, t.b_k, t.b_v))
    q = e["q"](x @ t.w_q + b_q)
    k = e["k"](context @ t.w_k + b_k)
    v = e["v"](context @ t.w_v + b_v)
    scaled = e["scaled"](e["scores"](np.einsum("id,jd->ij", q, k)) / np.sqrt(t.w_q.shape[1]))
    allowed = True if t.mask is None else t.mask
    return e["output"](e["weights"](softmax(np.where(allowed, scaled, -np.inf), axis=1)) @ v)


def several_heads(t: Any, **edits: Edit) -> Any:
    """Return the output of several heads without a mask, after some matrices were changed.

    Each keyword names a matrix, and its value is a function that changes this matrix. For "scores",
    "scaled", "weights" and "heads", the function is applied in each head.
    """
    whole = {name: edits.pop(name, unchanged) for name in "q k v concat output".split()}
    each = {name: edits.pop(name, unchanged) for name in "scores scaled weights heads".split()}
    assert not edits
    w, h = t.projections, t.n_heads
    q, k, v = (
        whole[m](rows @ getattr(w, f"w_{m}") + getattr(w, f"b_{m}"))
        for m, rows in (("q", t.x), ("k", t.context), ("v", t.context))
    )
    heads = []
    for q_i, k_i, v_i in zip(*(np.hsplit(m, h) for m in (q, k, v)), strict=True):
        scaled = each["scaled"](each["scores"](q_i @ k_i.T) / np.sqrt(q_i.shape[1]))
        heads.append(each["heads"](each["weights"](softmax(scaled, axis=1)) @ v_i))
    return whole["output"](whole["concat"](np.hstack(heads)) @ w.w_o + w.b_o)


def by_rows(function: Edit) -> Edit:
    """Return a function that applies `function` to each row of a matrix."""
    return lambda m: np.array([function(row) for row in m])


def by_columns(function: Edit) -> Edit:
    """Return a function that applies `function` to each column of a matrix."""
    return lambda m: by_rows(function)(m.T).T


def standardised_row(row: Any) -> Any:
    """Return a row, changed to mean 0 and variance 1.

    The small number 1e-5 is added to the variance first, as usual.
    """
    return (row - sum(row) / len(row)) / np.sqrt(sum((row - sum(row) / len(row)) ** 2) / len(row) + 1e-5)


def normalise_rows(m):
    """Return the matrix `m`, with each row changed to mean 0 and variance 1."""
    return np.array([standardised_row(row) for row in m])


FUNCTIONS: dict[str, Edit] = {
    "relu": lambda m: m.clip(min=0),
    "softmax": lambda m: softmax(m, axis=1),
    "layer_norm": by_rows(standardised_row),
    "unit_rows": by_rows(lambda r: r / np.sqrt(sum(r * r))),
    "positions_added": lambda m: m + sinusoidal_steps(*m.shape).encoding,
    "negated": lambda m: 0 - m,
    "cut": lambda m: m.astype(int),
    "rounded": np.rint,
    "rounded_to_one_decimal": lambda m: np.rint(m * 10) / 10,
    "upside_down": np.flipud,
    "one_row_down": lambda m: m[[-1, *range(len(m) - 1)]],
    "turned": lambda m: np.swapaxes(m, 0, 1),
    "first_row": lambda m: np.tile(m[0], (len(m), 1)),
    "last_row": lambda m: np.tile(m[-1], (len(m), 1)),
    "mean_row": lambda m: np.tile(sum(m) / len(m), (len(m), 1)),
    "last_row_nought": lambda m: np.vstack([m[:-1], 0 * m[-1:]]),
    "first_row_nought": lambda m: np.vstack([0 * m[:1], m[1:]]),
    "diagonal_alone": lambda m: np.diag(np.diag(m)),
    "summed_along": by_rows(lambda r: [sum(r[: i + 1]) for i in range(len(r))]),
    "summed_down": by_columns(lambda r: [sum(r[: i + 1]) for i in range(len(r))]),
}


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
