"""Test SwiGLU: numbers by hand, its parts, batches, types, and error messages."""

import numpy as np
import pytest

from attention_core import silu, swiglu
from strategies import random_numbers, read_only

LN3 = np.log(3)


def test_by_hand():
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
def test_types(dtype, expected):
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
def test_errors(shapes, message):
    with pytest.raises(ValueError, match=message):
        swiglu(*(random_numbers(*shape) for shape in shapes))
