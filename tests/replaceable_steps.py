"""Attention step by step, from the paper, with steps that can be replaced. Tests compare rare mistakes with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from attention_core.position_trace import sinusoidal_steps

Edit = Callable[[Any], Any]


def unchanged(matrix: Any) -> Any:
    """Return a matrix without a change."""
    return matrix


def one_head(t: Any, **edits: Edit) -> Any:
    """Return the output of one head with its mask, after some matrices were changed.

    Each keyword names a matrix, and its value is a function that changes this matrix. `t` is a problem or a trace with
    the inputs.
    """
    e = {name: edits.pop(name, unchanged) for name in "x w_q w_k w_v q k v scores scaled weights output".split()}
    assert not edits
    x, context = e["x"](t.x), e["x"](t.context)
    b_q, b_k, b_v = (0 if bias is None else bias for bias in (t.b_q, t.b_k, t.b_v))
    q = e["q"](x @ e["w_q"](t.w_q) + b_q)
    k = e["k"](context @ e["w_k"](t.w_k) + b_k)
    v = e["v"](context @ e["w_v"](t.w_v) + b_v)
    scaled = e["scaled"](e["scores"](np.einsum("id,jd->ij", q, k)) / np.sqrt(t.w_q.shape[1]))
    allowed = True if t.mask is None else t.mask
    return e["output"](e["weights"](softmax(np.where(allowed, scaled, -np.inf), axis=1)) @ v)


def several_heads(t: Any, **edits: Edit) -> Any:
    """Return the output of several heads without a mask, after some matrices were changed.

    Each keyword names a matrix, and its value is a function that changes this matrix. For a name that ends in "_heads",
    and for "scores", "scaled", "weights" and "heads", the function is applied in each head.
    """
    whole = {name: edits.pop(name, unchanged) for name in "w_q w_k w_v q k v concat output".split()}
    each = {name: edits.pop(name, unchanged) for name in "q_heads k_heads v_heads scores scaled weights heads".split()}
    assert not edits
    w, h = t.projections, t.n_heads
    q, k, v = (
        whole[m](rows @ whole[f"w_{m}"](getattr(w, f"w_{m}")) + getattr(w, f"b_{m}"))
        for m, rows in (("q", t.x), ("k", t.context), ("v", t.context))
    )
    heads = []
    for parts in zip(*(np.hsplit(m, h) for m in (q, k, v)), strict=True):
        q_i, k_i, v_i = (each[f"{m}_heads"](part) for m, part in zip("qkv", parts, strict=True))
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


def with_zeros(m: Any, *, row: int | None = None, column: int | None = None) -> Any:
    """Return the matrix `m`, but with 0 in one row or in one column.

    Negative numbers of rows and columns count from the end.
    """
    rows, columns = (np.arange(n) for n in m.shape)
    gone = (rows[:, None] == (-1 if row is None else row % len(rows))) | (
        columns == (-1 if column is None else column % len(columns))
    )
    return np.where(gone, 0, m)


def normalise_rows(m):
    """Return the matrix `m`, with each row changed to mean 0 and variance 1."""
    return np.array([standardised_row(row) for row in m])


def normalised_rows_of_sum(x: Any, z: Any) -> Any:
    """Return the sum of the matrices `x` and `z`, with each row changed to mean 0 and variance 1."""
    return np.array([(row - np.mean(row)) / np.sqrt(np.mean(row * row) - np.mean(row) ** 2) for row in x + z])


AROUND = {
    "input_added_and_normed": lambda x, z: normalise_rows(x + z),
    "input_added_and_normed_without_a_small_number": normalised_rows_of_sum,
    "input_added_and_rms_normed": lambda x, z: np.array([r / np.sqrt(np.mean(r * r) + 1e-5) for r in x + z]),
    "input_normed_and_added": lambda x, z: x + normalise_rows(z),
    "input_normed_itself_and_added": lambda x, z: normalise_rows(x) + z,
    "input_added_and_relu": lambda x, z: (x + z).clip(0),
    "input_subtracted": lambda x, z: z - x,
    "input_taken_from": lambda x, z: x - z,
    "input_multiplied": lambda x, z: x * z,
    "input_added_twice": lambda x, z: z + x + x,
    "input_averaged": lambda x, z: np.mean([x, z], axis=0),
    "input_added_and_divided_by_root_two": lambda x, z: x * 0.5**0.5 + z * 0.5**0.5,
    "input_added_normed_down": lambda x, z: normalise_rows((x + z).T).T,
    "input_added_and_normed_by_one_less": lambda x, z: np.array([(r - np.mean(r)) / np.std(r, ddof=1) for r in x + z]),
    "input_added_and_scaled": lambda x, z: z + np.sqrt(x.shape[1]) * x,
    "input_added_and_softmax": lambda x, z: softmax(x + z, axis=1),
}


FUNCTIONS: dict[str, Edit] = {
    "relu": lambda m: m.clip(min=0),
    "tanh": lambda m: 2 * expit(2 * m) - 1,
    "sigmoid": expit,
    "gelu": lambda m: m * expit(2 * np.sqrt(2 / np.pi) * (m + 0.044715 * m**3)),
    "softmax": lambda m: softmax(m, axis=1),
    "softmax_down": lambda m: softmax(m, axis=0),
    "layer_norm": by_rows(standardised_row),
    "layer_norm_without_a_small_number": by_rows(
        lambda r: (r - sum(r) / len(r)) / np.sqrt(np.mean(r * r) - np.mean(r) ** 2)
    ),
    "layer_norm_by_one_less": by_rows(
        lambda r: (r - sum(r) / len(r)) / np.sqrt(sum((r - sum(r) / len(r)) ** 2) / (len(r) - 1))
    ),
    "normalised_as_a_whole": lambda m: (m - m.sum() / m.size) / np.sqrt(((m - m.sum() / m.size) ** 2).sum() / m.size),
    "by_absolute_sum": by_rows(lambda r: r / sum(abs(c) for c in r)),
    "batch_norm": by_columns(standardised_row),
    "rms_norm": by_rows(lambda r: r / np.sqrt(sum(r * r) / len(r) + 1e-5)),
    "unit_rows": by_rows(lambda r: r / np.sqrt(sum(r * r))),
    "by_sum": by_rows(lambda r: r / sum(r)),
    "by_sum_down": by_columns(lambda r: r / sum(r)),
    "by_maximum": by_rows(lambda r: r / max(r)),
    "by_maximum_of_all": lambda m: m / max(m.ravel()),
    "by_sum_of_all": lambda m: m / sum(m.ravel()),
    "from_nought_to_one": by_rows(lambda r: (r - min(r)) / (max(r) - min(r))),
    "centred": by_rows(lambda r: r - sum(r) / len(r)),
    "centred_down": by_columns(lambda r: r - sum(r) / len(r)),
    "positions_added": lambda m: m + sinusoidal_steps(*m.shape).encoding,
    "row_numbers_added": lambda m: np.array([row + i for i, row in enumerate(m)]),
    "row_numbers_from_one_added": lambda m: np.array([row + i for i, row in enumerate(m, 1)]),
    "negated": lambda m: 0 - m,
    "absolute": lambda m: np.sqrt(m * m),
    "squared": lambda m: m * m,
    "cubed": lambda m: m * m * m,
    "rooted": lambda m: m**0.5,
    "exponential": lambda m: np.e**m,
    "doubled": lambda m: m + m,
    "halved": lambda m: m - 0.5 * m,
    "tenfold": lambda m: m / 0.1,
    "a_tenth": lambda m: m * 0.1,
    "less_their_distance": lambda m: np.array([[c - abs(i - j) for j, c in enumerate(row)] for i, row in enumerate(m)]),
    "clipped_to_one": lambda m: m.clip(0, 1),
    "clipped": lambda m: m.clip(-1, 1),
    "cut": lambda m: m.astype(int),
    "rounded": np.rint,
    "rounded_down": lambda m: m // 1,
    "rounded_to_one_decimal": lambda m: np.rint(m * 10) / 10,
    "upside_down": np.flipud,
    "mirrored": np.fliplr,
    "one_row_down": lambda m: m[[-1, *range(len(m) - 1)]],
    "one_row_up": lambda m: m[[*range(1, len(m)), 0]],
    "one_column_right": lambda m: m[:, [-1, *range(m.shape[1] - 1)]],
    "one_column_left": lambda m: m[:, [*range(1, m.shape[1]), 0]],
    "column_by_column": lambda m: m.ravel(order="F").reshape(m.shape),
    "filled_by_columns": lambda m: np.reshape(np.ravel(m), m.shape, order="F"),
    "turned": lambda m: np.swapaxes(m, 0, 1),
    "first_row": lambda m: np.tile(m[0], (len(m), 1)),
    "last_row": lambda m: np.tile(m[-1], (len(m), 1)),
    "mean_row": lambda m: np.tile(sum(m) / len(m), (len(m), 1)),
    "first_column": lambda m: np.tile(m[:, 0], (m.shape[1], 1)).T,
    "last_row_nought": lambda m: with_zeros(m, row=-1),
    "first_row_nought": lambda m: with_zeros(m, row=0),
    "last_column_nought": lambda m: with_zeros(m, column=-1),
    "first_column_nought": lambda m: with_zeros(m, column=0),
    "diagonal_nought": lambda m: m - np.diag(np.diag(m)),
    "diagonal_alone": lambda m: np.diag(np.diag(m)),
    "summed_along": by_rows(lambda r: [sum(r[: i + 1]) for i in range(len(r))]),
    "summed_down": by_columns(lambda r: [sum(r[: i + 1]) for i in range(len(r))]),
    "with_its_transpose": lambda m: m + np.swapaxes(m, 0, 1),
    "with_ones_on_the_diagonal": lambda m: m + np.diag(np.ones(len(m))),
}
