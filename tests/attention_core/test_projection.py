"""Test the projection x @ w + b: numbers by hand, linearity, batches, error messages.

Also the scale of the scores, and the checks of inputs.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import attend, entropy, project, project_steps, softmax
from attention_core.checks import floats, greatest_difference, positive, positive_integer
from attention_core.experiments.saturation import jacobian_norm, nudge, saturation, swapped_pairs, weight_by_score
from attention_core.projection import project_named, scales
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


def test_scales():
    assert scales(9) == {"one": 1.0, "root": pytest.approx(1 / 3), "dk": pytest.approx(1 / 9)}
    q, k = random_numbers(3, 4), random_numbers(5, 4)
    assert attend(q, k, k).scale == scales(4)["root"]


def test_jacobian_by_hand():
    np.testing.assert_allclose(jacobian_norm([[1, 0, 0], [1 / 3] * 3, [0.5, 0.5, 0]]), [0, np.sqrt(2) / 3, 0.5])


@law
@given(matrices(limit=8.0))
def test_jacobian_is_the_norm_of_the_matrix(scores):
    weights = softmax(scores)
    by_matrix = [np.linalg.norm(np.diag(a) - np.outer(a, a)) for a in weights]
    np.testing.assert_allclose(jacobian_norm(weights), by_matrix, atol=1e-7)
    assert (jacobian_norm(weights) <= 0.5 + 1e-12).all()


def test_jacobian_is_the_derivative():
    s, step = random_numbers(5), 1e-6
    by_differences = [(softmax(s + e) - softmax(s - e)) / (2 * step) for e in step * np.eye(5)]
    assert jacobian_norm(softmax(s)) == pytest.approx(np.linalg.norm(by_differences), rel=1e-7)


@law
@given(matrices(limit=8.0), st.sampled_from([1.0, 0.5, 0.01]))
def test_saturation_is_a_mean_over_rows(scores, scale):
    weights, found = softmax(scores * scale), saturation(scores, scale)
    expected = (weights.max(axis=-1).mean(), entropy(weights).mean(), jacobian_norm(weights).mean())
    np.testing.assert_allclose((found.largest, found.entropies, found.jacobians), expected, atol=1e-12)


@law
@given(matrices(columns=st.integers(1, 8)), st.sampled_from([1, 2, 7, 1024]))
def test_no_divisor_changes_the_order(scores, d_k):
    for scale in scales(d_k).values():
        assert swapped_pairs(scores, scores * scale) == 0
        assert swapped_pairs(scores, softmax(scores * scale)) == 0


@law
@given(matrices(columns=st.integers(2, 8)))
def test_other_orders_are_noticed(scores):
    pairs = sum(len(set(map(frozenset, zip(*np.nonzero(np.subtract.outer(row, row)), strict=True)))) for row in scores)
    assert swapped_pairs(scores, -scores) == pairs


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (scales, (0,), r"d_k must be a whole number of at least 1; got 0"),
        (jacobian_norm, ([np.inf],), r"weights must be finite; got inf"),
        (saturation, ([1.0], 1.0), r"scores must have at least 2 axes; got shape \(1,\)"),
        (swapped_pairs, ([1, 2], [1]), r"before and after must have one shape; got \(2,\), \(1,\): compare like"),
    ],
)
def test_errors_of_scaling(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


# --- a nudge ---


@law
@given(matrices(limit=8.0), st.sampled_from([1.0, 0.5, 0.25]))
def test_a_small_nudge_is_the_derivative(scores, scale):
    row, by = scores[0], 1e-6
    a = softmax(row * scale)[0]
    assert nudge(row, 0, scale, by) / by == pytest.approx(a * (1 - a) * scale, abs=1e-6)


def test_a_weight_along_its_score_by_hand():
    scores = [0.0, 9.0, 0.0]
    np.testing.assert_allclose(weight_by_score(scores, 1, [0, np.log(2), 9], 1.0), [1 / 3, 1 / 2, softmax(scores)[1]])
    assert scores == [0.0, 9.0, 0.0]


@pytest.mark.parametrize(("scores", "values"), [([np.nan, 0], [1]), ([0, 0], [np.inf])])
def test_what_is_not_finite_is_refused(scores, values):
    with pytest.raises(ValueError, match="must be finite"):
        weight_by_score(scores, 0, values, 1.0)


def test_integers_and_lists_become_float64():
    for values in ([[1, 2]], np.array([[1, 2]]), [[True, False]], np.array([[1, 2]], dtype=np.uint8)):
        assert floats("x", values).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_type_and_are_not_copied(dtype):
    x = np.ones((2, 2), dtype)
    assert floats("x", x) is x


@pytest.mark.parametrize(
    ("values", "min_rank", "message"),
    [
        ([[1.0, np.nan]], 1, r"x must be finite; got nan at \(0, 1\): replace it by a number\."),
        ([[1.0], [np.inf]], 1, r"x must be finite; got inf at \(1, 0\): replace it by a number\."),
        ([1.0, -np.inf], 1, r"x must be finite; got -inf at \(1,\): replace it by a number\."),
        ([[1, 2], [3]], 1, r"x must be rectangular; got rows of different lengths: give every row as many numbers\."),
        ([], 1, r"x must not be empty; got shape \(0,\): give at least one number along each axis\."),
        (np.ones((3, 0)), 2, r"x must not be empty; got shape \(3, 0\)"),
        ([1, 2], 2, r"x must have at least 2 axes; got shape \(2,\): write it as a matrix, \[\[…\], \[…\]\]\."),
        (7, 1, r"x must have at least 1 axes; got shape \(\): write it as a list, \[…\]\."),
        ([[1, 2j]], 1, r"x must hold real numbers; got complex128: give integers or decimals\."),
        (["1", "2"], 1, r"x must hold real numbers; got <U1: give integers or decimals\."),
        (None, 1, r"x must hold real numbers; got object: give integers or decimals\."),
    ],
)
def test_errors_name_rule_received_and_remedy(values, min_rank, message):
    with pytest.raises(ValueError, match=message):
        floats("x", values, min_rank=min_rank)


def test_minus_infinity_passes_only_where_asked():
    assert floats("x", [-np.inf], minus_infinity=True)[0] == -np.inf
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"x must be finite; got {value}"):
            floats("x", [value, -np.inf], minus_infinity=True)


@pytest.mark.parametrize("value", [1, 7, np.int32(3)])
def test_positive_integer_passes_whole_numbers(value):
    assert positive_integer("n", value) == value
    assert type(positive_integer("n", value)) is int


@pytest.mark.parametrize("value", [0, -1, 1.0, 2.5, True, "3", None, np.float64(2)])
def test_positive_integer_refuses_the_rest(value):
    with pytest.raises(ValueError, match=r"n must be a whole number of at least 1; got .*: give 1, 2, 3 …\."):
        positive_integer("n", value)


@pytest.mark.parametrize("value", [0, -0.5, np.nan, np.inf, -np.inf])
def test_positive_refuses_what_is_not(value):
    with pytest.raises(ValueError, match=r"t must be finite and greater than 0; got .*: give a positive number\."):
        positive("t", value)


def test_positive_gives_a_plain_float():
    assert type(positive("t", np.float64(0.5))) is float  # a NumPy scalar would widen float32
    assert positive("t", 2) == 2.0


def test_the_greatest_difference_is_that_of_the_cells():
    assert greatest_difference(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.5], [1.0, 4.0]])) == 2
    assert np.isnan(greatest_difference(np.ones((1, 2)), np.array([[1.0, np.nan]])))
