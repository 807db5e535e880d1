"""Test rare mistakes with windows, causal masks with a cache, and padding.

Each wrong mask is written down cell by cell, and the diagnosis must name it from its numbers.
"""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import self_attention
from attention_core.diagnosis.diagnose import diagnose
from attention_core.diagnosis.pasted import Setting, diagnose_pasted, problem_of_queries
from attention_core.mistakes.rare.windows import wrong_windows
from attention_core.reading.matrix_text import read_matrix, write_matrix
from strategies import random_numbers

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
WRONG = {
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
@pytest.mark.parametrize("name", WRONG)
def test_each_wrong_mask_is_named_from_its_numbers(name, asked):
    problem, wrong = problem_and_answer(name, asked, *WRONG[name])
    found = diagnose_pasted(problem, read_matrix(write_matrix(wrong, 4)), {})
    usual = {each.mistakes[0].name for each in found.findings if each.mistakes and each.mistakes[0].rank == "usual"}
    assert not found.answer_is_correct
    assert usual == {name}


@pytest.mark.parametrize("n_q", [1, 2])
def test_a_window_is_off_by_one_beside_a_cache_too(n_q):
    for name in ("window_too_wide", "window_too_narrow"):
        problem, wrong = problem_and_answer(name, "output", n_q, *WRONG[name][1:])
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


def test_none_is_forgotten():
    assert {mistake.name for mistake in wrong_windows()} == WRONG.keys()


def test_usual_mistakes_of_a_window_are_tried_first_where_not_all_can_be():
    rng = np.random.default_rng(0)
    x, *w = rng.normal(size=(120, 6)), *rng.normal(size=(3, 6, 4))
    window = np.tri(120, dtype=bool) & ~np.tri(120, k=-3, dtype=bool)
    right = self_attention(x, *w, mask=window)
    wrong = next(each for each in wrong_windows() if each.name == "window_both_ways").apply(right)
    (found,) = diagnose(np.round(wrong.output, 4), right, decimals=4).findings
    assert [mistake.name for mistake in found.mistakes] == ["window_both_ways"]
