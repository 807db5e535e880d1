"""Test the random draws of queries and keys, and what is measured of them.

Drawing scores the short way must give the same distribution as drawing feature by feature.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from attention_core.experiments.scores import N_KEYS, MeasuredNumber, _uniform, draw, measure_features

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
