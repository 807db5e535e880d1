"""Test the gradients of attention: numbers by hand, masks, shared inputs, and gradients that must be 0.

Also the optimizers.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    adam_step,
    attend,
    attention_gradient,
    causal_mask,
    self_attention,
    self_attention_gradient,
    sgd_step,
)
from backwards import GradientCase, check_present, finite_differences
from strategies import law, queries_keys_values, random_numbers, read_only

LN2 = np.log(2)


def test_by_hand():
    """Check all gradients by hand for one query that gives the weights 2/3 and 1/3 to two keys."""
    trace = attend([[LN2, 0]], [[1, 5], [0, 3]], [[6, 1], [0, 4]], scale=1)
    gradient = attention_gradient(trace, [[1, 2]])
    np.testing.assert_allclose(trace.weights, [[2 / 3, 1 / 3]])
    np.testing.assert_allclose(gradient.grad_v, [[2 / 3, 4 / 3], [1 / 3, 2 / 3]])
    np.testing.assert_allclose(gradient.grad_weights, [[8, 8]])
    # both values have the same incoming gradient
    np.testing.assert_allclose(gradient.grad_scores, [[0, 0]], atol=1e-15)
    gradient = attention_gradient(trace, [[1, 0]])
    np.testing.assert_allclose(gradient.grad_weights, [[6, 0]])  # the weighted average is 4
    np.testing.assert_allclose(gradient.grad_scores, [[4 / 3, -4 / 3]])
    np.testing.assert_allclose(gradient.grad_q, [[4 / 3, 8 / 3]])
    np.testing.assert_allclose(gradient.grad_k, [[4 / 3 * LN2, 0], [-4 / 3 * LN2, 0]])
    assert gradient.grad_scale == pytest.approx(4 / 3 * LN2)
    assert gradient.grad_mask is None


@law
@given(queries_keys_values(), st.integers(0, 99))
def test_the_gradients_of_a_row_of_scores_sum_to_0(qkv, seed):
    gradient = attention_gradient(attend(*qkv), random_numbers(len(qkv.q), qkv.v.shape[1], seed=seed))
    np.testing.assert_allclose(gradient.grad_scores.sum(axis=1), 0, atol=1e-11)


@law
@given(queries_keys_values(), st.data())
def test_masked_cells_keys_and_values_have_gradient_0(qkv, data):
    kept = data.draw(st.integers(0, len(qkv.k)))
    allowed = np.arange(len(qkv.k)) < kept
    for mask in (allowed, np.where(allowed, 0.0, -np.inf)):
        gradient = attention_gradient(attend(*qkv, mask=mask), random_numbers(len(qkv.q), qkv.v.shape[1]))
        for part in (gradient.grad_scaled, gradient.grad_scores):
            assert (part[:, kept:] == 0).all()
            assert not np.signbit(part[:, kept:]).any()  # otherwise a page would print −0
        assert (gradient.grad_k[kept:] == 0).all()
        assert (gradient.grad_v[kept:] == 0).all()


@law
@given(queries_keys_values(square=True), st.data())
def test_under_a_causal_mask_later_keys_get_no_gradient_from_an_earlier_output(qkv, data):
    now = data.draw(st.integers(0, len(qkv.q) - 1))
    upstream = np.zeros((len(qkv.q), qkv.v.shape[1]))
    upstream[now] = 1
    gradient = attention_gradient(attend(*qkv, mask=causal_mask(len(qkv.q))), upstream)
    assert (gradient.grad_k[now + 1 :] == 0).all()
    assert (gradient.grad_v[now + 1 :] == 0).all()
    assert (np.delete(gradient.grad_q, now, axis=0) == 0).all()


def test_a_query_with_every_key_masked_has_gradient_0_and_changes_no_other():
    trace = attend(random_numbers(2, 3), random_numbers(4, 3), random_numbers(4, 5), mask=[[False] * 4, [True] * 4])
    gradient, alone = attention_gradient(trace, random_numbers(2, 5)), attend(trace.q[1:], trace.k, trace.v)
    assert (gradient.grad_q[0] == 0).all()
    np.testing.assert_allclose(gradient.grad_k, attention_gradient(alone, random_numbers(2, 5)[1:]).grad_k, rtol=1e-12)


def test_boolean_and_additive_masks_agree():
    q, k, v, upstream = (
        random_numbers(3, 4),
        random_numbers(3, 4, seed=1),
        random_numbers(3, 2),
        random_numbers(3, 2, seed=1),
    )
    additive = np.where(causal_mask(3), 0, -np.inf)
    by_bool = attention_gradient(attend(q, k, v, mask=causal_mask(3)), upstream)
    by_float = attention_gradient(attend(q, k, v, mask=additive), upstream)
    np.testing.assert_array_equal(by_bool.grad_scores, by_float.grad_scores)
    np.testing.assert_array_equal(by_float.grad_mask, by_float.grad_scaled)
    assert by_bool.grad_mask is None


def test_the_gradient_of_an_added_mask_is_the_sum_of_its_uses():
    q, k, v, penalties = random_numbers(2, 3, 4), random_numbers(2, 5, 4), random_numbers(2, 5, 2), random_numbers(1, 5)
    gradient = attention_gradient(attend(q, k, v, mask=penalties), random_numbers(2, 3, 2))
    np.testing.assert_allclose(
        check_present(gradient.grad_mask), gradient.grad_scaled.sum(axis=(0, 1))[None], rtol=1e-12
    )


def test_the_gradient_of_the_scale_equals_finite_differences():
    case = GradientCase("q nk, k mk, v me, scale 1", attend, attention_gradient)
    inputs = {"q": random_numbers(2, 3), "k": random_numbers(4, 3), "v": random_numbers(4, 2), "scale": np.array(0.7)}
    gradient = case.back(inputs, random_numbers(2, 2))
    np.testing.assert_allclose(
        gradient.grad_scale, finite_differences(case, inputs, random_numbers(2, 2), "scale"), rtol=1e-6
    )


BROADCAST = [
    ((2, 1, 4, 5), (3, 6, 5), (6, 2)),
    ((4, 5), (6, 5), (3, 6, 2)),  # the values have a batch axis, and the weights have none
    ((4, 5), (2, 3, 6, 5), (3, 6, 2)),
    ((1, 4, 5), (2, 6, 5), (2, 6, 2)),
]


@pytest.mark.parametrize("shapes", BROADCAST)
def test_the_gradient_of_a_broadcast_input_is_the_sum_of_its_uses(shapes):
    case = GradientCase("q …nk, k …mk, v …me", attend, attention_gradient)
    inputs = {name: random_numbers(*shape, seed=i) for i, (name, shape) in enumerate(zip("qkv", shapes, strict=True))}
    upstream = random_numbers(*case.output(inputs).shape, seed=9)
    assert case.back(inputs, upstream).grad_scores.shape == case.forward(**inputs).scores.shape
    for name, found in case.gradients_by_name(inputs, upstream).items():
        expected = finite_differences(case, inputs, upstream, name)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7, strict=True)


def test_with_a_very_large_score_the_gradient_of_the_query_is_0():
    trace = attend([[1e4, 0]], [[1e4, 0], [0, 1e4]], [[1.0], [2.0]])
    gradient = attention_gradient(trace, [[1.0]])
    assert (gradient.grad_q == 0).all()
    np.testing.assert_array_equal(gradient.grad_v, [[1], [0]])


# --- projected ---

MATRICES: dict[str, Any] = {
    "w_q": random_numbers(4, 3),
    "w_k": random_numbers(4, 3, seed=1),
    "w_v": random_numbers(4, 2),
}
BIASES: dict[str, Any] = {"b_q": random_numbers(3), "b_k": random_numbers(3, seed=1), "b_v": random_numbers(2)}


def test_the_gradient_of_tokens_is_the_sum_through_q_k_and_v():
    gradient = self_attention_gradient(self_attention(random_numbers(5, 4), **MATRICES), random_numbers(5, 2))
    ways = gradient.through_q + gradient.through_k + gradient.through_v
    np.testing.assert_allclose(gradient.grad_x, ways, rtol=1e-12)
    np.testing.assert_allclose(gradient.through_v, gradient.grad_v @ MATRICES["w_v"].T, rtol=1e-12)
    assert gradient.grad_context is None
    assert gradient.grad_b_q is gradient.grad_b_k is gradient.grad_b_v is None


def test_with_the_same_tokens_as_context_the_two_gradients_add_up():
    x, upstream = random_numbers(5, 4), random_numbers(5, 2)
    alone = self_attention_gradient(self_attention(x, **MATRICES), upstream)
    apart = self_attention_gradient(self_attention(x, **MATRICES, context=x.copy()), upstream)
    np.testing.assert_array_equal(apart.grad_x, apart.through_q)
    np.testing.assert_allclose(apart.grad_x + check_present(apart.grad_context), alone.grad_x, rtol=1e-12)


@law
@given(st.integers(0, 99))
def test_the_gradient_of_the_bias_of_keys_is_0(seed):
    trace = self_attention(random_numbers(5, 4, seed=seed), **MATRICES, **BIASES, mask=causal_mask(5))
    gradient = self_attention_gradient(trace, random_numbers(5, 2, seed=seed))
    np.testing.assert_allclose(check_present(gradient.grad_b_k), 0, atol=1e-13)
    assert np.abs(check_present(gradient.grad_b_q)).max() > 1e-6


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
