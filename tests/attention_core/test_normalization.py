"""Test layer norm and RMSNorm: numbers by hand, what does not change their result, and error messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import layer_norm, layer_norm_steps, rms_norm, rms_norm_steps
from strategies import law, numbers, random_numbers, read_only

scales = st.floats(0.1, 50.0)


def test_by_hand():
    np.testing.assert_allclose(layer_norm([[1, 3], [0, 0]], eps=0), [[-1, 1], [0, 0]])
    np.testing.assert_allclose(layer_norm([[1, 3]], [2, 5], [10, 20], eps=0), [[8, 25]])
    np.testing.assert_allclose(layer_norm([[1, 3]], eps=3), [[-0.5, 0.5]])
    np.testing.assert_allclose(layer_norm([[0.001, 0.003]]), np.array([[-0.001, 0.001]]) / np.sqrt(1.1e-5))


@law
@given(scales, numbers(50.0), st.integers(0, 100))
def test_the_result_does_not_change_with_shift_and_scale(factor, shift, seed):
    x = random_numbers(3, 5, seed=seed)
    np.testing.assert_allclose(layer_norm(factor * x + shift, eps=0), layer_norm(x, eps=0), atol=1e-9)


@law
@given(st.integers(2, 9), st.integers(0, 100))
def test_mean_zero_and_variance_one(d, seed):
    normal = layer_norm(random_numbers(4, d, seed=seed), eps=0)
    np.testing.assert_allclose(normal.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(normal.var(axis=-1), 1, atol=1e-12)


def test_each_token_by_itself():
    x = random_numbers(2, 3, 5)
    for index in np.ndindex(2, 3):
        np.testing.assert_allclose(layer_norm(x)[index], layer_norm(x[index]), rtol=1e-13)


def test_several_axes_at_once():
    x = random_numbers(2, 3, 5)
    flat = layer_norm(x.reshape(2, 15)).reshape(x.shape)
    np.testing.assert_allclose(layer_norm(x, axis=(-2, -1)), flat, rtol=1e-12)


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types(dtype, expected):
    x, w = read_only(np.array([[1, 2, 4]], dtype)), read_only(np.ones(3, dtype))
    assert layer_norm(x, w, w, eps=np.float64(1e-5)).dtype == expected


@pytest.mark.parametrize("eps", [-1e-5, np.nan, np.inf])
def test_eps(eps):
    with pytest.raises(ValueError, match=r"eps must be finite and at least 0; got .*: 1e-5 is usual"):
        layer_norm([[1, 2]], eps=eps)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weight": [1, 2]}, r"weight must broadcast to x; got weight \(2,\), x \(1, 3\): give one number a feature"),
        ({"bias": [[1], [2]]}, r"bias must broadcast to x; got bias \(2, 1\), x \(1, 3\): give one number a feature"),
        ({"weight": [1, np.nan, 1]}, r"weight must be finite; got nan at \(1,\)"),
        ({"x": [[1, np.inf]]}, r"x must be finite; got inf at \(0, 1\)"),
        ({"axis": 2}, r"axis 2 is out of bounds for array of dimension 2"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        layer_norm(**{"x": [[1, 2, 3]], **arguments})


# --- RMSNorm ---


def test_rms_norm_by_hand():
    root = np.sqrt(12.5)
    np.testing.assert_allclose(rms_norm([[3, 4], [0, 0]], eps=0), [[3 / root, 4 / root], [0, 0]])
    np.testing.assert_allclose(rms_norm([[3, 4]], [2, 5], eps=0), [[6 / root, 20 / root]])
    np.testing.assert_allclose(rms_norm([[3, 4]], eps=3.5), [[0.75, 1]])
    np.testing.assert_allclose(rms_norm([[0.003, 0.004]]), np.array([[0.003, 0.004]]) / np.sqrt(2.25e-5))


@law
@given(scales, st.integers(0, 100))
def test_rms_norm_does_not_change_with_scale_and_equals_layer_norm_of_centred_rows(factor, seed):
    x = random_numbers(3, 5, seed=seed)
    np.testing.assert_allclose(rms_norm(factor * x, eps=0), rms_norm(x, eps=0), rtol=1e-9)
    np.testing.assert_allclose(rms_norm(x - x.mean(axis=-1, keepdims=True)), layer_norm(x), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose((rms_norm(x, eps=0) ** 2).mean(axis=-1), 1, rtol=1e-12)


def test_rms_norm_over_other_axes():
    x = random_numbers(2, 3, 5)
    np.testing.assert_allclose(rms_norm(x, axis=-2), rms_norm(x.swapaxes(1, 2)).swapaxes(1, 2), rtol=1e-12)


def test_the_steps_of_norms():
    layer = layer_norm_steps([[1, 3]], [2, 5], [10, 20], eps=3)
    np.testing.assert_allclose(layer.mean, [[2]])
    np.testing.assert_allclose(layer.centred, [[-1, 1]])
    np.testing.assert_allclose(layer.spread, [[2]])
    np.testing.assert_allclose(layer.normal, [[-0.5, 0.5]])
    np.testing.assert_allclose(layer.output, [[9, 22.5]])
    rms = rms_norm_steps([[3, 4]], [2, 5], eps=3.5)
    np.testing.assert_allclose(rms.spread, [[4]])
    np.testing.assert_allclose(rms.normal, [[0.75, 1]])
    np.testing.assert_allclose(rms.output, [[1.5, 5]])


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types_of_rms_norm(dtype, expected):
    x, w = read_only(np.array([[1, 2, 4]], dtype)), read_only(np.ones(3, dtype))
    assert rms_norm(x, w, eps=np.float64(1e-5)).dtype == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weight": [1, 2]}, r"weight must broadcast to x; got weight \(2,\), x \(1, 3\): give one number a feature"),
        ({"eps": -1}, r"eps must be finite and at least 0; got -1: 1e-5 is usual"),
        ({"x": [[1, np.nan]]}, r"x must be finite; got nan at \(0, 1\)"),
    ],
)
def test_errors_of_rms_norm(arguments, message):
    with pytest.raises(ValueError, match=message):
        rms_norm(**{"x": [[1, 2, 3]], **arguments})
