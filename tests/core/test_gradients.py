"""The gradients of softmax, projection, norms, activations and cross-entropy: numbers by hand and what must be 0."""

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    activation_gradient,
    activation_steps,
    cross_entropy,
    cross_entropy_gradient,
    layer_norm_gradient,
    layer_norm_steps,
    project_steps,
    projection_gradient,
    rms_norm_gradient,
    rms_norm_steps,
    softmax_gradient,
    softmax_steps,
)
from attention_core.gradients.arriving import summed_to
from backwards import present
from strategies import drawn, law, matrices, numbers

LN2 = np.log(2)
seeds = st.integers(0, 99)


# --- softmax ---


def test_softmax_by_hand():
    gradient = softmax_gradient(softmax_steps([LN2, 0, 0]), [4, 0, 8])
    np.testing.assert_allclose(gradient.average, [4])  # 1/2 · 4 + 1/4 · 0 + 1/4 · 8
    np.testing.assert_allclose(gradient.d_x, [0, -1, 1])


def test_softmax_in_base_2_at_temperature_3():
    gradient = softmax_gradient(softmax_steps([3, 0, 0], temperature=3, base=2), [4, 0, 8])
    np.testing.assert_allclose(gradient.d_x, np.array([0, -1, 1]) * LN2 / 3)


@law
@given(matrices(limit=5.0), st.sampled_from([0, 1, -1, None]), seeds)
def test_the_gradient_of_a_softmax_sums_to_0(x, axis, seed):
    gradient = softmax_gradient(softmax_steps(x, axis), drawn(*x.shape, seed=seed))
    np.testing.assert_allclose(gradient.d_x.sum(axis=axis), 0, atol=1e-12)


@law
@given(matrices(limit=5.0), numbers())
def test_the_same_for_every_share_changes_nothing(x, constant):
    np.testing.assert_allclose(softmax_gradient(softmax_steps(x), np.full(x.shape, constant)).d_x, 0, atol=1e-12)


def test_softmax_gradient_of_what_is_forbidden_is_0():
    x = np.array([[0, -np.inf, 1], [-np.inf] * 3])
    gradient = softmax_gradient(softmax_steps(x), drawn(2, 3)).d_x
    assert gradient[0, 1] == 0
    assert (gradient[1] == 0).all()


# --- projection ---


def test_projection_by_hand():
    gradient = projection_gradient(
        project_steps([[1, 2], [3, 4]], [[5, 6, 7], [8, 9, 0]], [0, 0, 0]), [[1, 0, 0], [0, 10, 100]]
    )
    np.testing.assert_array_equal(gradient.d_x, [[5, 8], [760, 90]])
    np.testing.assert_array_equal(gradient.d_w, [[1, 30, 300], [2, 40, 400]])
    np.testing.assert_array_equal(gradient.d_b, [1, 10, 100])


def test_projection_without_a_bias_has_no_gradient_for_one():
    assert projection_gradient(project_steps([[1]], [[1]]), [[1]]).d_b is None


@pytest.mark.parametrize("shape", [(3,), (1,), (2, 3), (1, 3), (2, 1), (4, 2, 3), (1, 2, 1)])
def test_summed_to_is_what_broadcasting_undone_gives(shape):
    gradient, small = drawn(4, 2, 3), drawn(*shape, seed=1)
    gathered = summed_to(gradient, shape)
    assert gathered.shape == shape
    np.testing.assert_allclose((gathered * small).sum(), (gradient * small).sum(), rtol=1e-12)


# --- norms ---


def test_rms_norm_by_hand():
    """x / √(25/2), so a number that arrives at the 3 moves x across its own direction."""
    gradient = rms_norm_gradient(rms_norm_steps([[3, 4]], [2, 5], eps=0), [[25, 0]])
    root = np.sqrt(12.5)
    np.testing.assert_allclose(gradient.d_normal, [[50, 0]])
    np.testing.assert_allclose(gradient.d_x, [[50 * 16 / 25 / root, -50 * 12 / 25 / root]])
    np.testing.assert_allclose(present(gradient.d_weight), [25 * 3 / root, 0])


def test_layer_norm_by_hand():
    """Three features 1, 2, 3 with variance 2/3."""
    gradient = layer_norm_gradient(layer_norm_steps([[1, 2, 3]], [1, 1, 1], [0, 0, 0], eps=0), [[6, 0, 0]])
    root = np.sqrt(2 / 3)
    np.testing.assert_allclose(gradient.d_x, [[1 / root, -2 / root, 1 / root]], rtol=1e-12)
    np.testing.assert_allclose(present(gradient.d_weight), [-6 / root, 0, 0])
    np.testing.assert_array_equal(gradient.d_bias, [6, 0, 0])


@law
@given(st.integers(2, 6), seeds)
def test_a_norm_hides_what_it_forgets(d, seed):
    x, upstream = drawn(3, d, seed=seed), drawn(3, d, seed=seed + 1)
    layer = layer_norm_gradient(layer_norm_steps(x, eps=0), upstream).d_x
    rms = rms_norm_gradient(rms_norm_steps(x, eps=0), upstream).d_x
    np.testing.assert_allclose(layer.sum(axis=-1), 0, atol=1e-9)
    np.testing.assert_allclose((layer * x).sum(axis=-1), 0, atol=1e-9)
    np.testing.assert_allclose((rms * x).sum(axis=-1), 0, atol=1e-9)


def test_where_nothing_spreads_nothing_comes_back():
    assert (layer_norm_gradient(layer_norm_steps([[7, 7]], eps=0), [[1, 2]]).d_x == 0).all()
    assert (rms_norm_gradient(rms_norm_steps([[0, 0]], eps=0), [[1, 2]]).d_x == 0).all()


def test_norms_without_weights_have_no_gradients_for_them():
    gradient = layer_norm_gradient(layer_norm_steps([[1, 2]]), [[1, 2]])
    assert gradient.d_weight is gradient.d_bias is None
    assert rms_norm_gradient(rms_norm_steps([[1, 2]]), [[1, 2]]).d_weight is None


# --- activations ---


def test_slopes_by_hand():
    x = [-1.0, 0.0, 2.0]
    ones = np.ones(3)
    sigma, phi = scipy.special.expit(x), scipy.stats.norm.pdf(x)
    np.testing.assert_array_equal(activation_gradient(activation_steps(x, "relu"), ones).slope, [0, 0, 1])
    silu = activation_gradient(activation_steps(x, "silu"), ones)
    np.testing.assert_allclose(silu.slope, sigma * (1 + np.array(x) * (1 - sigma)))
    gelu = activation_gradient(activation_steps(x, "gelu"), 3 * ones)
    np.testing.assert_allclose(gelu.slope, scipy.stats.norm.cdf(x) + x * phi)
    np.testing.assert_allclose(gelu.d_x, 3 * gelu.slope)
    assert silu.slope[1] == gelu.slope[1] == 0.5


@pytest.mark.parametrize("function", ["relu", "silu", "gelu"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_out_an_activation_is_a_line(function, dtype):
    far = np.array([-1, 1], dtype) * np.finfo(dtype).max
    gradient = activation_gradient(activation_steps(far, function), np.ones(2, dtype))
    np.testing.assert_array_equal(gradient.slope, np.array([0, 1], dtype), strict=True)


@pytest.mark.parametrize(("function", "least", "most"), [("silu", -0.1, 1.1), ("gelu", -0.13, 1.13)])
def test_slopes_stay_in_their_range(function, least, most):
    x = np.linspace(-8, 8, 2001)
    slope = activation_gradient(activation_steps(x, function), np.ones_like(x)).slope
    assert least < slope.min() < least + 0.01
    assert most - 0.01 < slope.max() < most


# --- cross-entropy ---


def test_cross_entropy_by_hand():
    trace = cross_entropy([[LN2, 0, 0], [0, 0, 0]], [1, 2])
    gradient = cross_entropy_gradient(trace)
    np.testing.assert_allclose(gradient.d_losses, [1 / 2, 1 / 2])
    np.testing.assert_allclose(gradient.d_logits, [[1 / 4, -3 / 8, 1 / 8], [1 / 6, 1 / 6, -1 / 3]])
    np.testing.assert_allclose(cross_entropy_gradient(trace, 6).d_logits, 6 * gradient.d_logits)


@law
@given(matrices(limit=50.0), seeds)
def test_each_row_of_logits_gets_0_in_sum(logits, seed):
    targets = np.random.default_rng(seed).integers(0, logits.shape[1], len(logits))
    gradient = cross_entropy_gradient(cross_entropy(logits, targets)).d_logits
    np.testing.assert_allclose(gradient.sum(axis=1), 0, atol=1e-15)
    assert (gradient[np.arange(len(logits)), targets] <= 0).all()


def test_a_row_that_does_not_count_gets_nothing():
    logits, targets = drawn(2, 3, 4), np.array([[0, 1, 2], [3, 0, 1]])
    counted = np.array([[True, False, True], [False, False, True]])
    gradient = cross_entropy_gradient(cross_entropy(logits, targets, counted))
    assert (gradient.d_logits[~counted] == 0).all()
    alone = cross_entropy_gradient(cross_entropy(logits[counted], targets[counted]))
    np.testing.assert_allclose(gradient.d_logits[counted], alone.d_logits, rtol=1e-12)
