"""Test the measurements of random scores: their parts, their results, and the numbers of notebook 004."""

import json

import numpy as np
import pytest

from attention_core.experiments.saturation import saturation
from attention_core.experiments.scores import WIDTHS, describe_runs, draw, histogram, measure_scores, spread
from notebooks import DATA

NOTEBOOK = json.loads((DATA / "seed_values.json").read_text("utf-8"))["seeds"]["4"]["part1_uniform_0_1_d64"]


def rng(seed=0):
    """Return a random generator with this seed."""
    return np.random.default_rng(seed)


def test_what_each_divisor_does_as_keys_widen():
    found = measure_scores("normal", 10_000, 64, rng()).saturations
    assert (np.diff(found["one"].largest) > 0).all()
    assert found["one"].largest[-1] > 0.95
    assert found["one"].jacobians[-1] < 0.06
    np.testing.assert_allclose(found["root"].entropies[3:], found["root"].entropies[-1], atol=0.03)
    assert found["dk"].entropies[-1] == pytest.approx(np.log(10), abs=0.002)
    firsts = {name: each.largest[0] for name, each in found.items()}
    assert len(set(firsts.values())) == 1  # all divisors are 1 at d_k = 1


def test_the_measurements_are_those_of_their_parts():
    lab, drawn_again = measure_scores("normal", 1000, 16, rng(3)), draw("normal", 1000, 16, WIDTHS, rng(3))
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
    generator = rng()
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
    simulated, lab = NOTEBOOK["simulation"], measure_scores("uniform", 100_000, 64, rng(1))
    assert lab.runs is not None
    assert lab.runs.n == 1000
    assert lab.runs.mean_logit == pytest.approx(simulated["mean_logit"], rel=0.01)
    assert lab.runs.largest == pytest.approx(simulated["mean_largest_weight"], abs=0.005)
    assert lab.runs.one_key == pytest.approx(simulated["runs_where_all_rows_pick_the_same_key"], abs=0.012)
    assert lab.runs.one_hot == pytest.approx(0.99, abs=0.012)
    assert lab.spread.mean / 8 == pytest.approx(lab.runs.mean_logit)
    assert (lab.saturations["dk"].largest > 0.9).all()  # one weight is large even after dividing by d_k


def test_errors():
    with pytest.raises(ValueError, match=r"scaled must have at least 3 axes; got shape \(1, 1\)"):
        describe_runs([[1.0]])
