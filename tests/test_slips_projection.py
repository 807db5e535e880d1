"""Slips of the projections: each does exactly the wrong thing that it names, where shapes allow it."""

import numpy as np
import pytest

from attention_core import attend, self_attention
from attention_core.examples import example
from attention_core.slips.projection import PROJECTION_SLIPS
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


EXPECTED = {
    "biases_forgotten": lambda t: attend(t.x @ t.w_q, t.x @ t.w_k, t.x @ t.w_v).output,
    "weights_transposed": lambda t: attend(t.x @ t.w_q.T + t.b_q, t.x @ t.w_k.T + t.b_k, t.x @ t.w_v.T + t.b_v).output,
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
        ("q_times_k", "hand", r"q @ k needs d_k = n_k; got q \(3, 4\), k \(3, 4\): write q @ k\.T\."),
        ("elementwise_scores", "hand", r"scores need a row a query and a column a key; got q \* k \(3, 4\), scores"),
        ("elementwise_scores", "context", r"q \* k needs equal shapes; got q \(2, 4\), k \(4, 4\)"),
        ("queries_as_values", "context", r"every key needs its value; got q \(2, 4\), weights \(2, 4\)"),
    ],
)
def test_where_shapes_forbid_the_slip(name, where, message):
    with pytest.raises(ValueError, match=message):
        BY_NAME[name].apply(example(where).attention())
