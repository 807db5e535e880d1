"""Test the activation functions: numbers by hand, their formulas and their gates, types, and error messages.

Also the gated network SwiGLU.
"""

import math

import numpy as np
import pytest
from hypothesis import given

from attention_core import activation_steps, gelu, relu, silu, swiglu
from strategies import law, matrices, random_numbers, read_only

FUNCTIONS = {"relu": relu, "silu": silu, "gelu": gelu}
of_each = pytest.mark.parametrize("name", FUNCTIONS)


def test_by_hand():
    np.testing.assert_array_equal(relu([-2, 0, 3]), [0, 0, 3])
    np.testing.assert_allclose(silu([0, np.log(3), -np.log(3)]), [0, np.log(3) * 3 / 4, -np.log(3) / 4])
    np.testing.assert_allclose(gelu([0, 1, -2]), [0, 0.8413447460685429, -2 * 0.022750131948179195])


@law
@given(matrices(limit=8.0))
def test_are_the_formulas(x):
    np.testing.assert_array_equal(relu(x), np.maximum(x, 0))
    np.testing.assert_allclose(silu(x), x / (1 + np.exp(-x)), rtol=1e-13)
    np.testing.assert_allclose(gelu(x), x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))), rtol=1e-7, atol=1e-15)


@of_each
def test_the_output_is_x_times_its_gate(name):
    trace = activation_steps(random_numbers(3, 4), name)
    np.testing.assert_array_equal(trace.output, FUNCTIONS[name](random_numbers(3, 4)))
    np.testing.assert_array_equal(trace.output, trace.x * trace.gate + 0.0)
    assert ((trace.gate >= 0) & (trace.gate <= 1)).all()


@of_each
@law
@given(matrices())
def test_gates_of_a_number_and_its_opposite_add_up_to_1(name, x):
    """Check that gate(x) + gate(-x) = 1, and that f(x) - f(-x) = x follows, where f(x) = x · gate(x)."""
    np.testing.assert_allclose(FUNCTIONS[name](x) - FUNCTIONS[name](-x), x, rtol=1e-12, atol=1e-14)


@of_each
def test_no_minus_zero(name):
    assert not np.signbit(FUNCTIONS[name]([-1e6, -0.0, 0.0])).any()  # otherwise a page would print −0


@pytest.mark.parametrize(("name", "least"), [("silu", -0.27846), ("gelu", -0.16997)])
def test_the_least_value(name, least):
    assert FUNCTIONS[name](np.linspace(-5, 5, 10001)).min() == pytest.approx(least, abs=1e-5)


@of_each
@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types(name, dtype, expected):
    trace = activation_steps(read_only(np.array([[1, -2]], dtype)), name)
    assert {trace.x.dtype, trace.gate.dtype, trace.output.dtype} == {np.dtype(expected)}


@of_each
def test_errors(name):
    with pytest.raises(ValueError, match=r"x must be finite; got inf at \(1,\): replace it"):
        FUNCTIONS[name]([0, np.inf])


def test_unknown_function():
    message = r"function must be one of \['relu', 'silu', 'gelu'\]; got 'ReLU': write its name in small letters"
    with pytest.raises(ValueError, match=message):
        activation_steps([1.0], "ReLU")  # type: ignore[arg-type]


LN3 = np.log(3)


def test_by_hand_of_swiglu():
    trace = swiglu([[1, 2]], [[LN3, 0], [0, 0]], [[1, 5], [2, 5]], [[4], [7]])
    np.testing.assert_allclose(trace.gate.x, [[LN3, 0]])
    np.testing.assert_allclose(trace.gate.output, [[LN3 * 3 / 4, 0]])
    np.testing.assert_allclose(trace.up, [[5, 15]])
    np.testing.assert_allclose(trace.hidden, [[LN3 * 15 / 4, 0]])
    np.testing.assert_allclose(trace.output, [[LN3 * 15]])


def test_is_the_formula_in_batches_too():
    x, w_gate, w_up, w_down = (
        random_numbers(2, 3, 4),
        random_numbers(4, 6),
        random_numbers(4, 6, seed=1),
        random_numbers(6, 4),
    )
    expected = (silu(x @ w_gate) * (x @ w_up)) @ w_down
    np.testing.assert_allclose(swiglu(x, w_gate, w_up, w_down).output, expected, rtol=1e-12)


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types_of_swiglu(dtype, expected):
    x, w = read_only(np.ones((1, 2), dtype)), read_only(np.ones((2, 2), dtype))
    assert swiglu(x, w, w, w).output.dtype == expected


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 3), (4, 6), (3, 6), (6, 3)), r"w_gate: x and w must share d_in, but x is \(2, 3\) and w is \(4, 6\)"),
        (((2, 3), (3, 6), (4, 6), (6, 3)), r"w_up: x and w must share d_in, but x is \(2, 3\) and w is \(4, 6\)"),
        (((2, 3), (3, 6), (3, 5), (6, 3)), r"w_gate and w_up must share d_hidden; got 6 and 5 columns: every hidden"),
        (((2, 3), (3, 6), (3, 6), (5, 3)), r"w_down: x and w must share d_in, but x is \(2, 6\) and w is \(5, 3\)"),
    ],
)
def test_errors_of_swiglu(shapes, message):
    with pytest.raises(ValueError, match=message):
        swiglu(*(random_numbers(*shape) for shape in shapes))
