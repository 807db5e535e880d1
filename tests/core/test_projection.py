"""Test the projection x @ w + b: numbers by hand, linearity, batches, error messages."""

import numpy as np
import pytest
from hypothesis import given

from attention_core import project, project_steps
from attention_core.projection import project_named
from strategies import law, matrices, random_numbers, read_only


def test_by_hand():
    x, w = [[1, 0, 2], [0, 3, 1]], [[1, 1], [5, 4], [0, 3]]
    np.testing.assert_array_equal(project(x, w), [[1, 7], [15, 15]])
    np.testing.assert_array_equal(project(x, w, [10, -1]), [[11, 6], [25, 14]])


def test_a_trace_keeps_its_inputs():
    x, w, b = random_numbers(2, 4, 3), random_numbers(3, 2), random_numbers(2)
    trace = project_steps(x.tolist(), w.tolist(), b.tolist())
    for part, given_part in ((trace.x, x), (trace.w, w), (trace.b, b), (trace.output, project(x, w, b))):
        np.testing.assert_array_equal(part, given_part)
    assert project_steps(x, w).b is None


@law
@given(matrices(limit=5.0))
def test_is_linear_and_the_identity_changes_nothing(x):
    np.testing.assert_array_equal(project(x, np.eye(x.shape[1])), x)
    w = random_numbers(x.shape[1], 3)
    np.testing.assert_allclose(project(2 * x, w), 2 * project(x, w), rtol=1e-12)


def test_each_token_by_itself():
    x, w, b = random_numbers(4, 3), random_numbers(3, 2), random_numbers(2)
    for i, row in enumerate(x):
        np.testing.assert_allclose(project(row[None], w, b)[0], project(x, w, b)[i], rtol=1e-13)


def test_batches_equal_the_loop():
    x, w, b = random_numbers(2, 5, 4, 3), random_numbers(3, 2), random_numbers(2)
    looped = [[project(matrix, w, b) for matrix in batch] for batch in x]
    np.testing.assert_allclose(project(x, w, b), looped, rtol=1e-13)


@pytest.mark.parametrize(("dtype", "expected"), [(np.int32, np.float64), (np.float32, np.float32)])
def test_types(dtype, expected):
    x, w, b = (read_only(np.ones(shape, dtype)) for shape in ((2, 3), (3, 4), (4,)))
    assert project(x, w, b).dtype == expected


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (
            ((2, 3), (4, 5)),
            r"x and w must share d_in, but x is \(2, 3\) and w is \(4, 5\)\. Give w as many rows as x has columns",
        ),
        (((2, 3), (5, 3, 4)), r"x and w must share d_in, but x is \(2, 3\) and w is \(5, 3, 4\)"),
        (
            ((2, 3), (3, 4), (3,)),
            r"w and b must share d_out, but w is \(3, 4\) and b is \(3,\)\. Give b one number for each column of w",
        ),
        (((2, 3), (3, 4), (2, 4)), r"w and b must share d_out, but w is \(3, 4\) and b is \(2, 4\)"),
        (((3,), (3, 4)), r"x must have at least 2 axes; got shape \(3,\): write it as a matrix"),
        (((2, 3), (3,)), r"w must have at least 2 axes; got shape \(3,\)"),
        (((0, 3), (3, 4)), r"x must not be empty; got shape \(0, 3\)"),
    ],
)
def test_errors(shapes, message):
    with pytest.raises(ValueError, match=message):
        project(*(np.ones(shape) for shape in shapes))


def test_named_errors_say_which_matrix():
    with pytest.raises(ValueError, match=r"w_v: x and w must share d_in, but x is \(2, 3\) and w is \(2, 2\)"):
        project_named("w_v", np.ones((2, 3)), np.ones((2, 2)), None)
