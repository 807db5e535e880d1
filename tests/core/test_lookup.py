"""Test soft lookup: from the mean of all values, through attention, to a dictionary, as the sharpness grows."""

import numpy as np
import pytest
from hypothesis import given

from attention_core import attend, look_up
from attention_core.lookup import sharpened_scale
from strategies import law, queries_keys_values, random_numbers, read_only


def test_by_hand():
    trace = look_up([2 * np.log(2)], [[1], [0], [0.5]], [[7, 0], [0, 7], [14, 7]], [0, 0.5, 1, np.inf])
    np.testing.assert_allclose(trace.weights[[0, 2, 3]], [[1 / 3] * 3, [4 / 7, 1 / 7, 2 / 7], [1, 0, 0]])
    np.testing.assert_allclose(trace.results[[0, 2, 3]], [[7, 14 / 3], [8, 3], [7, 0]])


@law
@given(queries_keys_values())
def test_sharpness_one_is_attention(qkv):
    trace = look_up(qkv.q[0], qkv.k, qkv.v, [1])
    np.testing.assert_allclose(trace.results, attend(qkv.q[:1], qkv.k, qkv.v).output, rtol=1e-9, atol=1e-12)


def test_sharpness_is_a_scale():
    query, keys, values = random_numbers(4), random_numbers(3, 4), random_numbers(3, 2)
    assert sharpened_scale(4, 3.0) == 1.5
    by_scale = attend(query[None], keys, values, scale=sharpened_scale(4, 3.0))
    np.testing.assert_allclose(look_up(query, keys, values, [3]).results, by_scale.output, rtol=1e-13)


@law
@given(queries_keys_values())
def test_the_best_key_gains_as_sharpness_grows(qkv):
    weights = look_up(qkv.q[0], qkv.k, qkv.v, [0, 0.5, 1, 4, 100, np.inf]).weights
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-14)
    assert (np.diff(weights[:, np.argmax(weights[-1])]) > -1e-12).all()


def test_equally_good_keys_share():
    np.testing.assert_array_equal(look_up([1], [[1], [0], [1]], [[2], [9], [4]], [np.inf]).results, [[3]])


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types(dtype, expected):
    query, keys, values = (read_only(np.ones(shape, dtype)) for shape in ((3,), (2, 3), (2, 4)))
    trace = look_up(query, keys, values, [0.5, np.inf])
    assert trace.weights.dtype == trace.results.dtype == expected


@pytest.mark.parametrize("sharpness", [-0.5, np.nan])
def test_errors_of_sharpness(sharpness):
    with pytest.raises(ValueError, match=r"sharpness must be at least 0; got .*: 0 blurs all, 1 is attention"):
        look_up([1], [[1]], [[1]], [1, sharpness])


def test_errors_of_shape():
    with pytest.raises(
        ValueError, match=r"q and k must share d_k, but q is \(1, 2\) and k is \(3, 4\)\. Check w_q and w_k"
    ):
        look_up(random_numbers(2), random_numbers(3, 4), random_numbers(3, 1), [1])
