"""Scaling: spreads, histograms and saturation by hand, by law and as notebook 004 has them."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from attention_core import attend, entropy, softmax
from attention_core.draws import draw
from attention_core.scaling import (
    WIDTHS,
    describe_runs,
    histogram,
    jacobian_norm,
    laboratory,
    saturation,
    scales,
    spread,
    swapped_pairs,
)
from notebooks import DATA
from strategies import drawn, law, matrices

NOTEBOOK = json.loads((DATA / "seed_values.json").read_text("utf-8"))["seeds"]["4"]["part1_uniform_0_1_d64"]


def rng(seed=0):
    return np.random.default_rng(seed)


# --- by hand ---


def test_scales():
    assert scales(9) == {"one": 1.0, "root": pytest.approx(1 / 3), "dk": pytest.approx(1 / 9)}
    q, k = drawn(3, 4), drawn(5, 4)
    assert attend(q, k, k).scale == scales(4)["root"]


def test_spread_by_hand():
    found = spread([1, 3, 5, 7], 4)  # mean 4, squares 9 1 1 9, fourth powers 81 1 1 81
    assert (found.n, found.mean, found.predicted) == (4, 4, 2)
    assert found.deviation == pytest.approx(np.sqrt(20 / 3))
    assert found.mean_error == pytest.approx(np.sqrt(20 / 3) / 2)
    peakedness = (164 / 4) / (20 / 3) ** 2
    expected = np.sqrt(20 / 3) * np.sqrt(max(peakedness - 1, 0) / 12)
    assert found.deviation_error == pytest.approx(expected)


def test_the_error_of_a_normal_spread():
    normal = stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000, scale=3)
    assert spread(normal, 9).deviation_error == pytest.approx(3 / np.sqrt(2 * 19_999), rel=0.01)


@pytest.mark.parametrize("d_k", [1, 4, 64])
def test_errors_are_those_of_repeated_measurements(d_k):
    """At d_k = 1, where q·k is far from normal, as well."""
    found = [spread(draw("normal", 1000, d_k, [1], rng(seed)).products, d_k) for seed in range(300)]
    for value, error in (("deviation", "deviation_error"), ("mean", "mean_error")):
        scatter = np.std([getattr(each, value) for each in found])
        assert np.mean([getattr(each, error) for each in found]) == pytest.approx(scatter, rel=0.15)


def test_draws_of_one_run_have_no_error():
    found = spread([1.0, 2.0, 4.0], 1, n_independent=1)
    assert (found.mean_error, found.deviation_error) == (np.inf, np.inf)


def test_histogram_by_hand():
    found = histogram([-4.5, -0.5, 0.5, 4.5], 1, n_bins=2)
    np.testing.assert_array_equal(found.edges, [-4.5, 0, 4.5])
    np.testing.assert_array_equal(found.counts, [2, 2])
    np.testing.assert_allclose(found.expected, [2, 2], rtol=1e-4)


def test_histogram_expects_a_normal():
    products = 5 * drawn(10_000)
    found = histogram(products, 25)
    np.testing.assert_allclose(found.expected, 10_000 * np.diff(stats.norm.cdf(found.edges, scale=5)), atol=1e-9)
    assert found.counts.sum() == 10_000
    assert found.edges[0] <= -20 < 20 <= found.edges[-1]
    likely = found.expected > 10
    chi_squared = ((found.counts - found.expected)[likely] ** 2 / found.expected[likely]).sum()
    assert chi_squared < stats.chi2.ppf(0.999, likely.sum())


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
    s, step = drawn(5), 1e-6
    by_differences = [(softmax(s + e) - softmax(s - e)) / (2 * step) for e in step * np.eye(5)]
    assert jacobian_norm(softmax(s)) == pytest.approx(np.linalg.norm(by_differences), rel=1e-7)


@law
@given(matrices(limit=8.0), st.sampled_from([1.0, 0.5, 0.01]))
def test_saturation_is_a_mean_over_rows(scores, scale):
    weights, found = softmax(scores * scale), saturation(scores, scale)
    expected = (weights.max(axis=-1).mean(), entropy(weights).mean(), jacobian_norm(weights).mean())
    np.testing.assert_allclose((found.largest, found.entropies, found.jacobians), expected, atol=1e-12)


# --- laws ---


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


@pytest.mark.parametrize("d_k", [1, 4, 64, 1024])
def test_the_spread_is_the_root(d_k):
    for seed in range(5):
        found = spread(draw("normal", 10_000, d_k, [1], rng(seed)).products, d_k)
        assert found.errors_apart < 4
        assert abs(found.mean) < 4 * found.mean_error


def test_what_each_divisor_does_as_keys_widen():
    found = laboratory("normal", 10_000, 64, rng()).saturations
    assert (np.diff(found["one"].largest) > 0).all()
    assert found["one"].largest[-1] > 0.95
    assert found["one"].jacobians[-1] < 0.06
    np.testing.assert_allclose(found["root"].entropies[3:], found["root"].entropies[-1], atol=0.03)
    assert found["dk"].entropies[-1] == pytest.approx(np.log(10), abs=0.002)
    firsts = {name: each.largest[0] for name, each in found.items()}
    assert len(set(firsts.values())) == 1  # at d_k = 1 all divisors are 1


def test_the_laboratory_is_what_it_is_made_of():
    lab, drawn_again = laboratory("normal", 1000, 16, rng(3)), draw("normal", 1000, 16, WIDTHS, rng(3))
    assert lab.spread == spread(drawn_again.products, 16)
    np.testing.assert_array_equal(lab.histogram.counts, histogram(drawn_again.products, 16).counts)
    eighth = WIDTHS.index(8)
    one_width = saturation(drawn_again.rows[eighth], 8**-0.5)
    assert lab.saturations["root"].entropies[eighth] == one_width.entropies
    assert lab.runs is None


# --- notebook 004 ---


def the_notebooks_scores(n_runs):
    """What its first cell computes, W_v drawn as well, on NumPy’s generator with seed 0."""
    generator = rng()
    for _ in range(n_runs):
        x, w_q, w_k, _ = (generator.random((rows, 64)) for rows in (10, 64, 64, 64))
        yield (x @ w_q) @ (x @ w_k).T / 8


def test_its_runs_exactly():
    simulated = NOTEBOOK["simulation"]
    found = describe_runs(list(the_notebooks_scores(simulated["runs"])))
    assert found.n == simulated["runs"]
    assert found.mean_logit == pytest.approx(simulated["mean_logit"], rel=1e-12)
    assert found.row_deviation == pytest.approx(simulated["sd_within_a_row"], rel=1e-12)
    assert found.largest == pytest.approx(simulated["mean_largest_weight"], rel=1e-12)
    assert found.entropy == pytest.approx(simulated["mean_row_entropy_nats"], rel=1e-9)
    assert found.one_key == simulated["runs_where_all_rows_pick_the_same_key"]
    assert round(found.one_hot, 2) == 0.99


def test_its_runs_as_the_laboratory_draws_them():
    simulated, lab = NOTEBOOK["simulation"], laboratory("uniform", 100_000, 64, rng(1))
    assert lab.runs is not None
    assert lab.runs.n == 1000
    assert lab.runs.mean_logit == pytest.approx(simulated["mean_logit"], rel=0.01)
    assert lab.runs.largest == pytest.approx(simulated["mean_largest_weight"], abs=0.005)
    assert lab.runs.one_key == pytest.approx(simulated["runs_where_all_rows_pick_the_same_key"], abs=0.012)
    assert lab.runs.one_hot == pytest.approx(0.99, abs=0.012)
    assert lab.spread.mean / 8 == pytest.approx(lab.runs.mean_logit)
    assert (lab.saturations["dk"].largest > 0.9).all()  # no divisor helps


# --- errors ---


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (scales, (0,), r"d_k must be a whole number of at least 1; got 0"),
        (spread, ([1.0], 4), r"products must be at least 2 to have a spread; got 1: draw more"),
        (spread, ([1.0, np.nan], 4), r"products must be finite; got nan at \(1,\)"),
        (spread, ([1.0, 2.0], 4, 0), r"n_independent must be a whole number of at least 1; got 0"),
        (histogram, ([1.0], 4, 0), r"n_bins must be a whole number of at least 1; got 0"),
        (histogram, ([1.0], 2.5), r"d_k must be a whole number of at least 1; got 2.5"),
        (jacobian_norm, ([np.inf],), r"weights must be finite; got inf"),
        (saturation, ([1.0], 1.0), r"scores must have at least 2 axes; got shape \(1,\)"),
        (describe_runs, ([[1.0]],), r"scaled must have at least 3 axes; got shape \(1, 1\)"),
        (swapped_pairs, ([1, 2], [1]), r"before and after must have one shape; got \(2,\), \(1,\): compare like"),
    ],
)
def test_errors(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)
