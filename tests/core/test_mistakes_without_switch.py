"""Test the mistakes that have no switch on a page, so that only the diagnosis names them.

Each is computed once more from its description.
"""

import numpy as np
import pytest
from scipy.special import expit, log_softmax, softmax

from attention_core import self_attention
from attention_core.mistakes import WITHOUT_SWITCH
from house_rules import oracle_of
from strategies import random_numbers

N, D = 4, 4  # there are as many tokens as features, so that every mistake can be made
CAUSAL = np.tril(np.ones((N, N), dtype=bool))
ROOT = np.sqrt(D)
OF_ONE_HEAD = [mistake for mistake in WITHOUT_SWITCH if mistake.concept not in ("multi_head", "positional_encoding")]


def correct_trace(*, mask=None, context=None):
    """Return a correct trace (all matrices of the computation) of self-attention on random numbers."""
    x, w_q, w_k, w_v = (random_numbers(N, D, seed=seed) for seed in (10, 11, 12, 13))
    b_q, b_k, b_v = (random_numbers(D, seed=seed) for seed in (14, 15, 16))
    return self_attention(x, w_q, w_k, w_v, mask=mask, context=context, b_q=b_q, b_k=b_k, b_v=b_v)


def attention_of(q, k, v, divisor=ROOT):
    return softmax(q @ k.T / divisor, axis=1) @ v


def attention_under_mask(t, mask, fill=-np.inf):
    """Return the output of attention under another mask, for the queries, keys and values of the trace `t`."""
    powers = np.exp(np.where(mask, t.q @ t.k.T / ROOT, fill) - 20)
    if fill != -np.inf:
        return softmax(np.where(mask, t.q @ t.k.T / ROOT, fill), axis=1) @ t.v
    totals = powers.sum(axis=1)
    return np.stack([p @ t.v / total if total else np.zeros(D) for p, total in zip(powers, totals, strict=True)])


def with_nan(output, *rows):
    """Return `output` with NaN in these rows."""
    return np.where(np.isin(np.arange(N), rows)[:, None], np.nan, output)


def scaled_scores(t):
    """Return the scaled scores of the trace `t`."""
    return t.q @ t.k.T / ROOT


def cosines(t):
    """Return the cosine of each query with each key of the trace `t`."""

    def unit(m):
        return np.array([row / np.sqrt((row**2).sum()) for row in m])

    return unit(t.q) @ unit(t.k).T


def attention_of_normalized_tokens(t):
    """Return the output of attention after the tokens were normalized (layer normalization)."""
    x = np.array([(row - row.mean()) / np.sqrt(row.var() + 1e-5) for row in t.x])
    return attention_of(x @ t.w_q + t.b_q, x @ t.w_k + t.b_k, x @ t.w_v + t.b_v)


STRICT, AHEAD = np.tri(N, k=-1, dtype=bool), np.tri(N, k=1, dtype=bool)
MASKED = {
    "mask_forgotten": lambda t: attention_of(t.q, t.k, t.v),
    "mask_transposed": lambda t: attention_under_mask(t, CAUSAL.T),
    "mask_transposed_with_a_billion": lambda t: attention_under_mask(t, CAUSAL.T),
    "mask_inverted_with_a_billion": lambda t: attention_under_mask(t, ~CAUSAL, -1e9),
    "mask_inverted_to_nan": lambda t: with_nan(attention_under_mask(t, ~CAUSAL), 3),
    "mask_without_self": lambda t: attention_under_mask(t, STRICT),
    "mask_without_self_with_a_billion": lambda t: attention_under_mask(t, STRICT, -1e9),
    "mask_without_self_to_nan": lambda t: with_nan(attention_under_mask(t, STRICT), 0),
    "mask_one_ahead": lambda t: attention_under_mask(t, AHEAD),
    "mask_added_as_ones": lambda t: softmax(scaled_scores(t) + CAUSAL, axis=1) @ t.v,
    "forbidden_added_as_ones": lambda t: softmax(scaled_scores(t) + ~CAUSAL, axis=1) @ t.v,
    "mask_times_infinity": lambda t: with_nan(t.output, 0, 1, 2, 3),
}
SHARED = {
    "softmax_forgotten": lambda t: scaled_scores(t) @ t.v,
    "sums_without_keepdims": lambda t: np.exp(scaled_scores(t)) / np.exp(scaled_scores(t)).sum(axis=1)[None, :] @ t.v,
    "exponential_forgotten": lambda t: np.array([row / sum(row) for row in scaled_scores(t)]) @ t.v,
    "never_normalised": lambda t: np.exp(scaled_scores(t)) @ t.v,
    "never_normalised_from_the_maximum": lambda t: np.array([np.exp(row - max(row)) for row in scaled_scores(t)]) @ t.v,
    "sigmoid_for_softmax": lambda t: expit(scaled_scores(t)) @ t.v,
    "greatest_takes_all": lambda t: t.v[scaled_scores(t).argmax(axis=1)],
    "base_two": lambda t: np.array([2**row / sum(2**row) for row in scaled_scores(t)]) @ t.v,
    "logarithms_of_the_weights": lambda t: log_softmax(scaled_scores(t), axis=1) @ t.v,
    "even_weights": lambda t: np.tile(t.v.mean(axis=0), (N, 1)),
    "attention_transposed": lambda t: softmax(scaled_scores(t), axis=1).T @ t.v,
    "half_of_a_power": lambda t: attention_of(t.q, t.k, t.v, 2 * D),
    "divided_by_root_d_v": lambda t: attention_of(t.q, t.k, t.v, np.sqrt(D)),
    "divided_by_d_model": lambda t: attention_of(t.q, t.k, t.v, D),
    "divided_by_n": lambda t: attention_of(t.q, t.k, t.v, N),
    "multiplied_by_d_k": lambda t: attention_of(t.q, t.k, t.v, 1 / D),
    "divided_by_d_k_squared": lambda t: attention_of(t.q, t.k, t.v, D * D),
    "divided_by_n_after_softmax": lambda t: attention_of(t.q, t.k, t.v) / N,
}
MIXED_UP = {
    "keys_with_query_weights": lambda t: attention_of(t.q, t.x @ t.w_q + t.b_q, t.v),
    "keys_with_query_weights_alone": lambda t: attention_of(t.q, t.x @ t.w_q + t.b_k, t.v),
    "queries_with_key_weights": lambda t: attention_of(t.x @ t.w_k + t.b_k, t.k, t.v),
    "queries_with_value_weights": lambda t: attention_of(t.x @ t.w_v + t.b_v, t.k, t.v),
    "keys_with_value_weights": lambda t: attention_of(t.q, t.x @ t.w_v + t.b_v, t.v),
    "values_with_query_weights": lambda t: attention_of(t.q, t.k, t.x @ t.w_q + t.b_q),
    "query_weights_for_all": lambda t: attention_of(t.q, t.q, t.q),
    "key_weights_for_all": lambda t: attention_of(t.k, t.k, t.k),
    "value_weights_for_all": lambda t: attention_of(t.v, t.v, t.v),
    "query_and_key_weights_swapped": lambda t: attention_of(t.k, t.q, t.v),
    "query_and_value_weights_swapped": lambda t: attention_of(t.v, t.k, t.q),
    "keys_and_values_swapped": lambda t: attention_of(t.q, t.v, t.k),
    "query_weights_transposed": lambda t: attention_of(np.einsum("nd,kd->nk", t.x, t.w_q) + t.b_q, t.k, t.v),
    "key_weights_transposed": lambda t: attention_of(t.q, np.einsum("nd,kd->nk", t.x, t.w_k) + t.b_k, t.v),
    "value_weights_transposed": lambda t: attention_of(t.q, t.k, np.einsum("nd,kd->nk", t.x, t.w_v) + t.b_v),
    "query_bias_forgotten": lambda t: attention_of(t.q - t.b_q, t.k, t.v),
    "key_bias_forgotten": lambda t: attention_of(t.q, t.k - t.b_k, t.v),
    "value_bias_forgotten": lambda t: attention_of(t.q, t.k, t.v) - t.b_v,
    "input_as_values": lambda t: attention_of(t.q, t.k, t.x),
    "input_as_queries": lambda t: attention_of(t.x, t.k, t.v),
    "input_as_keys": lambda t: attention_of(t.q, t.x, t.v),
    "scores_of_the_input": lambda t: attention_of(t.x, t.x, t.v),
    "nothing_projected": lambda t: attention_of(t.x, t.x, t.x),
    "queries_meet_queries": lambda t: attention_of(t.q, t.q, t.v),
    "keys_meet_keys": lambda t: attention_of(t.k, t.k, t.v),
    "keys_reshaped": lambda t: attention_of(t.q, t.k.ravel().reshape(D, N).T, t.v),
    "queries_and_keys_normalised": lambda t: softmax(cosines(t) / ROOT, axis=1) @ t.v,
    "normalised_first": attention_of_normalized_tokens,
    "input_added": lambda t: attention_of(t.q, t.k, t.v) + t.x,
    "outer_products_not_scaled": lambda t: np.stack([_outer(t, i) for i in range(N)]),
}
ACROSS = {
    "context_ignored": lambda t: attention_of(t.q, t.x @ t.w_k + t.b_k, t.x @ t.w_v + t.b_v),
    "values_from_those_who_ask": lambda t: attention_of(t.q, t.k, t.x @ t.w_v + t.b_v),
    "keys_from_those_who_ask": lambda t: attention_of(t.q, t.x @ t.w_k + t.b_k, t.v),
    "roles_swapped": lambda t: attention_of(t.context @ t.w_q + t.b_q, t.x @ t.w_k + t.b_k, t.x @ t.w_v + t.b_v),
}
TRACES = {
    **dict.fromkeys(MASKED, correct_trace(mask=CAUSAL)),
    **dict.fromkeys(SHARED | MIXED_UP, correct_trace()),
    **dict.fromkeys(ACROSS, correct_trace(context=random_numbers(N, D, seed=17))),
}
EXPECTED = MASKED | SHARED | MIXED_UP | ACROSS


def _outer(t, i):
    shares = softmax([np.outer(t.q[i], key) for key in t.k])  # all entries of all these matrices together add up to 1
    return sum(share @ t.v[i] for share in shares)


@pytest.mark.parametrize("mistake", OF_ONE_HEAD, ids=lambda mistake: mistake.name)
def test_each_mistake_does_what_it_says(mistake):
    trace = TRACES[mistake.name]
    assert mistake.shows(trace)
    np.testing.assert_allclose(
        mistake.apply(trace).output, oracle_of(mistake.name, EXPECTED, __file__)(trace), atol=1e-12
    )


def test_none_is_forgotten_and_none_is_the_right_one():
    assert {mistake.name for mistake in OF_ONE_HEAD} == EXPECTED.keys()
    same = [name for name, wrong in EXPECTED.items() if np.allclose(wrong(TRACES[name]), TRACES[name].output)]
    # Values are as wide as keys here. A bias that adds the same number to all scores of a row does not change the
    # softmax.
    assert same == ["divided_by_root_d_v", "key_bias_forgotten"]


def test_a_mistake_of_the_mask_or_the_context_shows_only_there():
    for mistake in OF_ONE_HEAD:
        assert mistake.shows(correct_trace()) == (mistake.name in SHARED | MIXED_UP)
        assert bool(mistake.needs) >= (not mistake.shows(correct_trace()))
