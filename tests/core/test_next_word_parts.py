"""Test the parts between attention and the next word: residual, feed-forward network and unembedding."""

import numpy as np
import pytest

from attention_core import add_and_norm, feed_forward, gelu, residual, swiglu, unembed
from strategies import random_numbers, read_only


def test_the_residual_is_the_sum_of_both_inputs():
    assert residual([[1, 0], [2, 5]], [[0, 3], [1, -5]]).tolist() == [[1, 3], [3, 0]]
    x, found = random_numbers(3, 4), random_numbers(3, 4, seed=1)
    np.testing.assert_array_equal(add_and_norm(x, found).summed, residual(x, found))
    with pytest.raises(ValueError, match=r"x and found must have one shape; got x \(1, 2\), found \(1, 3\)"):
        residual([[1, 2]], [[1, 2, 3]])


def test_the_feed_forward_network_by_hand():
    trace = feed_forward([[1, 2]], [[1, -1], [1, -1]], [[2, 0], [5, 5]], b_up=[-1, 1], b_down=[0, 7])
    assert trace.hidden.x.tolist() == [[2, -2]]
    assert trace.hidden.output.tolist() == [[2, 0]]
    assert trace.output.tolist() == [[4, 7]]


def test_other_bends_and_batches():
    x, w_up, w_down = random_numbers(2, 3, 4), random_numbers(4, 6), random_numbers(6, 4)
    found = feed_forward(x, w_up, w_down, activation="gelu")
    np.testing.assert_allclose(found.output, gelu(x @ w_up) @ w_down, rtol=1e-12)
    gated = swiglu(x, w_up, np.zeros((4, 6)), w_down).output
    assert not gated.any()  # the gated function differs: it gives 0 here


def test_without_a_relu_two_matrices_are_one():
    """Check that a network without its ReLU is a single matrix product, W_up times W_down."""
    x, w_up, w_down = np.abs(random_numbers(3, 4)), np.abs(random_numbers(4, 6)), random_numbers(6, 4)
    np.testing.assert_allclose(feed_forward(x, w_up, w_down).output, x @ (w_up @ w_down), rtol=1e-12)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 3), (4, 6), (6, 3)), r"w_up: x and w must share d_in, but x is \(2, 3\) and w is \(4, 6\)"),
        (((2, 3), (3, 6), (5, 3)), r"w_down: x and w must share d_in, but x is \(2, 6\) and w is \(5, 3\)"),
    ],
)
def test_matrices_that_do_not_fit(shapes, message):
    with pytest.raises(ValueError, match=message):
        feed_forward(*map(np.ones, shapes))


def test_logits_are_dot_products_with_each_word():
    x, vocabulary = random_numbers(2, 3, 4), random_numbers(9, 4)
    found = unembed(x, vocabulary)
    assert found.shape == (2, 3, 9)
    assert found[1, 2, 5] == pytest.approx(x[1, 2] @ vocabulary[5])
    assert unembed(read_only(np.ones((1, 2), np.float32)), np.ones((3, 2), np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match=r"must share d_model; got x \(2, 3, 4\), vocabulary \(4, 9\)"):
        unembed(x, vocabulary.T)
