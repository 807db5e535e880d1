"""Attention step by step, from the paper, with steps that can be replaced. Tests compare rare mistakes with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import softmax

from attention_core.rotation import sinusoidal_steps

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
