"""Test the softmax: numbers by hand, SciPy's numbers, laws, limits, and error messages."""

import math

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from attention_core import add_constant, entropy, softmax, softmax_steps
from strategies import law, matrices, numbers, random_numbers, read_only

axes = st.sampled_from([0, 1, -1, -2, None])
temperatures = st.floats(0.05, 50.0)


def test_by_hand():
    np.testing.assert_allclose(softmax([0, math.log(2), math.log(5)]), [1 / 8, 2 / 8, 5 / 8], rtol=1e-15)


def test_base_two_is_exact_on_paper():
    steps = softmax_steps([3, 1, 0, 3], base=2)
    np.testing.assert_array_equal(steps.peak, [3])
    np.testing.assert_array_equal(steps.shifted, [0, -2, -3, 0])
    np.testing.assert_array_equal(steps.powers, [1, 1 / 4, 1 / 8, 1])
    np.testing.assert_array_equal(steps.totals, [2.375])
    np.testing.assert_array_equal(steps.weights, np.array([8, 2, 1, 8]) / 19)


def test_each_axis_of_a_matrix():
    x = np.log([[1, 3], [4, 2]])
    np.testing.assert_allclose(softmax(x), [[1 / 4, 3 / 4], [4 / 6, 2 / 6]])
    np.testing.assert_allclose(softmax(x, axis=0), [[1 / 5, 3 / 5], [4 / 5, 2 / 5]])
    np.testing.assert_allclose(softmax(x, axis=None), [[1 / 10, 3 / 10], [4 / 10, 2 / 10]])


@law
@given(matrices(limit=700.0), axes)
def test_equals_scipy(x, axis):
    np.testing.assert_allclose(softmax(x, axis), scipy.special.softmax(x, axis), rtol=1e-12, atol=1e-300)


@law
@given(arrays(np.float64, array_shapes(max_dims=4, max_side=4), elements=numbers()), st.data())
def test_sums_to_one_along_any_axis(x, data):
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    weights = softmax(x, axis)
    assert weights.shape == x.shape
    assert ((weights >= 0) & (weights <= 1)).all()
    np.testing.assert_allclose(weights.sum(axis), 1, rtol=1e-14)


@law
@given(matrices(), axes, numbers(1000.0))
def test_adding_a_constant_changes_nothing(x, axis, constant):
    np.testing.assert_array_equal(add_constant(x, constant), x + constant)
    np.testing.assert_allclose(softmax(add_constant(x, constant), axis), softmax(x, axis), rtol=1e-9, atol=1e-15)


@law
@given(matrices(), temperatures)
def test_temperature_divides_the_scores(x, temperature):
    np.testing.assert_allclose(softmax(x, temperature=temperature), softmax(x / temperature), rtol=1e-9, atol=1e-15)


@law
@given(matrices(), st.floats(1.05, 20.0))
def test_base_b_is_base_e_at_temperature_one_over_ln_b(x, base):
    by_base = softmax_steps(x, base=base).weights
    np.testing.assert_allclose(by_base, softmax(x, temperature=1 / math.log(base)), rtol=1e-9, atol=1e-15)


@law
@given(matrices(), st.randoms())
def test_order_of_keys_carries_over(x, random):
    order = random.sample(range(x.shape[1]), x.shape[1])
    np.testing.assert_allclose(softmax(x[:, order]), softmax(x)[:, order], rtol=1e-14)


def test_temperature_limits():
    x = [1.0, 3.0, 2.0, 3.0]
    np.testing.assert_allclose(softmax(x, temperature=1e-4), [0, 0.5, 0, 0.5])
    np.testing.assert_allclose(softmax(x, temperature=1e9), [0.25] * 4)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("temperature", [5e-324, 1e-60, 1e60, 1.7e308])
def test_extreme_temperatures_stay_in_range(dtype, temperature):
    weights = softmax(np.array([0, 1, -np.inf], dtype), temperature=temperature)
    np.testing.assert_allclose(weights, [0, 1, 0] if temperature < 1 else [0.5, 0.5, 0], atol=1e-3)


def test_great_scores_do_not_overflow():
    np.testing.assert_array_equal(softmax([1e308, -1e308]), [1, 0])
    np.testing.assert_allclose(softmax([1000, 1001, 1002]), softmax([0, 1, 2]), rtol=1e-15)
    np.testing.assert_allclose(softmax([-1000, -1001]), softmax([1, 0]), rtol=1e-15)


def test_minus_infinity_gets_weight_0():
    np.testing.assert_array_equal(softmax([[0, -np.inf, 0], [-np.inf] * 3]), [[0.5, 0, 0.5], [0, 0, 0]])
    np.testing.assert_array_equal(softmax([-np.inf, -np.inf], axis=None), [0, 0])
    assert softmax_steps([-np.inf, -np.inf]).peak == 0
    assert add_constant(-np.inf, 5) == -np.inf


def test_a_single_number_needs_axis_none():
    assert softmax(3.0, axis=None) == 1
    with pytest.raises(ValueError, match=r"axis must name one of the 0 axes of x; got -1"):
        softmax(3.0)


@pytest.mark.parametrize("axis", [2, -3, 7])
def test_axis_errors(axis):
    message = rf"axis must name one of the 2 axes of x; got {axis} for shape \(2, 3\): give -1 for rows"
    with pytest.raises(ValueError, match=message):
        softmax(np.ones((2, 3)), axis)
    with pytest.raises(ValueError, match=message):
        entropy(np.ones((2, 3)), axis)


@pytest.mark.parametrize("temperature", [0, -1, np.nan, np.inf])
def test_temperature_errors(temperature):
    with pytest.raises(ValueError, match=r"temperature must be finite and greater than 0; got .*: give a positive"):
        softmax([1, 2], temperature=temperature)


@pytest.mark.parametrize("base", [1, 0.5, 0, -2, np.nan, np.inf])
def test_base_errors(base):
    with pytest.raises(ValueError, match=r"base must be finite and greater than 1; got .*: give 2, 3 or math\.e"):
        softmax_steps([1, 2], base=base)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_refuses_what_is_not_a_score(bad):
    with pytest.raises(ValueError, match=rf"x must be finite; got {bad} at \(1,\): replace it"):
        softmax([0, bad])


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types(dtype, expected):
    x = read_only(np.array([[1, 2], [3, 5]], dtype))
    steps = softmax_steps(x, temperature=np.float64(2), base=np.float64(3))
    for part in (
        steps.peak,
        steps.shifted,
        steps.powers,
        steps.totals,
        steps.weights,
        entropy(steps.weights),
        add_constant(x, 1),
    ):
        assert part.dtype == expected


def test_entropy_by_hand():
    np.testing.assert_allclose(entropy([[1, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0]]), [0, math.log(4), math.log(2)])
    assert not np.signbit(entropy([1, 0]))  # otherwise a page would print −0
    assert entropy([0.5, 0.25, 0.25]) == pytest.approx(1.5 * math.log(2))


@law
@given(matrices(limit=5.0))
def test_entropy_equals_scipy_and_stays_in_range(x):
    weights = softmax(x)
    np.testing.assert_allclose(entropy(weights), scipy.special.entr(weights).sum(axis=-1), atol=1e-12)
    assert (entropy(weights) <= math.log(x.shape[1]) + 1e-12).all()


def test_margins_of_a_trace():
    x = np.log([[1, 3], [4, 2]])
    rows, whole = softmax_steps(x), softmax_steps(x, axis=None)
    np.testing.assert_allclose(rows.row_sums, [1, 1])
    np.testing.assert_allclose(rows.column_sums, [1 / 4 + 4 / 6, 3 / 4 + 2 / 6])
    np.testing.assert_allclose(softmax_steps(x[None]).row_sums, [[1, 1]])
    np.testing.assert_allclose(whole.row_sums, [4 / 10, 6 / 10])
    np.testing.assert_allclose(rows.entropies, entropy(rows.weights)[:, None])
    np.testing.assert_allclose(softmax_steps(x, axis=0).entropies, entropy(softmax(x, 0), 0)[None])
    np.testing.assert_allclose(whole.entropies, [[entropy(whole.weights, None)]])


def test_entropy_grows_with_temperature():
    x = random_numbers(6)
    spread = [entropy(softmax(x, temperature=t)) for t in (0.1, 0.5, 1, 2, 10)]
    assert (np.diff(spread) > 0).all()


def test_entropy_refuses_scores():
    with pytest.raises(ValueError, match=r"weights must not be negative; got -0\.5: pass shares, not scores"):
        entropy([-0.5, 1.5])
    with pytest.raises(ValueError, match="weights must be finite; got nan"):
        entropy([np.nan, 1])
