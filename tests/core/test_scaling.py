"""Test what dividing the scores does to the weights: numbers by hand, and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import attend, entropy, softmax
from attention_core.experiments.saturation import jacobian_norm, nudge, saturation, swapped_pairs, weight_by_score
from attention_core.projection import scales
from strategies import law, matrices, random_numbers


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
def test_errors(function, arguments, message):
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
