"""Test the rare mistakes of one head, each computed once more from its description.

The mistakes with masks are tested in `test_rare_masks.py`.
"""

import math

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import self_attention
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.mistake import lines_with
from attention_core.mistakes.engine.named_traces import names_of
from attention_core.mistakes.engine.pipelines import ATTENTION
from attention_core.mistakes.rare import rare_mistakes
from by_hand import FUNCTIONS, normalise_rows, one_head
from square_example import CAUSAL, ROOT, N, attention_output, by_score, check_outputs, square_trace
from strategies import one_head_trace, random_numbers

ONE_HEAD = [
    mistake
    for mistake in rare_mistakes()
    if mistake.concept in ("queries_keys_values", "scaling", "softmax_axes")
    or (mistake.concept == "attention" and mistake.stage == "output")
]
MISTAKE = {mistake.name: mistake for mistake in ONE_HEAD}
SWAPPED = [1, 0, 2, 3]


def attention_with(t, **changed):
    """Return the output of attention with some of q, k and v replaced, as in `attention_with(t, k=t.x)`."""
    return attention_output(*(changed.get(m, getattr(t, m)) for m in "qkv"))


def in_each_row(weights_of_row):
    """Return a function from a trace to its output, with weights that `weights_of_row` makes from a row of scores."""
    return lambda t: np.array([weights_of_row(row) for row in t.scaled]) @ t.v


def output_without_features(some):
    """Return a function from a trace to its output, with scores that are computed from some features only."""
    return lambda t: attention_output(t.q[:, some], t.k[:, some], t.v)


def columns_in_turn(t):
    """Split the columns of Q, K and V, side by side, in turn: columns 1, 4, 7, … for the queries, and so on."""
    side_by_side = np.hstack([t.q, t.k, t.v])
    q, k, v = (side_by_side[:, first::3] for first in range(3))
    return attention_output(q, k, v)


def divide_powers(sums_of, *, from_maximum=False):
    """Return a function from a trace to its output. `sums_of(p)` holds what divides each cell of the exponentials p."""

    def output(t):
        powers = np.exp([row - max(row) if from_maximum else row for row in t.scaled])
        return powers / sums_of(powers) @ t.v

    return output


def running_sum(p):
    """Return a column: for each row, the sum of all numbers of `p` in this row and in the rows above."""
    return np.array([[sum(p[: i + 1].ravel())] for i in range(N)])


OPERANDS = {
    "biases_used_as_k_q_v": lambda t: attention_with(t, q=t.x @ t.w_q + t.b_k, k=t.x @ t.w_k + t.b_q),
    "bias_added_twice_in_qkv": lambda t: attention_output(t.q + t.b_q, t.k + t.b_k, t.v + t.b_v),
    "bias_of_k_added_to_q": lambda t: attention_with(t, q=t.q + t.b_k),
    "bias_of_q_down_the_rows": lambda t: attention_with(t, q=(t.w_q.T @ t.x.T + t.b_q).T),
    "columns_of_w_q_swapped": lambda t: attention_with(t, q=t.x @ t.w_q[:, SWAPPED] + t.b_q),
    "rows_of_w_k_swapped": lambda t: attention_with(t, k=t.x @ t.w_k[SWAPPED] + t.b_k),
    "projections_taken_in_turn": columns_in_turn,
    "query_scaled_before_bias": lambda t: softmax((t.x @ t.w_q / ROOT + t.b_q) @ t.k.T, axis=1) @ t.v,
    "likeness_summed": by_score(lambda q, k: sum(q) + sum(k)),
    "likeness_of_features": lambda t: softmax(np.einsum("nc,nd->cd", t.q, t.k) / ROOT, axis=1) @ t.v,
    "likeness_of_features_turned": lambda t: softmax(np.einsum("nd,nc->cd", t.q, t.k) / ROOT, axis=1) @ t.v,
    "features_attend": lambda t: t.v @ softmax(t.q.T @ t.k / ROOT, axis=1),
    "cosine_not_scaled": by_score(lambda q, k: ROOT * q @ k / math.hypot(*q) / math.hypot(*k)),
    "last_feature_out_of_scores": output_without_features([0, 1, 2]),
    "first_feature_out_of_scores": output_without_features([1, 2, 3]),
    "all_but_last_feature_out_of_scores": output_without_features([3]),
    "values_times_weights": lambda t: t.v @ t.weights,
    "values_turned": lambda t: np.einsum("ij,dj->id", t.weights, t.v),
    "values_turned_first": lambda t: np.einsum("jd,ji->di", t.v, t.weights),
    "weights_times_values_elementwise": lambda t: np.multiply(t.weights, t.v),
    "summed_over_the_queries": lambda t: np.einsum("ij,jd->jd", t.weights, t.v),
    "summed_over_the_features": lambda t: np.einsum("ij,jd->ij", t.weights, t.v),
    "greatest_term": lambda t: np.array([[max(w * t.v[:, d]) for d in range(N)] for w in t.weights]),
    "stopped_at_the_weights": lambda t: t.weights,
    "stopped_at_the_scores": lambda t: t.scaled,
    "last_token_out_of_output": lambda t: t.weights[:, :3] @ t.v[:3],
    "first_token_out_of_output": lambda t: t.weights[:, 1:] @ t.v[1:],
    "all_but_last_token_out_of_output": lambda t: np.outer(t.weights[:, 3], t.v[3]),
    "input_added_and_normed": lambda t: normalise_rows(t.x + t.output),
}
SHARES = {
    "relu_of_scores": in_each_row(lambda r: r.clip(0)),
    "scores_from_nought_to_one": in_each_row(lambda r: (r - min(r)) / np.ptp(r)),
    "powers_of_ten": in_each_row(lambda r: softmax(r * math.log(10))),
    "powers_of_two_point_seven": in_each_row(lambda r: softmax(r * math.log(2.7))),
    "powers_of_three": in_each_row(lambda r: softmax(r * math.log(3))),
    "powers_rounded": in_each_row(lambda r: np.rint(np.exp(r)) / sum(np.rint(np.exp(r)))),
    "sum_of_scores": in_each_row(lambda r: np.exp(r) / sum(r)),
    "power_of_the_sum": in_each_row(lambda r: np.exp(r - sum(r))),
    "scores_by_powers": in_each_row(lambda r: r / sum(np.exp(r))),
    "maximum_without_keepdims": lambda t: softmax(t.scaled - [max(row) for row in t.scaled], axis=1) @ t.v,
    "maximum_of_columns": lambda t: softmax(t.scaled - [max(c) for c in t.scaled.T], axis=1) @ t.v,
    "divided_by_maximum_first": in_each_row(lambda r: softmax(r / max(r))),
    "dropout_scale": lambda t: t.output * 10 / 9,
    "softmax_last": lambda t: softmax(t.scaled @ t.v, axis=1),
    "weights_sorted": lambda t: np.array([sorted(row, reverse=True) for row in t.weights]) @ t.v,
    "brackets_of_the_sum_forgotten": in_each_row(lambda r: np.exp(r) / math.exp(r[0]) + sum(np.exp(r[1:]))),
    "powers_by_n": divide_powers(lambda p: N),
    "powers_by_last_sum": divide_powers(lambda p: sum(p[-1])),
    "powers_by_running_sum": divide_powers(running_sum),
    "powers_from_the_maximum_by_running_sum": divide_powers(running_sum, from_maximum=True),
    "powers_from_the_maximum_by_columns": divide_powers(sum, from_maximum=True),
    "powers_from_the_maximum_by_flat_sums": divide_powers(lambda p: [sum(row) for row in p], from_maximum=True),
}
D_MODEL, D_K, D_V, LENGTH = 7, 5, 3, 6  # all sizes differ, so that each constant gives other numbers
SCALED = {
    "divided_by_two": lambda t: attention_output(t.q, t.k, t.v, 2),
    "divided_by_eight": lambda t: attention_output(t.q, t.k, t.v, 8),
    "divided_by_half": lambda t: attention_output(t.q, t.k, t.v, 2.5),
    "divided_by_one_more_than_root": lambda t: attention_output(t.q, t.k, t.v, 1 + math.sqrt(5)),
    "divided_by_root_d_k_after": lambda t: t.output / math.sqrt(5),
    "multiplied_by_n_after": lambda t: t.output * 6,
    "inputs_multiplied_by_root_d_model": lambda t: one_head(t, x=lambda x: x * math.sqrt(7)),
    "whole_quotient": lambda t: one_head(t, scaled=lambda s: np.array([[math.floor(c) for c in row] for row in s])),
    "root_of_the_quotient": lambda t: softmax(np.sqrt(t.scores.clip(0) / 5), axis=1) @ t.v,
    "scaled_at_the_output": lambda t: softmax(t.q @ t.k.T, axis=1) @ t.v * math.sqrt(5),
}
ON_MATRICES = {"qkv": ("q", "k", "v")}
ON_A_MATRIX = [mistake for mistake in ONE_HEAD if mistake.name.rpartition("_on_")[0] in FUNCTIONS]


def oblong_trace():
    """Return a trace (all matrices) of attention whose sizes all differ."""
    x = random_numbers(LENGTH, D_MODEL, seed=110)
    w = (random_numbers(D_MODEL, width, seed=112 + i) / 2 for i, width in enumerate((D_K, D_K, D_V)))
    return self_attention(x, *w, b_q=random_numbers(D_K, seed=116))


def output_of(name, trace):
    """Return the output of the mistake `name`, which may have another shape than the correct output."""
    return run(lines_with(ATTENTION, MISTAKE[name]), names_of(trace))["output"]


def test_operands_and_sums():
    check_outputs(ONE_HEAD, OPERANDS, square_trace())


def test_what_takes_the_place_of_the_softmax():
    check_outputs(ONE_HEAD, SHARES, square_trace())


def test_scales():
    check_outputs(ONE_HEAD, SCALED, oblong_trace())


@pytest.mark.parametrize("mistake", ON_A_MATRIX, ids=lambda mistake: mistake.name)
def test_a_function_on_a_matrix(mistake):
    function, _, matrix = mistake.name.rpartition("_on_")
    for trace in (square_trace(), one_head_trace()):
        wrong = one_head(trace, **dict.fromkeys(ON_MATRICES.get(matrix, (matrix,)), FUNCTIONS[function]))
        np.testing.assert_allclose(mistake.apply(trace).output, wrong, atol=1e-9)


OVER_ROWS = {"maximum_without_keepdims", "maximum_of_columns", "powers_by_running_sum"}
OVER_ROWS |= {name for name in SHARES if name.startswith("powers_from_the_maximum")}


@pytest.mark.parametrize("name", sorted(SHARES.keys() - OVER_ROWS))
def test_a_causal_mask_does_not_change_the_last_row(name):
    """Check that a wrong softmax gives the same last row with and without a causal mask: the last query sees all."""
    masked, plain = (MISTAKE[name].apply(square_trace(mask=mask)).output[-1] for mask in (CAUSAL, None))
    np.testing.assert_allclose(masked, plain, atol=1e-9)


def test_the_power_of_0_taken_for_0():
    zero = self_attention(np.eye(2), [[0, 1], [1, 0]], np.eye(2), np.eye(2))
    np.testing.assert_allclose(MISTAKE["zeroth_power_as_nought"].apply(zero).weights, [[0, 1], [1, 0]])


def test_a_reshape_is_no_transpose():
    x, *w = random_numbers(3, 2, seed=1), *(random_numbers(2, 2, seed=seed) for seed in (2, 3, 4))
    trace = self_attention(x, *w)
    (a, b), (c, d), (e, f) = trace.output
    np.testing.assert_allclose(output_of("output_reshaped", trace), [[a, b, c], [d, e, f]])


def test_every_mistake_has_an_expected_result():
    by_themselves = {"zeroth_power_as_nought", "output_reshaped", "softmax_over_columns_to_nan"}  # the last: with masks
    tested = {*OPERANDS, *SHARES, *SCALED, *by_themselves, *(mistake.name for mistake in ON_A_MATRIX)}
    assert MISTAKE.keys() == tested
