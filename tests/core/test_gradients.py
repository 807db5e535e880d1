"""Test the gradients of softmax, projection and cross-entropy: numbers by hand, and gradients that must be 0."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    cross_entropy,
    cross_entropy_gradient,
    project_steps,
    projection_gradient,
    softmax_gradient,
    softmax_steps,
)
from attention_core.gradients.parts import summed_to
from strategies import law, matrices, numbers, random_numbers

LN2 = np.log(2)
seeds = st.integers(0, 99)


# --- softmax ---


def test_softmax_by_hand():
    gradient = softmax_gradient(softmax_steps([LN2, 0, 0]), [4, 0, 8])
    np.testing.assert_allclose(gradient.average, [4])  # the average is 1/2 · 4 + 1/4 · 0 + 1/4 · 8
    np.testing.assert_allclose(gradient.grad_x, [0, -1, 1])


def test_softmax_in_base_2_at_temperature_3():
    gradient = softmax_gradient(softmax_steps([3, 0, 0], temperature=3, base=2), [4, 0, 8])
    np.testing.assert_allclose(gradient.grad_x, np.array([0, -1, 1]) * LN2 / 3)


@law
@given(matrices(limit=5.0), st.sampled_from([0, 1, -1, None]), seeds)
def test_the_gradient_of_a_softmax_sums_to_0(x, axis, seed):
    gradient = softmax_gradient(softmax_steps(x, axis), random_numbers(*x.shape, seed=seed))
    np.testing.assert_allclose(gradient.grad_x.sum(axis=axis), 0, atol=1e-12)


@law
@given(matrices(limit=5.0), numbers())
def test_the_gradient_of_a_softmax_is_0_for_a_constant_incoming_gradient(x, constant):
    np.testing.assert_allclose(softmax_gradient(softmax_steps(x), np.full(x.shape, constant)).grad_x, 0, atol=1e-12)


def test_softmax_gradient_of_minus_infinity_is_0():
    x = np.array([[0, -np.inf, 1], [-np.inf] * 3])
    gradient = softmax_gradient(softmax_steps(x), random_numbers(2, 3)).grad_x
    assert gradient[0, 1] == 0
    assert (gradient[1] == 0).all()


# --- projection ---


def test_projection_by_hand():
    gradient = projection_gradient(
        project_steps([[1, 2], [3, 4]], [[5, 6, 7], [8, 9, 0]], [0, 0, 0]), [[1, 0, 0], [0, 10, 100]]
    )
    np.testing.assert_array_equal(gradient.grad_x, [[5, 8], [760, 90]])
    np.testing.assert_array_equal(gradient.grad_w, [[1, 30, 300], [2, 40, 400]])
    np.testing.assert_array_equal(gradient.grad_b, [1, 10, 100])


def test_a_projection_without_a_bias_has_no_gradient_of_a_bias():
    assert projection_gradient(project_steps([[1]], [[1]]), [[1]]).grad_b is None


@pytest.mark.parametrize("shape", [(3,), (1,), (2, 3), (1, 3), (2, 1), (4, 2, 3), (1, 2, 1)])
def test_summed_to_undoes_broadcasting(shape):
    gradient, small = random_numbers(4, 2, 3), random_numbers(*shape, seed=1)
    gathered = summed_to(gradient, shape)
    assert gathered.shape == shape
    np.testing.assert_allclose((gathered * small).sum(), (gradient * small).sum(), rtol=1e-12)


# --- cross-entropy ---


def test_cross_entropy_by_hand():
    trace = cross_entropy([[LN2, 0, 0], [0, 0, 0]], [1, 2])
    gradient = cross_entropy_gradient(trace)
    np.testing.assert_allclose(gradient.grad_losses, [1 / 2, 1 / 2])
    np.testing.assert_allclose(gradient.grad_logits, [[1 / 4, -3 / 8, 1 / 8], [1 / 6, 1 / 6, -1 / 3]])
    np.testing.assert_allclose(cross_entropy_gradient(trace, 6).grad_logits, 6 * gradient.grad_logits)


@law
@given(matrices(limit=50.0), seeds)
def test_the_gradients_of_a_row_of_logits_sum_to_0(logits, seed):
    targets = np.random.default_rng(seed).integers(0, logits.shape[1], len(logits))
    gradient = cross_entropy_gradient(cross_entropy(logits, targets)).grad_logits
    np.testing.assert_allclose(gradient.sum(axis=1), 0, atol=1e-15)
    assert (gradient[np.arange(len(logits)), targets] <= 0).all()


def test_an_ignored_row_has_gradient_0():
    logits, targets = random_numbers(2, 3, 4), np.array([[0, 1, 2], [3, 0, 1]])
    counted = np.array([[True, False, True], [False, False, True]])
    gradient = cross_entropy_gradient(cross_entropy(logits, targets, counted))
    assert (gradient.grad_logits[~counted] == 0).all()
    alone = cross_entropy_gradient(cross_entropy(logits[counted], targets[counted]))
    np.testing.assert_allclose(gradient.grad_logits[counted], alone.grad_logits, rtol=1e-12)
