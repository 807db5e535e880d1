"""Slips of the projections: each does exactly the wrong thing that it names, where shapes allow it."""

import numpy as np
import pytest

from attention_core import attend, causal_mask, self_attention, softmax
from attention_core.examples import example
from attention_core.slips.projection import PROJECTION_SLIPS
from attention_core.slips.slip import with_scale
from notebooks import given
from strategies import drawn

BY_NAME = {slip.name: slip for slip in PROJECTION_SLIPS}


def right():
    """Everything is 4 wide, so that every slip can be applied."""
    x, w_q, w_k, w_v, *b = (
        drawn(4, 4),
        *(drawn(4, 4, seed=s) for s in (1, 2, 3)),
        *(drawn(4, seed=s) for s in (4, 5, 6)),
    )
    return self_attention(x, w_q, w_k, w_v, b_q=b[0], b_k=b[1], b_v=b[2])


def weights_of(scores):
    return attend(scores * 2, np.eye(4), np.eye(4)).weights  # over √4


def one_token(t, i):
    """What the notebook does with token i: all entries of its outer products share a 1, and meet its own value."""
    products = [np.outer(t.q[i], k) / 2 for k in t.k]
    powers = np.exp(products)
    return sum(share @ t.v[i] for share in powers / powers.sum())


EXPECTED = {
    "biases_forgotten": lambda t: attend(t.x @ t.w_q, t.x @ t.w_k, t.x @ t.w_v).output,
    "weights_transposed": lambda t: attend(t.x @ t.w_q.T + t.b_q, t.x @ t.w_k.T + t.b_k, t.x @ t.w_v.T + t.b_v).output,
    "weights_times_input": lambda t: attend(t.w_q @ t.x + t.b_q, t.w_k @ t.x + t.b_k, t.w_v @ t.x + t.b_v).output,
    "outer_products": lambda t: np.stack([one_token(t, i) for i in range(4)]),
    "q_times_k": lambda t: weights_of(t.q @ t.k / 2) @ t.v,
    "elementwise_scores": lambda t: weights_of(t.q * t.k / 2) @ t.v,
    "keys_as_values": lambda t: t.weights @ t.k,
    "queries_as_values": lambda t: t.weights @ t.q,
}


@pytest.mark.parametrize("slip", PROJECTION_SLIPS, ids=lambda slip: slip.name)
def test_each_slip_does_what_it_says(slip):
    trace = right()
    wrong = slip.apply(trace).output
    np.testing.assert_allclose(wrong, EXPECTED[slip.name](trace), atol=1e-12)
    assert np.abs(wrong - trace.output).max() > 1e-3
    np.testing.assert_array_equal(trace.output, right().output)


def test_biases_must_be_there_to_be_forgotten():
    assert BY_NAME["biases_forgotten"].shows(example("columns").attention())
    assert not BY_NAME["biases_forgotten"].shows(example("hand").attention())


@pytest.mark.parametrize(
    ("name", "where", "message"),
    [
        ("weights_transposed", "hand", r"x @ w_q\.T needs as many rows as columns; got w_q \(5, 4\): write x @ w_q\."),
        ("weights_times_input", "hand", r"w_q @ x gives .* only where all are as long; got w_q \(5, 4\), x \(3, 5\)"),
        ("outer_products", "hand", r"outer products need a value a query, .*; got q \(3, 4\), v \(3, 2\): write q @ k"),
        ("outer_products", "heads_512", r"at most 1,000,000 entries; got 2,359,296: take fewer tokens"),
        ("q_times_k", "hand", r"q @ k needs d_k = n_k; got q \(3, 4\), k \(3, 4\): write q @ k\.T\."),
        ("elementwise_scores", "hand", r"scores need a row a query and a column a key; got q \* k \(3, 4\), scores"),
        ("elementwise_scores", "context", r"q \* k needs equal shapes; got q \(2, 4\), k \(4, 4\)"),
        ("queries_as_values", "context", r"every key needs its value; got q \(2, 4\), weights \(2, 4\)"),
    ],
)
def test_where_shapes_forbid_the_slip(name, where, message):
    with pytest.raises(ValueError, match=message):
        BY_NAME[name].apply(example(where).attention())


def test_the_notebooks_outer_products_are_two_slips():
    right = example("columns").attention()
    wrong = BY_NAME["outer_products"].apply(with_scale(right, 1.0)).output
    np.testing.assert_allclose(wrong, given("2/wrong_notebook/x_prime").T, rtol=1e-7)


def test_outer_products_of_masked_tokens_have_no_share():
    right = right_masked()
    wrong = BY_NAME["outer_products"].apply(right).output
    np.testing.assert_allclose(wrong[0], softmax(np.outer(right.q[0], right.k[0]) / 2, axis=None) @ right.v[0])


def right_masked():
    t = right()
    return self_attention(t.x, t.w_q, t.w_k, t.w_v, mask=causal_mask(4))
