"""Test the mistakes with queries, keys and values: each does what its name says, if the shapes allow it."""

import numpy as np
import pytest

from attention_core import attend, self_attention
from attention_core.attention import with_scale
from attention_core.examples import example
from attention_core.mistakes import mistakes_of
from house_rules import oracle_of
from notebooks import notebook_values
from strategies import random_numbers

MISTAKES = mistakes_of("queries_keys_values")
BY_NAME = {mistake.name: mistake for mistake in MISTAKES}


def correct_trace():
    """Return a correct trace (all matrices) of self-attention in which every mistake can be made.

    All of its matrices are 4 × 4.
    """
    x, w_q, w_k, w_v, *b = (
        random_numbers(4, 4),
        *(random_numbers(4, 4, seed=s) for s in (1, 2, 3)),
        *(random_numbers(4, seed=s) for s in (4, 5, 6)),
    )
    return self_attention(x, w_q, w_k, w_v, b_q=b[0], b_k=b[1], b_v=b[2])


def weights_of(scores):
    """Return the attention weights for these scores, which are already scaled."""
    return attend(scores * 2, np.eye(4), np.eye(4)).weights  # `attend` divides by √4 = 2


def wrong_output_of_token(t, i):
    """Return the wrong output for token `i` that a notebook computes from outer products."""
    products = [np.outer(t.q[i], k) / 2 for k in t.k]
    powers = np.exp(products)
    return sum(share @ t.v[i] for share in powers / powers.sum())


EXPECTED = {
    "biases_forgotten": lambda t: attend(t.x @ t.w_q, t.x @ t.w_k, t.x @ t.w_v).output,
    "weights_transposed": lambda t: attend(t.x @ t.w_q.T + t.b_q, t.x @ t.w_k.T + t.b_k, t.x @ t.w_v.T + t.b_v).output,
    "weights_times_input": lambda t: attend(t.w_q @ t.x + t.b_q, t.w_k @ t.x + t.b_k, t.w_v @ t.x + t.b_v).output,
    "outer_products": lambda t: np.stack([wrong_output_of_token(t, i) for i in range(4)]),
    "q_times_k": lambda t: weights_of(t.q @ t.k / 2) @ t.v,
    "elementwise_scores": lambda t: weights_of(t.q * t.k / 2) @ t.v,
    "keys_as_values": lambda t: t.weights @ t.k,
    "queries_as_values": lambda t: t.weights @ t.q,
    "keys_times_queries": lambda t: weights_of(t.k @ t.q.T / 2) @ t.v,
    "one_value_for_every_key": lambda t: t.v,
    "features_weighted": lambda t: np.array([sum(row * t.v) for row in t.weights]),
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_each_mistake_does_what_it_says(mistake):
    trace = correct_trace()
    wrong = mistake.apply(trace).output
    np.testing.assert_allclose(wrong, oracle_of(mistake.name, EXPECTED, __file__)(trace), atol=1e-12)
    assert np.abs(wrong - trace.output).max() > 1e-3
    np.testing.assert_array_equal(trace.output, correct_trace().output)


def test_biases_must_be_there_to_be_forgotten():
    assert BY_NAME["biases_forgotten"].shows(example("columns").attention())
    assert not BY_NAME["biases_forgotten"].shows(example("hand").attention())


@pytest.mark.parametrize(
    ("name", "where", "message"),
    [
        (
            "weights_transposed",
            "hand",
            r"context @ w_k\.T .* needs matrices that fit .*, but the shapes are .*w_q \(5, 4\).*Correct",
        ),
        (
            "weights_times_input",
            "hand",
            r"w_q @ x \+ .* that fit each other, but .*w_q \(5, 4\).* x \(3, 5\)\. Correct",
        ),
        (
            "outer_products",
            "hand",
            r"`output = .*zip\(q, v\).*` needs .*, but the shapes are q \(3, 4\), v \(3, 2\)\. Correct",
        ),
        (
            "q_times_k",
            "hand",
            r"`scores = q @ k` needs .*, but the shapes are k \(3, 4\), q \(3, 4\)\. Correct this step\.",
        ),
        (
            "elementwise_scores",
            "hand",
            r"`output = weights @ v` needs .*, but the shapes are v \(3, 2\), weights \(3, 4\)",
        ),
        ("elementwise_scores", "context", r"`scores = q \* k` needs .*, but the shapes are k \(4, 4\), q \(2, 4\)"),
        (
            "queries_as_values",
            "context",
            r"`output = weights @ v` needs .*, but the shapes are v \(2, 4\), weights \(2, 4\)",
        ),
    ],
)
def test_where_shapes_forbid_the_mistake(name, where, message):
    with pytest.raises(ValueError, match=message):
        BY_NAME[name].apply(example(where).attention())


def test_the_notebooks_outer_products_are_two_mistakes():
    right = example("columns").attention()
    wrong = BY_NAME["outer_products"].apply(with_scale(right, 1.0)).output
    np.testing.assert_allclose(wrong, notebook_values("2/wrong_notebook/x_prime").T, rtol=1e-7)


def test_outer_products_of_many_tokens_are_not_written_out():
    assert BY_NAME["outer_products"].shows(correct_trace())
    assert not BY_NAME["outer_products"].shows(example("heads_512").attention())
