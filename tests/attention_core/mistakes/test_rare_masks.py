"""Test the rare mistakes with masks, windows, padding and rows without a visible key.

Each wrong mask is written down cell by cell, and each number in place of minus infinity as a number.
"""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import self_attention
from attention_core.diagnosis.diagnose import diagnose
from attention_core.diagnosis.pasted import Setting, diagnose_pasted, problem_of_queries
from attention_core.mistakes.rare import rare_mistakes
from attention_core.reading.matrix_text import read_matrix, write_matrix
from square_example import CAUSAL, ROOT, N, square_trace
from strategies import random_numbers

MISTAKE = {mistake.name: mistake for mistake in rare_mistakes()}
OF_MASKS = {name for name, each in MISTAKE.items() if each.concept == "attention" and each.stage != "output"}
GIVEN = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1]], dtype=bool)
LEAST = 1e-300  # the least sum that counts as more than 0


def softmax_of_seen(scores, seen):
    """Return the softmax of the scores that are seen. A row that sees nothing gets weights of 0."""
    powers = np.exp(scores) * seen
    return powers / np.maximum(powers.sum(axis=1, keepdims=True), LEAST)


# --- another mask ---

# Whether query i attends to key j. `a` is the mask of the task.
SEEN = {
    "mask_of_the_first_row": lambda a, i, j: a[0][j],
    "mask_one_row_down": lambda a, i, j: a[i - 1][j],
    "mask_causal": lambda a, i, j: a[i][j] and j <= i,
    "mask_strict_past": lambda a, i, j: a[i][j] and j < i,
    "mask_itself_hidden": lambda a, i, j: a[i][j] and i != j,
    "mask_last_key_hidden": lambda a, i, j: a[i][j] and j != N - 1,
    "mask_first_key_hidden": lambda a, i, j: a[i][j] and j != 0,
}
WEIGHTS = {
    "mask_causal_with_zeros": lambda s, a: softmax(s * (CAUSAL & a), axis=1),
    "mask_with_minus_one": lambda s, a: softmax(np.where(a, s, -1), axis=1),
    "mask_with_a_great_number": lambda s, a: softmax(np.where(a, s, 1e9), axis=1),
    "mask_again_after_zeros": lambda s, a: softmax(softmax(s, axis=1) * a, axis=1),
    "mask_again_after_infinities": lambda s, a: softmax_of_seen(softmax(s, axis=1), a),
    "mask_infinities_for_weights": lambda s, a: np.where(a, softmax(s, axis=1), -np.inf),
    "mask_twice": lambda s, a: softmax(s * a, axis=1) * a,
    "mask_even_among_seen": lambda s, a: np.full((N, N), 1 / N),
    **{
        name: lambda s, a, other=other: softmax_of_seen(
            s, np.array([[bool(other(a, i, j)) for j in range(N)] for i in range(N)])
        )
        for name, other in SEEN.items()
    },
}


@pytest.mark.parametrize("mask", [None, GIVEN, CAUSAL], ids=["none", "some", "causal"])
def test_each_mask_hides_what_it_says(mask):
    t, tried = square_trace(mask=mask), 0
    for name, weights in WEIGHTS.items():
        if MISTAKE[name].shows(t):
            with np.errstate(invalid="ignore"):  # a sum of ∞ and −∞ is NaN
                wrong = weights(t.scaled, np.ones((N, N), dtype=bool) if mask is None else mask) @ t.v
            np.testing.assert_allclose(MISTAKE[name].apply(t).output, wrong, atol=1e-9, err_msg=name)
            tried += 1
    assert tried >= 5


def test_a_score_of_0_is_hidden_too():
    mistake, eye, causal = MISTAKE["zeros_hidden_with_a_billion"], np.eye(2), np.tri(2, dtype=bool)
    trace = self_attention([[1.0, 0.0], [0.0, 3.0]], eye, eye, eye, mask=causal)
    assert not mistake.shows(trace)  # −10⁹ gives the same weights as −∞
    # the second row has the score 0 for key 1, so the code hides key 1
    np.testing.assert_allclose(mistake.apply(trace).output, [[1, 0], [0, 3]])
    trace = self_attention([[0.0, 0.0], [2.0, 3.0]], eye, eye, eye, mask=causal)
    assert mistake.shows(trace)
    # all keys of row 1 are hidden, so its weights are equal
    np.testing.assert_allclose(mistake.apply(trace).output[0], [1, 1.5])


# --- rows and columns with every key hidden ---

EMPTY = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)
FILLED = {
    "fill_of_a_billion": lambda s: softmax(np.where(EMPTY, s, -1e9), axis=1),
    "fill_of_ten_thousand": lambda s: softmax(np.where(EMPTY, s, -1e4), axis=1),
    "billion_added": lambda s: softmax(s - 1e9 * ~EMPTY, axis=1),
}


def test_what_is_made_of_a_row_with_every_key_hidden():
    right = square_trace(mask=EMPTY)
    np.testing.assert_array_equal(right.weights[2], 0)
    nan = MISTAKE["empty_row_to_nan"].apply(right)
    assert np.isnan(nan.weights[2]).all()
    np.testing.assert_allclose(np.delete(nan.weights, 2, axis=0), np.delete(right.weights, 2, axis=0))
    for name, weights in FILLED.items():
        np.testing.assert_allclose(MISTAKE[name].apply(right).weights, weights(right.q @ right.k.T / ROOT), atol=1e-6)
    np.testing.assert_allclose(MISTAKE["fill_of_a_billion"].apply(right).weights[2], 1 / N)


def test_mistakes_of_empty_rows_show_only_with_an_empty_row_or_large_scores():
    great = self_attention(
        [[300.0, 0], [0, 300], [-300, 0]], np.eye(2) * 10, np.eye(2) * 10, np.eye(2), mask=np.tri(3, dtype=bool)
    )
    for mistake in (MISTAKE[name] for name in ("empty_row_to_nan", *FILLED)):
        assert mistake.shows(square_trace(mask=EMPTY))
        assert not mistake.shows(square_trace(mask=CAUSAL))
        assert mistake.shows(great) == (mistake.name != "empty_row_to_nan")


def test_a_softmax_down_the_columns_divides_nought_by_nought_where_a_key_is_hidden():
    mistake = MISTAKE["softmax_over_columns_to_nan"]
    right = square_trace(mask=np.tile([True, True, False, True], (N, 1)))
    assert mistake.shows(right)
    assert not mistake.shows(square_trace(mask=CAUSAL))
    down = softmax(right.q @ right.k.T / ROOT, axis=0)
    down[:, 2] = np.nan
    np.testing.assert_allclose(mistake.apply(right).weights, down)


# --- windows, causal masks with a cache, and padding: the diagnosis must name each from its numbers ---

D, N_K = 4, 6
V = random_numbers(N_K, 3, seed=602).round(2)
REAL = 4  # the number of real keys; the keys after them are padding
HIDDEN = dict(mask="padding", hidden_keys=(5, 6))
BESIDE_CAUSAL = dict(mask="own", own_mask=np.tri(N_K, dtype=bool) & (np.arange(N_K) < REAL))


def window_setting(width):
    """Return the setting of a problem in which each query attends to a window of `width` keys."""
    return dict(mask="window", window=width)


# For each mistake: the number of queries, the setting, whether query i (at its position) attends to key j, and the
# number that replaces hidden scores.
HIDDEN_WRONGLY = {
    "window_too_wide": (N_K, window_setting(3), lambda i, j: i - 4 < j <= i, -np.inf),
    "window_too_narrow": (N_K, window_setting(3), lambda i, j: i - 2 < j <= i, -np.inf),
    "window_both_ways": (N_K, window_setting(3), lambda i, j: abs(i - j) < 3, -np.inf),
    "window_left_out": (N_K, window_setting(3), lambda i, j: j <= i, -np.inf),
    "cache_at_the_top_left": (2, dict(mask="causal_at_end"), lambda i, j: j <= i - 4, -np.inf),
    "window_at_the_top_left": (2, window_setting(2), lambda i, j: i - 6 < j <= i - 4, -np.inf),
    "padding_on_queries_to_nan": (N_K, HIDDEN, lambda i, j: i < REAL, -np.inf),
    "padding_on_queries_beside_causal": (N_K, BESIDE_CAUSAL, lambda i, j: j <= i < REAL, "zeros"),
    "padding_on_queries_beside_causal_with_a_billion": (N_K, BESIDE_CAUSAL, lambda i, j: j <= i < REAL, -1e4),
    "padding_on_queries_beside_causal_to_nan": (N_K, BESIDE_CAUSAL, lambda i, j: j <= i < REAL, -np.inf),
    "filler_one_too_few": (N_K, HIDDEN, lambda i, j: j <= REAL, -np.inf),
    "filler_one_too_many": (N_K, HIDDEN, lambda i, j: j < REAL - 1, -np.inf),
}


def problem_and_answer(name, asked, n_q, setting, sees, fill):
    """Return a problem with random queries and keys, and the answer of a learner who uses a wrong mask.

    `asked` is the matrix that the problem asks for, `n_q` the number of queries, and `setting` its settings. The
    wrong mask is `sees(i, j)`. `fill` replaces hidden scores; with "zeros", a row without any visible key gets
    weights of 0. `name` is the name of the mistake.
    """
    q, k = random_numbers(n_q, D, seed=600).round(2), random_numbers(N_K, D, seed=601).round(2)
    seen = np.array([[sees(i, j) for j in range(N_K)] for i in range(N_K - n_q, N_K)])
    with np.errstate(invalid="ignore"):
        weights = softmax(np.where(seen, q @ k.T / 2, -np.inf if fill == "zeros" else fill), axis=1)
    weights = np.nan_to_num(weights) if fill == "zeros" else weights
    return problem_of_queries(q, k, V, asked, Setting(**setting)), weights if asked == "weights" else weights @ V


@pytest.mark.parametrize("asked", ["weights", "output"])
@pytest.mark.parametrize("name", HIDDEN_WRONGLY)
def test_each_wrong_mask_is_named_from_its_numbers(name, asked):
    problem, wrong = problem_and_answer(name, asked, *HIDDEN_WRONGLY[name])
    found = diagnose_pasted(problem, read_matrix(write_matrix(wrong, 4)), {})
    usual = {each.mistakes[0].name for each in found.findings if each.mistakes and each.mistakes[0].rank == "usual"}
    assert not found.answer_is_correct
    assert usual == {name}


@pytest.mark.parametrize("n_q", [1, 2])
def test_a_window_is_off_by_one_beside_a_cache_too(n_q):
    for name in ("window_too_wide", "window_too_narrow"):
        problem, wrong = problem_and_answer(name, "output", n_q, *HIDDEN_WRONGLY[name][1:])
        found = diagnose_pasted(problem, read_matrix(write_matrix(wrong, 4)), {})
        assert name in {mistake.name for each in found.findings for mistake in each.mistakes}


@pytest.mark.parametrize("asked", ["weights", "output"])
def test_a_mask_times_infinity_is_named_where_no_number_is_left(asked):
    q = random_numbers(3, D, seed=603)
    problem = problem_of_queries(q, q, q, asked, "causal")
    found = diagnose_pasted(problem, read_matrix(write_matrix(np.full(problem.correct_result.shape, np.nan), 4)), {})
    assert "mask_times_infinity" in {mistake.name for mistake in found.findings[0].further_mistakes}
    unmasked = problem_of_queries(q, q, q, asked)
    found = diagnose_pasted(unmasked, read_matrix(write_matrix(np.full(problem.correct_result.shape, np.nan), 4)), {})
    assert "mask_times_infinity" not in {mistake.name for mistake in found.findings[0].further_mistakes}


def test_usual_mistakes_of_a_window_are_tried_first_where_not_all_can_be():
    rng = np.random.default_rng(0)
    x, *w = rng.normal(size=(120, 6)), *rng.normal(size=(3, 6, 4))
    window = np.tri(120, dtype=bool) & ~np.tri(120, k=-3, dtype=bool)
    right = self_attention(x, *w, mask=window)
    wrong = MISTAKE["window_both_ways"].apply(right)
    (found,) = diagnose(np.round(wrong.output, 4), right, decimals=4).findings
    assert [mistake.name for mistake in found.mistakes] == ["window_both_ways"]


def test_every_mistake_has_an_expected_result():
    by_themselves = {"zeros_hidden_with_a_billion", "empty_row_to_nan"}
    assert {*WEIGHTS, *FILLED, *HIDDEN_WRONGLY, *by_themselves} == OF_MASKS
