"""Test rare mistakes with masks.

Each wrong mask is written down cell by cell. Each number in place of minus infinity is written down too.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import self_attention
from attention_core.mistakes.engine.named_traces import mask_from_code
from attention_core.mistakes.rare.masks import INSTEAD, OTHERS, WAYS, wrong_masks
from attention_core.mistakes.rare.table_of_masks import HIDES, SHOWS
from strategies import random_numbers

N = 4
GIVEN = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1]], dtype=bool)
CAUSAL = np.array([[j <= i for j in range(N)] for i in range(N)])
PLACES = [(i, j) for i in range(N) for j in range(N)]
# A function that says whether query i may attend to key j. `a` is the mask that was asked for, `n` is the number of
# queries, and `m` is the number of keys.
SEEN = {
    "turned": lambda a, i, j, n, m: a[j][i],
    "without_itself": lambda a, i, j, n, m: j < i,
    "one_too_far": lambda a, i, j, n, m: j <= i + 1,
    "mirrored": lambda a, i, j, n, m: a[i][m - 1 - j],
    "upside_down": lambda a, i, j, n, m: a[n - 1 - i][j],
    "rotated": lambda a, i, j, n, m: a[n - 1 - i][m - 1 - j],
    "of_the_first_row": lambda a, i, j, n, m: a[0][j],
    "of_the_last_row": lambda a, i, j, n, m: a[n - 1][j],
    "one_column_right": lambda a, i, j, n, m: a[i][j - 1],
    "one_column_left": lambda a, i, j, n, m: a[i][(j + 1) % m],
    "one_row_down": lambda a, i, j, n, m: a[i - 1][j],
    "one_row_up": lambda a, i, j, n, m: a[(i + 1) % n][j],
    "symmetric": lambda a, i, j, n, m: a[i][j] and a[j][i],
    "turned_and_mirrored": lambda a, i, j, n, m: a[m - 1 - j][i],
    "forbidden_transposed": lambda a, i, j, n, m: not a[j][i],
    "along_the_queries": lambda a, i, j, n, m: a[n - 1][i],
    "causal_alone": lambda a, i, j, n, m: j <= i,
    "causal": lambda a, i, j, n, m: a[i][j] and j <= i,
    "future_alone": lambda a, i, j, n, m: j >= i,
    "strict_future": lambda a, i, j, n, m: j > i,
    "strict_past": lambda a, i, j, n, m: a[i][j] and j < i,
    "one_too_many": lambda a, i, j, n, m: a[i][j] and j <= i + 1,
    "two_ahead": lambda a, i, j, n, m: j <= i + 2,
    "causal_at_the_end": lambda a, i, j, n, m: j <= i + m - n,
    "itself_hidden": lambda a, i, j, n, m: a[i][j] and i != j,
    "neighbours": lambda a, i, j, n, m: a[i][j] and abs(i - j) <= 1,
    "window": lambda a, i, j, n, m: a[i][j] and 0 <= i - j <= 1,
    "window_alone": lambda a, i, j, n, m: 0 <= i - j <= 1,
    "last_key_hidden": lambda a, i, j, n, m: a[i][j] and j != m - 1,
    "first_key_hidden": lambda a, i, j, n, m: a[i][j] and j != 0,
    "last_query_free": lambda a, i, j, n, m: a[i][j] or i == n - 1,
    "first_query_free": lambda a, i, j, n, m: a[i][j] or i == 0,
    "last_key_free": lambda a, i, j, n, m: a[i][j] or j == m - 1,
    "first_key_free": lambda a, i, j, n, m: a[i][j] or j == 0,
    "of_the_first_query_alone": lambda a, i, j, n, m: a[i][j] or i > 0,
    "of_the_last_query_alone": lambda a, i, j, n, m: a[i][j] or i < n - 1,
    "in_halves": lambda a, i, j, n, m: a[i][j] and (i < n / 2) == (j < m / 2),
    "itself_free": lambda a, i, j, n, m: a[i][j] or i == j,
}
LEAST = 1e-300  # the least sum that counts as more than 0
NUMBERS = {
    "minus_one": lambda s: -1, "minus_two": lambda s: -2, "minus_five": lambda s: -5, "minus_ten": lambda s: -10,
    "one": lambda s: 1, "a_small_number": lambda s: 1e-9, "a_great_number": lambda s: 1e9,
    "the_least_score": lambda s: min(s.ravel()),
    "the_least_of_its_row": lambda s: np.array([[min(row)] * len(row) for row in s]),
    "the_negated_score": lambda s: 0 - s, "minus_ten_added": lambda s: s - 10, "half_the_score": lambda s: s - s / 2,
    "the_score_times_minus_a_billion": lambda s: s * -(10.0**9),
}  # fmt: skip
AFTER = {
    "again_after_zeros": lambda s, a: softmax(softmax(s, axis=1) * a, axis=1),
    "again_after_infinities": lambda s, a: softmax_of_seen(softmax(s, axis=1), a),
    "billions_for_weights": lambda s, a: softmax(s, axis=1) * a - 1e9 * ~a,
    "infinities_for_weights": lambda s, a: np.where(a, softmax(s, axis=1), -np.inf),
    "billions_added_to_weights": lambda s, a: softmax(s, axis=1) - 1e9 * ~a,
    "added_to_weights": lambda s, a: softmax(s, axis=1) + a,
    "twice": lambda s, a: softmax(s * a, axis=1) * a,
    "zeros_hidden": lambda s, a: softmax_of_seen(s, a & (s != 0)),
    "shared_down": lambda s, a: (softmax(s, axis=1) * a) / sum(softmax(s, axis=1) * a),
    "divided_by_count": lambda s, a: np.array([row * seen / sum(seen) for row, seen in zip(s, a, strict=True)]),
    "even_among_seen": lambda s, a: np.ones_like(s) / s.shape[1],
}


def correct_trace(mask=None, n_keys=N):
    """Return a correct trace (all matrices) of attention with N queries and `n_keys` keys."""
    x, *w = (random_numbers(N, N, seed=seed) for seed in (90, 91, 92, 93))
    return self_attention(x, *w, mask=mask, context=random_numbers(n_keys, N, seed=94) if n_keys != N else None)


def softmax_of_seen(scores, seen):
    """Return the softmax of the scores that are seen. A row that sees nothing gets weights of 0."""
    powers = np.exp(scores) * seen
    return powers / np.maximum(powers.sum(axis=1, keepdims=True), LEAST)


def softmax_of_filled(scores, seen, number):
    """Return the softmax of the scores, with `number` in place of hidden scores."""
    return softmax(np.where(seen, scores, number), axis=1)


WITH = {
    "": softmax_of_seen,
    "_with_a_billion": lambda s, a: softmax_of_filled(s, a, -1e9),
    "_with_zeros": lambda s, a: softmax_of_filled(s, a, 0),
    "_after_softmax": lambda s, a: softmax(s, axis=1) * a,
}


def expected_output(t, name):
    """Return the output that the mistake `name` should give for the trace `t`."""
    given = GIVEN if t.mask is None else t.mask
    if name in AFTER:
        with np.errstate(invalid="ignore"):  # −∞ times 0 is NaN
            return AFTER[name](t.scaled, given) @ t.v
    if name.startswith("with_"):
        return softmax_of_filled(t.scaled, given, NUMBERS[name[5:]](t.scaled)) @ t.v
    ending = next(ending for ending in (*sorted(WITH, key=len, reverse=True),) if name.endswith(ending))
    other, (n, m) = SEEN[name[: len(name) - len(ending)]], t.scaled.shape
    seen = np.array([[bool(other(given, i, j, n, m)) for j in range(m)] for i in range(n)])
    return WITH[ending](t.scaled, seen) @ t.v


BY_THEMSELVES = {
    "mask_inverted_with_zeros": lambda t: softmax_of_filled(t.scaled, ~t.mask, 0) @ t.v,
    "mask_inverted_after_softmax": lambda t: softmax(t.scaled, axis=1) * ~t.mask @ t.v,
    "mask_on_values": lambda t: softmax(t.scaled, axis=1) @ np.diag(t.mask[-1]) @ t.v,
    "mask_on_queries": lambda t: np.diag(t.mask[-1]) @ softmax(t.scaled, axis=1) @ t.v,
}


@pytest.mark.parametrize("mask", [GIVEN, CAUSAL], ids=["some", "causal"])
def test_each_mask_hides_what_it_says(mask):
    t, tried = correct_trace(mask), 0
    for mistake in wrong_masks():
        if mistake.shows(t):
            wrong = BY_THEMSELVES.get(
                mistake.name, lambda t, name=mistake.name: expected_output(t, name.removeprefix("mask_"))
            )(t)
            np.testing.assert_allclose(mistake.apply(t).output, wrong, rtol=1e-9, err_msg=mistake.name)
            tried += 1
    assert tried > 40


def test_with_more_keys_than_queries():
    t = correct_trace(n_keys=6)
    for mistake in wrong_masks():
        if mistake.shows(t) and "strict_past" not in mistake.name:
            given = SimpleNamespace(scaled=t.scaled, v=t.v, mask=np.ones((N, 6), dtype=bool))
            wrong = expected_output(given, mistake.name.removeprefix("mask_"))
            np.testing.assert_allclose(mistake.apply(t).output, wrong, rtol=1e-9, err_msg=mistake.name)


def test_every_mistake_has_an_expected_result():
    assert {other.name for other in OTHERS} == SEEN.keys()
    assert {name for name, *_ in INSTEAD} == NUMBERS.keys()
    assert {name for name, *_ in WAYS} == AFTER.keys()
    named = {mistake.name for mistake in wrong_masks() if mistake.name in BY_THEMSELVES}
    assert named == BY_THEMSELVES.keys()


def test_a_finite_number_for_infinity_shows_only_if_a_row_sees_nothing():
    mistake = next(mistake for mistake in wrong_masks() if mistake.name == "mask_itself_hidden_with_a_billion")
    sees_itself_alone = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]], dtype=bool)
    assert mistake.shows(correct_trace(sees_itself_alone))
    assert not mistake.shows(correct_trace())


@pytest.mark.parametrize("other", [each for each in OTHERS if each.why in (HIDES, SHOWS)], ids=lambda each: each.name)
def test_a_reason_says_only_what_the_wrong_mask_changes(other):
    random = np.random.default_rng(0)
    for mask in (None, CAUSAL, *((random.random((N, N)) < 0.6) | np.eye(N, dtype=bool) for _ in range(20))):
        trace = correct_trace(mask)
        if not other.shows(trace):
            continue
        allowed = np.asarray(np.ones((N, N)) if mask is None else mask, dtype=bool)
        made = np.asarray(mask_from_code(other.code, trace), dtype=bool)
        assert not (made & ~allowed).any() if other.why is HIDES else not (allowed & ~made).any()
