"""Test the order of tokens: embeddings by hand, shuffled tokens with and without positions, error messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import embed_positions, new_order, self_attention, shuffle_tokens, sinusoidal
from attention_core.examples import EXAMPLES, example
from strategies import law, random_numbers

every_example = pytest.mark.parametrize("name", EXAMPLES)


def test_an_embedding_by_hand():
    trace = embed_positions([[1, 0, 0, 2], [0, 1, 3, 0]])
    assert trace.factor == 2
    np.testing.assert_array_equal(trace.embedded, [[2, 0, 0, 4], [0, 2, 6, 0]])
    np.testing.assert_allclose(
        trace.positioned, [[2, 1, 0, 5], [np.sin(1), 2 + np.cos(1), 6 + np.sin(0.01), np.cos(0.01)]], rtol=1e-15
    )


def test_without_the_root():
    trace = embed_positions([[1.0, 2.0]], root=False)
    np.testing.assert_array_equal(trace.positioned, [[1, 3]])


def test_an_odd_width_leaves_out_the_last_cosine():
    trace = embed_positions(np.zeros((4, 5)), 100.0)
    np.testing.assert_array_equal(trace.encoding, sinusoidal(4, 6, 100.0)[:, :5])


@law
@given(st.data(), st.integers(2, 6), st.integers(1, 6))
def test_without_positions_outputs_move_with_their_tokens(data, n, d):
    order = data.draw(st.permutations(range(n)))
    x, weights = random_numbers(n, d), [random_numbers(d, 3, seed=s) for s in range(3)]
    plain, shuffled = self_attention(x, *weights).output, self_attention(x[order], *weights).output
    np.testing.assert_allclose(shuffled, plain[order], atol=1e-12)


SMALL = [name for name in EXAMPLES if not example(name).drawn]


def is_certain(name):
    """Return whether every token of the example gives more than 99% of its attention to one key."""
    return (example(name).attention().weights.max(axis=1) > 0.99).all()


@law
@given(st.data(), st.sampled_from(SMALL))
def test_every_shuffle_of_every_example(data, name):
    this = example(name)
    order = data.draw(st.permutations(range(len(this.x))))
    bag = shuffle_tokens(this, order, positions=False)
    assert np.abs(bag.difference).max() < 1e-12
    placed = shuffle_tokens(this, order, positions=True)
    moves = list(order) != sorted(order)
    assert is_certain(name) or (np.abs(placed.difference).max() > 0.001) == moves


@every_example
def test_reversed_with_positions_is_another_sentence(name):
    this = example(name)
    order = new_order("reversed", len(this.x))
    assert np.abs(shuffle_tokens(this, order, positions=False).difference).max() < 1e-12
    assert is_certain(name) or np.abs(shuffle_tokens(this, order, positions=True).difference).max() > 0.1


def test_the_mouse_chased_the_cat():
    cat = example("cat")
    order = new_order("swapped", 5, 1, 4)
    assert [cat.tokens[i] for i in order] == ["The", "mouse", "chased", "the", "cat"]
    bag = shuffle_tokens(cat, order, positions=False, root=False)
    np.testing.assert_allclose(bag.shuffled.output[1], cat.attention().output[4], atol=1e-12)


def test_a_shuffle_keeps_every_part():
    trace = shuffle_tokens(example("hand"), (2, 0, 1), positions=True)
    x = embed_positions(example("hand").x[[2, 0, 1]]).positioned
    np.testing.assert_array_equal(trace.shuffled.x, x)
    np.testing.assert_array_equal(trace.moved, trace.original.output[[2, 0, 1]])
    np.testing.assert_array_equal(trace.difference, trace.shuffled.output - trace.moved)


def test_shuffling_tokens_leaves_the_context_in_order():
    this = example("context")
    trace = shuffle_tokens(this, (1, 0), positions=True)
    np.testing.assert_array_equal(trace.shuffled.context, this.context)


def test_orders_by_hand():
    assert new_order("reversed", 4) == (3, 2, 1, 0)
    assert [new_order("exchanged", n) for n in (2, 3, 5)] == [(1, 0), (2, 1, 0), (2, 1, 0, 3, 4)]
    assert new_order("rotated", 4) == (1, 2, 3, 0)
    assert new_order("swapped", 4, 0, 2) == (2, 1, 0, 3)
    assert new_order("swapped", 2, 1, 1) == (0, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: new_order("sorted", 3),
            r"kind must be one of reversed, rotated, exchanged, swapped; got sorted: choose one",
        ),
        (lambda: new_order("swapped", 3, 0, 3), r"tokens to swap must be two of the 3; got 0 and 3: count from 0"),
        (
            lambda: shuffle_tokens(example("hand"), (0, 1, 1), positions=True),
            r"order must name each of the 3 tokens once; got \[0, 1, 1\]: shuffle 0 to 2",
        ),
        (lambda: embed_positions([1.0, 2.0]), r"x must have at least 2 axes; got shape \(2,\)"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
