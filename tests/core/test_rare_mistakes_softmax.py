"""Test functions in place of the softmax, each computed once more, row by row."""

import math

import numpy as np
from scipy.special import expit, softmax

from attention_core.mistakes.rare.softmax import wrong_softmaxes
from square_example import CAUSAL, N, check_outputs, square_trace


def row_by_row(weights_of_row):
    """Return a function from a trace to its output of attention, with weights that are made row by row.

    `weights_of_row` takes a row of scaled scores and returns a row of weights.
    """
    return lambda t: np.array([weights_of_row(row) for row in t.scaled]) @ t.v


SHARES = {
    "relu_of_scores": row_by_row(lambda r: r.clip(0)),
    "relu_shared": row_by_row(lambda r: r.clip(0) / sum(r.clip(0))),
    "relu_by_n": row_by_row(lambda r: r.clip(0) / N),
    "absolute_shared": row_by_row(lambda r: abs(r) / sum(abs(r))),
    "divided_by_absolute_sum": row_by_row(lambda r: r / sum(abs(r))),
    "squares_shared": row_by_row(lambda r: r * r / sum(r * r)),
    "scores_by_maximum": row_by_row(lambda r: r / max(r)),
    "scores_by_length": row_by_row(lambda r: r / math.hypot(*r)),
    "scores_by_n": row_by_row(lambda r: r / N),
    "scores_from_nought_to_one": row_by_row(lambda r: (r - min(r)) / np.ptp(r)),
    "scores_from_nought_shared": row_by_row(lambda r: (r - min(r)) / sum(r - min(r))),
    "scores_by_all": lambda t: t.scaled / t.scaled.sum() @ t.v,
    "scores_by_columns": lambda t: np.array([c / sum(c) for c in t.scaled.T]).T @ t.v,
    "tanh_of_scores": row_by_row(lambda r: 2 * expit(2 * r) - 1),
    "softplus_of_scores": row_by_row(lambda r: np.logaddexp(0, r)),
    "softplus_shared": row_by_row(lambda r: np.logaddexp(0, r) / sum(np.logaddexp(0, r))),
    "sigmoid_shared": row_by_row(lambda r: expit(r) / sum(expit(r))),
    "powers_of_ten": row_by_row(lambda r: softmax(r * math.log(10))),
    "powers_of_two_point_seven": row_by_row(lambda r: softmax(r * math.log(2.7))),
    "powers_rounded": row_by_row(lambda r: np.rint(np.exp(r)) / sum(np.rint(np.exp(r)))),
    "powers_cut": row_by_row(lambda r: np.trunc(np.exp(r)) / sum(np.trunc(np.exp(r)))),
    "powers_of_three": row_by_row(lambda r: softmax(r * math.log(3))),
    "straight_line": row_by_row(lambda r: (1 + r) / (N + sum(r))),
    "parabola": row_by_row(lambda r: (1 + r + r * r / 2) / sum(1 + r + r * r / 2)),
    "powers_less_one": row_by_row(lambda r: (np.exp(r) - 1) / sum(np.exp(r) - 1)),
    "self_not_in_the_sum": row_by_row(lambda r: [p / (sum(np.exp(r)) - p) for p in np.exp(r)]),
    "sum_of_scores": row_by_row(lambda r: np.exp(r) / sum(r)),
    "power_of_the_sum": row_by_row(lambda r: np.exp(r - sum(r))),
    "scores_by_powers": row_by_row(lambda r: r / sum(np.exp(r))),
    "powers_by_length": row_by_row(lambda r: np.exp(r) / math.hypot(*np.exp(r))),
    "powers_by_all_maximum": lambda t: np.exp(t.scaled - max(t.scaled.ravel())) @ t.v,
    "powers_by_diagonal": lambda t: np.array([np.exp(r - r[i]) for i, r in enumerate(t.scaled)]) @ t.v,
    "powers_by_first": row_by_row(lambda r: np.exp(r - r[0])),
    "running_sums": row_by_row(lambda r: [math.exp(c) / sum(np.exp(r[: i + 1])) for i, c in enumerate(r)]),
    "last_left_out_of_the_sum": row_by_row(lambda r: np.exp(r) / sum(np.exp(r[:-1]))),
    "first_left_out_of_the_sum": row_by_row(lambda r: np.exp(r) / sum(np.exp(r[1:]))),
    "maximum_above_alone": row_by_row(lambda r: softmax(r) / math.exp(max(r))),
    "maximum_below_alone": row_by_row(lambda r: softmax(r) * math.exp(max(r))),
    "maximum_without_keepdims": lambda t: softmax(t.scaled - [max(row) for row in t.scaled], axis=1) @ t.v,
    "maximum_of_columns": lambda t: softmax(t.scaled - [max(c) for c in t.scaled.T], axis=1) @ t.v,
    "maximum_after_the_exponential": row_by_row(
        lambda r: (np.exp(r) - math.exp(max(r))) / (sum(np.exp(r)) - N * math.exp(max(r)))
    ),
    "both_without_keepdims": lambda t: (
        np.exp(t.scaled - [max(row) for row in t.scaled])
        / [sum(np.exp(r - [max(row) for row in t.scaled])) for r in t.scaled]
        @ t.v
    ),
    "divided_by_maximum_first": row_by_row(lambda r: softmax(r / max(r))),
    "least_takes_all": lambda t: t.v[t.scaled.argmin(axis=1)],
    "greatest_alone_kept": row_by_row(lambda r: softmax(r) * (r == max(r))),
    "two_greatest_alone": row_by_row(lambda r: np.exp(r) * (r >= sorted(r)[-2]) / sum(np.exp(sorted(r)[-2:]))),
    "greatest_left_out": row_by_row(lambda r: np.exp(r) * (r < max(r)) / sum(np.exp(sorted(r)[:-1]))),
    "what_is_left_of_one": row_by_row(lambda r: 1 - softmax(r)),
    "both_axes_multiplied": lambda t: softmax(t.scaled, axis=0) * softmax(t.scaled, axis=1) @ t.v,
    "columns_then_rows": lambda t: np.array([r / sum(r) for r in softmax(t.scaled, axis=0)]) @ t.v,
    "softmax_three_times": row_by_row(lambda r: softmax(softmax(softmax(r)))),
    "unscaled_sums": row_by_row(lambda r: np.exp(2 * r) / sum(np.exp(r))),
    "dropout_scale": lambda t: t.output * 10 / 9,
    "softmax_last": lambda t: softmax(t.scaled @ t.v, axis=1),
    "softmax_last_down": lambda t: softmax(t.scaled @ t.v, axis=0),
    "softmax_last_unscaled": lambda t: softmax(t.scores @ t.v, axis=1),
    "linear_attention": lambda t: softmax(t.q, axis=1) @ softmax(t.k, axis=0).T @ t.v,
}


DIVIDED_BY = {  # the number that divides cell (i, j) of the exponentials
    "columns": lambda p, i, j: sum(p[:, j]),
    "flat_sums": lambda p, i, j: sum(p[j]),
    "all": lambda p, i, j: sum(p.ravel()),
    "one_more": lambda p, i, j: 1 + sum(p[i]),
    "a_little_more": lambda p, i, j: 0.1 + sum(p[i]),
    "n": lambda p, i, j: N,
    "first_sum": lambda p, i, j: sum(p[0]),
    "last_sum": lambda p, i, j: sum(p[-1]),
    "running_sum": lambda p, i, j: sum(p[: i + 1].ravel()),
}


def divide_cells(powers, by):
    """Return a matrix in which cell (i, j) of `powers` is divided by `by(powers, i, j)`."""
    return np.array([[c / by(powers, i, j) for j, c in enumerate(row)] for i, row in enumerate(powers)])


def exponentials_below_maximum(t):
    """Return e^(score - maximum of the row) for the scaled scores of the trace `t`."""
    return np.exp([row - max(row) for row in t.scaled])


def test_shares():
    sums = {
        f"powers_by_{name}": lambda t, by=by: divide_cells(np.exp(t.scaled), by) @ t.v
        for name, by in DIVIDED_BY.items()
    }
    for name in ("columns", "flat_sums", "all"):
        del sums[f"powers_by_{name}"]
    sums |= {
        f"powers_from_the_maximum_by_{name}": lambda t, by=by: divide_cells(exponentials_below_maximum(t), by) @ t.v
        for name, by in DIVIDED_BY.items()
    }
    check_outputs(wrong_softmaxes(), SHARES | sums, square_trace())
    assert len(wrong_softmaxes()) == len(SHARES | sums)


def test_a_causal_mask_does_not_change_the_last_row():
    """Check that most wrong softmaxes give the same last row of the output with and without a causal mask.

    The last query sees all keys, so the mask hides nothing from it.
    """
    masked, plain = square_trace(mask=CAUSAL), square_trace()
    alike = SHARES.keys() - {"softmax_last_down", "linear_attention", "maximum_of_columns"}
    alike -= {
        "scores_by_all",
        "scores_by_columns",
        "powers_by_all_maximum",
        "both_axes_multiplied",
        "columns_then_rows",
    }
    alike -= {"maximum_without_keepdims", "both_without_keepdims"}
    for mistake in wrong_softmaxes():
        if mistake.name in alike:
            last = mistake.apply(masked).output[-1]
            np.testing.assert_allclose(last, mistake.apply(plain).output[-1], atol=1e-9, err_msg=mistake.name)
