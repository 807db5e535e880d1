"""Test the random draws of queries and keys, and what is measured of them.

Drawing scores the short way must give the same distribution as drawing feature by feature.
"""

import json
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from attention_core.experiments.saturation import saturation
from attention_core.experiments.scores import (
    N_KEYS,
    WIDTHS,
    MeasuredNumber,
    _uniform,
    describe_runs,
    draw,
    growing_scores,
    histogram,
    measure_features,
    measure_scores,
    spread,
)
from notebooks import DATA
from strategies import random_numbers

PARTS = ("mean", "variance", "alignment", "repetition")


def rng(seed=0):
    """Return a random generator with this seed."""
    return np.random.default_rng(seed)


def scores_drawn_by_feature(n, d_k, rho, seed):
    """Return one score for each of `n` random pairs of a query and a key, computed feature by feature."""
    q, noise = rng(seed).normal(size=(2, n, d_k))
    return (q * (rho * q + np.sqrt(1 - rho**2) * noise)).sum(axis=1)


def is_plausible(p_values):
    """Return whether all `p_values` together may be due to chance, by Fisher's method at a level of 0.1%."""
    return -2 * np.log(p_values).sum() < stats.chi2.ppf(0.999, 2 * len(p_values))


@pytest.mark.parametrize("d_k", [1, 2, 8, 64])
@pytest.mark.parametrize(("distribution", "rho"), [("normal", 0.0), ("correlated", 0.6), ("correlated", 1.0)])
def test_scores_drawn_directly_and_by_feature_have_the_same_distribution(distribution, rho, d_k):
    products, rows = [], []
    for seed in range(10):
        drawn = draw(distribution, 5000, d_k, [d_k], rng(seed), correlation=rho)
        slowly = scores_drawn_by_feature(5000, d_k, rho, seed=100 + seed)
        products.append(stats.ks_2samp(drawn.products, slowly)[1])
        rows.append(stats.ks_2samp(drawn.rows[0, :, 0], slowly)[1])
    assert is_plausible(products)
    assert is_plausible(rows)


def test_keys_of_a_row_share_their_query():
    rows = draw("normal", 100_000, 1, [2], rng()).rows[0] ** 2
    q, k = rng(1).normal(size=(2, 10_000, 10, 2))
    slowly = (q[:, :1] * k).sum(axis=-1) ** 2
    together = [np.corrcoef(each[:, 0], each[:, 1])[0, 1] for each in (rows, slowly)]
    # the expected correlation of a² z² and a² z'², where a² follows a χ² distribution with 2 degrees of freedom
    assert together == pytest.approx([1 / 5, 1 / 5], abs=0.06)


def test_each_further_feature_adds_a_product():
    every = growing_scores("normal", 3, [1, 2, 3, 4], np.random.default_rng(0))
    some = growing_scores("normal", 3, [2, 4], np.random.default_rng(0))
    np.testing.assert_allclose(some, every[[1, 3]], rtol=0, atol=0)
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((1, 4)), rng.standard_normal((3, 4))
    np.testing.assert_allclose(every[2], (q[:, :3] @ k[:, :3].T)[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("distribution", "mean_of_first"), [("normal", 0), ("correlated", 0.5), ("uniform", 16 * 16)])
def test_growing_scores_have_the_mean_of_their_features(distribution, mean_of_first):
    drawn = [growing_scores(distribution, 2, [100], np.random.default_rng(n), correlation=0.5) for n in range(200)]
    means, spreads = np.mean(drawn, axis=0)[0] / 100, np.std(drawn, axis=0)[0] / 100
    other = mean_of_first if distribution == "uniform" else 0
    assert np.abs(means - [mean_of_first, other]).max() < 5 * spreads.max() / np.sqrt(200)


def test_only_the_first_key_is_correlated():
    rows = draw("correlated", 100_000, 1, [64], rng(), correlation=0.5).rows[0]
    np.testing.assert_allclose(rows.mean(axis=0), [32, *[0] * 9], atol=0.5)


def test_scores_follow_the_formulas_of_the_notebook():
    """Check the drawn scores against the formulas of the notebook."""
    drawn = draw("uniform", 200, 3, [1, 4], rng(5))
    _, same = rng(5).spawn(2)
    for run in range(2):
        x = same.random((10, 64), dtype=np.float32)
        w_q, w_k = same.integers(0, 2**64, 128, dtype=np.uint64).view(np.uint16).reshape(2, 64, 4) / np.float32(2**16)
        q, k = (x @ w_q).astype(float), (x @ w_k).astype(float)
        rows = drawn.rows[:, run * 10 : run * 10 + 10]
        np.testing.assert_allclose(rows, [q[:, :d] @ k[:, :d].T for d in (1, 4)], rtol=1e-5)
        products = drawn.products.reshape(2, 10, 10)[run]
        np.testing.assert_allclose(products, q[:, :3] @ k[:, :3].T, rtol=1e-5)
    assert drawn.n_independent == 2


def test_numbers_from_64_random_bits_are_uniform_and_independent():
    """Check that the four numbers made from each 64 random bits are uniform, and that no two of them are related."""
    drawn = [_uniform(1000, 4, rng=rng(seed)) for seed in range(10)]
    assert all(each.dtype == np.float32 and 0 <= each.min() < each.max() < 1 for each in drawn)
    for column in range(4):
        assert is_plausible([stats.kstest(each[:, column], "uniform")[1] for each in drawn])
    for one, other in combinations(range(4), 2):
        sums = [(each[:, one] + each[:, other]) % 1 for each in drawn]
        assert is_plausible([stats.kstest(each, "uniform")[1] for each in sums])
        assert is_plausible([stats.spearmanr(each[:, one], each[:, other])[1] for each in drawn])


@pytest.mark.parametrize("distribution", ["normal", "uniform", "correlated"])
def test_shapes_and_seeds(distribution):
    one, again, other = (draw(distribution, 300, 4, [1, 2, 8], rng(seed), correlation=0.5) for seed in (0, 0, 1))
    assert (one.products.shape, one.rows.shape) == ((300,), (3, 30, N_KEYS))
    np.testing.assert_array_equal(one.products, again.products)
    assert (one.rows != other.rows).any()


def test_rows_do_not_depend_on_the_d_k_of_the_products():
    one, other = (draw("normal", 300, d_k, [1, 8], rng()).rows for d_k in (2, 512))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("distribution", "correlation", "broken"),
    [
        ("normal", 0.5, ()),
        ("correlated", 0.0, ()),
        ("correlated", 0.5, ("alignment",)),
        ("correlated", 1.0, ("alignment",)),
        ("uniform", 0.0, ("mean", "variance", "repetition")),
    ],
)
def test_broken_assumptions_are_named(distribution, correlation, broken):
    for seed in range(20):
        found = measure_features(distribution, rng(seed), correlation=correlation)
        assert tuple(name for name in PARTS if getattr(found, name).broken) == broken


def test_features_by_theory():
    """Check the measured properties of the features of queries against theory."""
    found = measure_features("uniform", rng(), n=20_000)
    by_theory = (16, 64 * 7 / 144, 0, (1 / 48) / (7 / 144))
    for name, value in zip(PARTS, by_theory, strict=True):
        part = getattr(found, name)
        assert abs(part.value - value) < 4 * part.error
    assert measure_features("correlated", rng(), correlation=0.3).alignment.value == pytest.approx(0.3, abs=0.05)


def test_standard_errors_are_those_of_repeated_measurements():
    found = [measure_features("normal", rng(seed), n=200) for seed in range(400)]
    for name in PARTS:
        parts = [getattr(each, name) for each in found]
        scatter = np.std([part.value for part in parts])
        assert np.mean([part.error for part in parts]) == pytest.approx(scatter, rel=0.1)


def test_an_assumption_is_broken_only_if_chance_cannot_explain_the_difference():
    assert [MeasuredNumber(value, 0.1, 1.0).broken for value in (0.4, 0.6, 1.4, 1.6)] == [True, False, False, True]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"distribution": "cauchy"},
            r"distribution must be one of normal, uniform, correlated; got cauchy: choose one",
        ),
        ({"n": 150}, r"n must be a multiple of 100, the scores of a run; got 150: give 100, 200"),
        ({"n": 0}, r"n must be a whole number of at least 1; got 0"),
        ({"d_k": 0}, r"d_k must be a whole number of at least 1; got 0"),
        ({"widths": [1, 2.5]}, r"d_k must be a whole number of at least 1; got 2.5"),
        ({"correlation": 1.1}, r"correlation must be from −1 to 1; got 1.1: 0 is none, 1 makes k a copy of q"),
        ({"correlation": np.nan}, r"correlation must be finite; got nan"),
    ],
)
def test_errors(changed, message):
    given = {"distribution": "normal", "n": 100, "d_k": 4, "widths": [1], "correlation": 0.0} | changed
    with pytest.raises(ValueError, match=message):
        draw(given.pop("distribution"), given.pop("n"), given.pop("d_k"), given.pop("widths"), rng(), **given)


def rng_of_spread(seed=0):
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
    found = [spread(draw("normal", 1000, d_k, [1], rng_of_spread(seed)).products, d_k) for seed in range(300)]
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
        found = spread(draw("normal", 10_000, d_k, [1], rng_of_spread(seed)).products, d_k)
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
def test_errors_of_spread(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


NOTEBOOK = json.loads((DATA / "seed_values.json").read_text("utf-8"))["seeds"]["4"]["part1_uniform_0_1_d64"]


def rng_of_score_measurements(seed=0):
    """Return a random generator with this seed."""
    return np.random.default_rng(seed)


def test_what_each_divisor_does_as_keys_widen():
    found = measure_scores("normal", 10_000, 64, rng_of_score_measurements()).saturations
    assert (np.diff(found["one"].largest) > 0).all()
    assert found["one"].largest[-1] > 0.95
    assert found["one"].jacobians[-1] < 0.06
    np.testing.assert_allclose(found["root"].entropies[3:], found["root"].entropies[-1], atol=0.03)
    assert found["dk"].entropies[-1] == pytest.approx(np.log(10), abs=0.002)
    firsts = {name: each.largest[0] for name, each in found.items()}
    assert len(set(firsts.values())) == 1  # all divisors are 1 at d_k = 1


def test_the_measurements_are_those_of_their_parts():
    lab, drawn_again = (
        measure_scores("normal", 1000, 16, rng_of_score_measurements(3)),
        draw("normal", 1000, 16, WIDTHS, rng_of_score_measurements(3)),
    )
    assert lab.spread == spread(drawn_again.products, 16)
    np.testing.assert_array_equal(lab.histogram.counts, histogram(drawn_again.products, 16).counts)
    eighth = WIDTHS.index(8)
    one_width = saturation(drawn_again.rows[eighth], 8**-0.5)
    assert lab.saturations["root"].entropies[eighth] == one_width.entropies
    assert lab.runs is None


def scores_of_notebook(n_runs):
    """Yield the scores of `n_runs` repetitions of the experiment in the notebook's first cell.

    The generator is NumPy's with seed 0. W_v is drawn as well, because the notebook draws it too.
    """
    generator = rng_of_score_measurements()
    for _ in range(n_runs):
        x, w_q, w_k, _ = (generator.random((rows, 64)) for rows in (10, 64, 64, 64))
        yield (x @ w_q) @ (x @ w_k).T / 8


def test_its_runs_exactly():
    simulated = NOTEBOOK["simulation"]
    found = describe_runs(list(scores_of_notebook(simulated["runs"])))
    assert found.n == simulated["runs"]
    assert found.mean_logit == pytest.approx(simulated["mean_logit"], rel=1e-12)
    assert found.row_deviation == pytest.approx(simulated["sd_within_a_row"], rel=1e-12)
    assert found.largest == pytest.approx(simulated["mean_largest_weight"], rel=1e-12)
    assert found.entropy == pytest.approx(simulated["mean_row_entropy_nats"], rel=1e-9)
    assert found.one_key == simulated["runs_where_all_rows_pick_the_same_key"]
    assert round(found.one_hot, 2) == 0.99


def test_its_runs_as_the_laboratory_draws_them():
    simulated, lab = NOTEBOOK["simulation"], measure_scores("uniform", 100_000, 64, rng_of_score_measurements(1))
    assert lab.runs is not None
    assert lab.runs.n == 1000
    assert lab.runs.mean_logit == pytest.approx(simulated["mean_logit"], rel=0.01)
    assert lab.runs.largest == pytest.approx(simulated["mean_largest_weight"], abs=0.005)
    assert lab.runs.one_key == pytest.approx(simulated["runs_where_all_rows_pick_the_same_key"], abs=0.012)
    assert lab.runs.one_hot == pytest.approx(0.99, abs=0.012)
    assert lab.spread.mean / 8 == pytest.approx(lab.runs.mean_logit)
    assert (lab.saturations["dk"].largest > 0.9).all()  # one weight is large even after dividing by d_k


def test_errors_of_score_measurements():
    with pytest.raises(ValueError, match=r"scaled must have at least 3 axes; got shape \(1, 1\)"):
        describe_runs([[1.0]])
