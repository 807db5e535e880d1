"""Test SGD and Adam: numbers by hand, what does not change Adam's steps, purity, types, and error messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import adam_step, sgd_step
from strategies import law, random_numbers, read_only

OPTIONS = {"lr": 0.1, "beta1": 0.5, "beta2": 0.75, "eps": 1e-300}


def descend(gradients, parameter, **options):
    traces = []
    for gradient in gradients:
        before = traces[-1] if traces else None
        traces.append(adam_step(before.parameter if before else parameter, gradient, before, **options))
    return traces


def test_sgd_by_hand():
    np.testing.assert_allclose(sgd_step([[1, 2]], [[3, -4]], 0.5), [[-0.5, 4]])
    np.testing.assert_array_equal(sgd_step([1, 2], [3, 4], lr=0), [1, 2])


def test_adam_by_hand():
    first, second = descend([[4.0], [0.0]], [10.0], **OPTIONS)
    assert (first.step, first.mean, first.square) == (1, 2, 4)
    assert (first.corrected_mean, first.corrected_square) == (4, 16)
    np.testing.assert_allclose(first.parameter, [9.9])
    assert (second.step, second.mean, second.square) == (2, 1, 3)
    np.testing.assert_allclose(second.corrected_mean, [1 / 0.75])
    np.testing.assert_allclose(second.corrected_square, [3 / (1 - 0.75**2)])
    np.testing.assert_allclose(second.update, 0.1 * (4 / 3) / np.sqrt(48 / 7))
    np.testing.assert_allclose(second.parameter, first.parameter - second.update)


def test_eps_is_added_to_the_root():
    np.testing.assert_allclose(adam_step([0.0], [4.0], lr=0.5, eps=1).parameter, [-0.5 * 4 / 5])


@law
@given(st.floats(1e-3, 1e3), st.integers(1, 6))
def test_with_equal_gradients_each_step_of_adam_is_the_learning_rate(gradient, n):
    last = descend([gradient] * n, 0.0, lr=0.01, eps=1e-300)[-1]
    np.testing.assert_allclose(last.parameter, -0.01 * n, rtol=1e-9)


@law
@given(st.floats(1e-3, 1e3), st.integers(0, 99))
def test_adam_does_not_change_with_the_scale_of_gradients(factor, seed):
    gradients = random_numbers(4, 2, 3, seed=seed)
    one, other = (descend(g, np.zeros((2, 3)), **OPTIONS)[-1] for g in (gradients, factor * gradients))
    np.testing.assert_allclose(one.parameter, other.parameter, rtol=1e-9)


def test_with_gradient_0_adam_changes_nothing():
    np.testing.assert_array_equal(adam_step([1.0, 2.0], [0.0, 0.0]).parameter, [1, 2])


def test_sgd_and_adam_find_a_minimum():
    plain, adam, trace = np.array([3.0, -2.0]), np.array([3.0, -2.0]), None
    for _ in range(200):
        plain = sgd_step(plain, 2 * plain, 0.1)
        trace = adam_step(adam, 2 * adam, trace, lr=0.05)
        adam = trace.parameter
    assert np.abs(plain).max() < 1e-12
    assert np.abs(adam).max() < 0.05


def test_a_step_changes_none_of_its_inputs():
    # both arrays are read-only, so that a change in place would raise an error
    parameter, gradient = random_numbers(2, 3), random_numbers(2, 3, seed=1)
    first = adam_step(parameter, gradient)
    kept = first.mean.copy(), first.square.copy()
    again = [adam_step(first.parameter, gradient, first).parameter for _ in range(2)]
    np.testing.assert_array_equal(again[0], again[1])
    np.testing.assert_array_equal((first.mean, first.square), kept)
    np.testing.assert_array_equal(sgd_step(parameter, gradient, 0.1), sgd_step(parameter, gradient, 0.1))


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types(dtype, expected):
    parameter, gradient = read_only(np.array([1, 2], dtype)), np.array([3.0, 4.0])
    trace = adam_step(parameter, gradient, adam_step(parameter, gradient), lr=np.float64(0.1))
    for part in (trace.mean, trace.square, trace.update, trace.parameter, sgd_step(parameter, gradient, np.float64(1))):
        assert part.dtype == expected


@pytest.mark.parametrize("step", [sgd_step, adam_step])
@pytest.mark.parametrize(
    ("parameter", "gradient", "lr", "message"),
    [
        ([1, 2], [1], 0.1, r"gradient must have the shape of the parameter; got gradient \(1,\), parameter \(2,\)"),
        ([1, 2], [1, np.nan], 0.1, r"gradient must be finite; got nan at \(1,\)"),
        ([1, np.inf], [1, 2], 0.1, r"parameter must be finite; got inf at \(1,\)"),
        ([1, 2], [1, 2], -1, r"lr must be finite and at least 0; got -1: .* is usual"),
        ([1, 2], [1, 2], np.nan, r"lr must be finite and at least 0; got nan"),
    ],
)
def test_errors(step, parameter, gradient, lr, message):
    with pytest.raises(ValueError, match=message):
        step(parameter, gradient, lr=lr)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta1": 1}, r"beta1 must be at least 0 and less than 1; got 1: 0\.9 and 0\.999 are usual"),
        ({"beta2": -0.1}, r"beta2 must be at least 0 and less than 1; got -0\.1"),
        ({"beta2": np.nan}, r"beta2 must be at least 0 and less than 1; got nan"),
        ({"eps": 0}, r"eps must be finite and greater than 0; got 0"),
        ({"before": adam_step([1, 2, 3], [1, 2, 3])}, r"before\.mean must have the shape .*; got before\.mean \(3,\)"),
    ],
)
def test_errors_of_adam(options, message):
    with pytest.raises(ValueError, match=message):
        adam_step([1, 2], [1, 2], **options)
