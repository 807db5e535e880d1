"""Test mistakes outside of single-head attention: in heads, positions, outer products, and the naive softmax."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import sinusoidal, softmax_steps
from attention_core.mistakes import (
    elementwise_product,
    naive_softmax,
    naive_softmax_steps,
    outer_attention,
    outer_scores,
    sinusoidal_doubled_exponent,
    sinusoidal_shifted_cosine,
    weigh_features,
)
from strategies import law, random_numbers


def test_naive_softmax_overflows_above_709_78():
    np.testing.assert_allclose(naive_softmax([709.78, 0]), [1, 0], atol=1e-300)
    assert np.isnan(naive_softmax([709.79, 0])[0])
    assert np.isnan(naive_softmax(np.array([88.73, 0], np.float32))[0])
    assert np.isnan(naive_softmax([-1000, -1001])).all()


def test_naive_steps_equal_the_right_ones_without_subtracting_the_maximum():
    naive, right = naive_softmax_steps([3, 1, 0], base=2), softmax_steps([3, 1, 0], base=2)
    np.testing.assert_array_equal(naive.peak, [0])
    np.testing.assert_array_equal(naive.powers, [8, 2, 1])
    np.testing.assert_array_equal(naive.totals, [11])
    np.testing.assert_allclose(naive.weights, right.weights, rtol=1e-15)
    warm = naive_softmax_steps([800, 0], temperature=2)
    np.testing.assert_array_equal(warm.shifted, [400, 0])
    assert np.isfinite(warm.weights).all()


def test_the_entropy_of_an_overflowing_row_is_nan():
    naive = naive_softmax_steps([[800, 0], [3, 1]])
    assert np.isnan(naive.entropies[0, 0])
    np.testing.assert_allclose(naive.entropies[1], softmax_steps([[3, 1]]).entropies[0])


def test_elementwise_product_is_not_a_matrix_product():
    np.testing.assert_array_equal(elementwise_product([[1, 2], [3, 4]], [[5, 6], [7, 8]]), [[5, 12], [21, 32]])
    with pytest.raises(
        ValueError, match=r"x \* w needs x and w of one shape, but x is \(3, 4\) and w is \(4, 3\)\. Write x @ w"
    ):
        elementwise_product(np.ones((3, 4)), np.ones((4, 3)))


def test_the_trace_of_an_outer_product_is_the_dot_product():
    q, k, v = random_numbers(3, 4), random_numbers(2, 4), random_numbers(3, 4, seed=1)
    np.testing.assert_array_equal(outer_scores(q, k)[2, 1], np.outer(q[2], k[1]))
    np.testing.assert_allclose(np.trace(outer_scores(q, k), axis1=2, axis2=3), q @ k.T)
    outer = outer_attention(q, k, v)
    np.testing.assert_allclose(outer.weights.sum(axis=(1, 2, 3)), 1)
    np.testing.assert_allclose(outer.output[2], sum(outer.weights[2, j] @ v[2] for j in range(2)))


def test_weigh_features_of_a_single_query():
    np.testing.assert_array_equal(weigh_features([10, 1], [[1, 2], [3, 4]]), [40, 6])


@law
@given(st.sampled_from([2, 4, 16, 64]), st.sampled_from([10.0, 10000.0]))
def test_the_doubled_exponent_is_the_paper_with_base_squared(d_model, base):
    doubled = sinusoidal_doubled_exponent(50, d_model, base)
    np.testing.assert_allclose(doubled, sinusoidal(50, d_model, base**2), atol=1e-12)


def test_the_doubled_exponent_by_hand():
    expected = [np.sin(3), np.cos(3), np.sin(3 / 10000), np.cos(3 / 10000)]
    np.testing.assert_allclose(sinusoidal_doubled_exponent(4, 4)[3], expected, rtol=1e-12)


def test_the_shifted_cosine_by_hand():
    expected = [np.sin(3), np.cos(3 / 100), np.sin(3 / 10000), np.cos(3 / 10**6)]
    np.testing.assert_allclose(sinusoidal_shifted_cosine(4, 4)[3], expected, rtol=1e-12)


def test_only_with_the_shifted_cosine_products_depend_on_more_than_distance():
    def spread(table):
        return np.ptp(np.diagonal(table @ table.T, offset=3))

    assert spread(sinusoidal(20, 8)) < 1e-12
    assert spread(sinusoidal_doubled_exponent(20, 8)) < 1e-12
    assert spread(sinusoidal_shifted_cosine(20, 8)) > 0.1
