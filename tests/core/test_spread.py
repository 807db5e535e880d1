"""Test the spread of scores: measured and predicted, with its standard error, by hand and over repeated draws."""

import numpy as np
import pytest
from scipy import stats

from attention_core.experiments.scores import draw, histogram, spread
from strategies import random_numbers


def rng(seed=0):
    """Return a random generator with this seed."""
    return np.random.default_rng(seed)


def test_spread_by_hand():
    found = spread([1, 3, 5, 7], 4)  # the mean is 4, the squared distances are 9 1 1 9, and their squares are 81 1 1 81
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
    """Check the computed standard errors against the scatter of 300 repeated measurements."""
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
    products = 5 * random_numbers(10_000)
    found = histogram(products, 25)
    np.testing.assert_allclose(found.expected, 10_000 * np.diff(stats.norm.cdf(found.edges, scale=5)), atol=1e-9)
    assert found.counts.sum() == 10_000
    assert found.edges[0] <= -20 < 20 <= found.edges[-1]
    likely = found.expected > 10
    chi_squared = ((found.counts - found.expected)[likely] ** 2 / found.expected[likely]).sum()
    assert chi_squared < stats.chi2.ppf(0.999, likely.sum())


@pytest.mark.parametrize("d_k", [1, 4, 64, 1024])
def test_the_spread_is_the_root(d_k):
    for seed in range(5):
        found = spread(draw("normal", 10_000, d_k, [1], rng(seed)).products, d_k)
        assert found.errors_apart < 4
        assert abs(found.mean) < 4 * found.mean_error


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (spread, ([1.0], 4), r"products must be at least 2 to have a spread; got 1: draw more"),
        (spread, ([1.0, np.nan], 4), r"products must be finite; got nan at \(1,\)"),
        (spread, ([1.0, 2.0], 4, 0), r"n_independent must be a whole number of at least 1; got 0"),
        (histogram, ([1.0], 4, 0), r"n_bins must be a whole number of at least 1; got 0"),
        (histogram, ([1.0], 2.5), r"d_k must be a whole number of at least 1; got 2.5"),
    ],
)
def test_errors(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)
