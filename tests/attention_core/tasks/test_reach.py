"""Test reach: the range in which a number can lie if somebody rounds the steps before it.

Also misreadings of a task.
"""

import math

import numpy as np
import pytest

from attention_core import attend, self_attention
from attention_core.arithmetic import CellCalculations, Number, Operation, evaluate
from attention_core.tasks.recipes import RECIPES
from attention_core.tasks.seeded import (
    DIFFICULTIES,
    _share,
    range_of_correct_numbers,
    span_as_written,
    task,
    ways_to_compute,
)
from attention_core.tasks.task import misreadings


def reach_of(term):
    """Return the lowest and the highest value that a cell with the calculation `term` can have.

    The value can differ because somebody may round the numbers before the last step.
    """
    low, high = range_of_correct_numbers(CellCalculations({"cell": (np.zeros((1, 1)), lambda i, j: term)}), "cell", ())
    return low[0, 0], high[0, 0]


def operation(symbol, *terms):
    """Return a calculation that applies `symbol`, such as "sum" or "quotient", to `terms`."""
    return Operation(symbol, tuple(Number(float(t)) if isinstance(t, int | float) else t for t in terms))


@pytest.mark.parametrize(
    ("number", "low", "high"),
    [(3.0, 3, 3), (0.25, 0.25, 0.25), (math.sqrt(6), 2.449, 2.45), (1 / 3, 0.33, 1 / 3), (0.125, 0.12, 0.13),
     (0.0154, 0.015, 0.02), (-2 / 3, -0.67, -2 / 3), (0.004, 0, 0.004)],
)  # fmt: skip
def test_a_number_written_down_with_two_decimals_or_more(number, low, high):
    assert span_as_written((number, number)) == pytest.approx((low, high), abs=1e-8)


def test_a_rounded_root_widens_the_range():
    """Check the lowest and the highest value of 5 / √6 = 2.0412, if somebody rounds √6 or 1/√6 first."""
    low, high = reach_of(operation("quotient", 5, operation("root", 6)))
    assert (low, high) == pytest.approx((2.04, 2.05))


def test_rounded_exponentials_widen_the_range_of_a_softmax():
    """Check the lowest and the highest value of e² / (e² + e) = 0.7311, if somebody rounds the exponentials first."""
    powers = [operation("exp", 2), operation("exp", 1)]
    low, high = reach_of(operation("quotient", powers[0], operation("sum", *powers)))
    assert low == pytest.approx(1 / 1.37, abs=1e-4)
    assert high == pytest.approx(7.39 / 10.108, abs=1e-4)
    alone = reach_of(operation("quotient", powers[0], operation("sum", powers[0])))
    assert alone == pytest.approx((0.999, 1.0), abs=1e-3)  # the quotient may be 7.389 / 7.39


def test_an_exponential_rounded_to_0_makes_the_range_infinite():
    powers = [operation("exp", -6), operation("exp", -7)]
    assert reach_of(operation("quotient", powers[0], operation("sum", *powers)))[1] == math.inf


@pytest.mark.parametrize("seed", range(20))
def test_no_rounding_of_the_total_leads_a_share_out_of_its_range(seed):
    """Check the computed range of part / total: no way of rounding the total leads out of this range."""
    chance = np.random.default_rng(seed)
    ends = [(low, low + chance.choice([0.0, 0.004, 0.011])) for low in chance.uniform(0.2, 3, 2).round(3)]
    (part_low, part_high), (rest_low, rest_high) = ends
    low, high = _share(0, [(float(a), float(b)) for a, b in ends])
    parts = np.concatenate([np.linspace(part_low, part_high, 3001), [part_high]])
    for rest in (rest_low, rest_high):
        for places in (2, 3, 4, 5):
            for total in (np.floor((parts + rest) * 10**places + 0.5), np.ceil((parts + rest) * 10**places - 0.5)):
                found = parts / total * 10**places
                assert low - 2e-4 <= found.min()
                assert found.max() <= high + 2e-4


def test_the_range_of_a_sine_includes_its_maximum_between_two_angles():
    """Check the lowest and the highest value of a sine, if somebody rounds its angle."""
    half_turn = operation("quotient", math.pi, 2)
    assert reach_of(operation("sin", half_turn))[1] == 1
    assert reach_of(operation("cos", half_turn)) == pytest.approx((0, 0.001), abs=1e-3)


def test_a_number_that_was_computed_is_rounded_as_well_and_one_that_is_given_is_not():
    trace = self_attention([[1.0, 2.0]], np.eye(2), np.eye(2), np.eye(2), context=[[1.0, 0.0], [0.0, 1.0]])
    exact = trace.weights @ trace.v
    low, high = range_of_correct_numbers(trace, "output", {"weights", "v"})
    assert (low <= exact).all()
    assert (high - low).max() < 0.01
    wide_low, wide_high = range_of_correct_numbers(trace, "output", {"scores", "v"})
    assert ((wide_low <= low) & (high <= wide_high)).all()
    assert (wide_high - wide_low).max() > 0.01


def test_a_matrix_that_the_trace_does_not_have_is_refused():
    with pytest.raises(ValueError, match=r"a cell's matrix must be one of .*; got heads: choose"):
        range_of_correct_numbers(self_attention([[1.0]], [[1.0]], [[1.0]], [[1.0]]), "heads", ())


def test_every_way_of_computing_a_share_gives_the_same():
    powers = [operation("exp", operation("difference", score, operation("maximum", 1, 3))) for score in (1, 3)]
    share = operation("quotient", powers[0], operation("sum", *powers))
    assert len(ways_to_compute(share)) == 2
    expected = attend([[1.0, 3.0]], np.eye(2), np.eye(2), scale=1.0).weights[0, 0]
    assert [evaluate(way) for way in ways_to_compute(share)] == pytest.approx([expected, expected])
    assert ways_to_compute(operation("sum", 1, 2)) == (operation("sum", 1, 2),)


def task_and_misread_answers(concept, difficulty):
    """Return a task, and the answer that each misreading of the task gives, by the title of the misreading."""
    this = task(concept, 17, difficulty)
    return this, {each.title: each.answer for each in misreadings(this)}


def test_the_other_base():
    this, found = task_and_misread_answers("softmax_axes", 1)
    powers = np.exp(this.matrix("scores"))
    np.testing.assert_allclose(found["Base e in place of 2"], powers / powers.sum(axis=1, keepdims=True))
    this, found = task_and_misread_answers("softmax_axes", 3)
    powers = 2 ** this.matrix("scores")
    np.testing.assert_allclose(found["Base 2 in place of e"], powers / powers.sum(axis=1, keepdims=True))


def test_a_transposed_matrix():
    this, found = task_and_misread_answers("attention", 1)
    expected = [
        [sum(a * v for a, v in zip(row, column, strict=True)) for column in this.matrix("v").T]
        for row in this.matrix("weights").T
    ]
    np.testing.assert_allclose(found["Weights transposed"], expected)
    this, found = task_and_misread_answers("cross_attention", 1)
    assert "Weights transposed" not in found  # there are 2 queries and 3 keys, so the transposed weights do not fit
    np.testing.assert_allclose(found["Values transposed"], this.matrix("weights") @ this.matrix("v").T)


def test_heads_swapped():
    this, found = task_and_misread_answers("multi_head", 3)
    np.testing.assert_array_equal(found["Heads swapped"], this.correct_answer[:, [2, 3, 0, 1]])
    this, found = task_and_misread_answers("multi_head", 1)
    swapped = np.hstack([this.matrix("heads.1"), this.matrix("heads.0")])
    np.testing.assert_allclose(found["Heads swapped"], swapped @ this.matrix("w_o"))


def test_a_step_left_out_on_the_way_back():
    this, found = task_and_misread_answers("training_step", 1)
    (weights,), (asked,) = this.matrix("weights"), this.matrix("grad_weights")
    np.testing.assert_allclose(found["The average left out"], [[a * d for a, d in zip(weights, asked, strict=True)]])
    this, found = task_and_misread_answers("training_step", 3)
    values = [
        [sum(a * z for a, z in zip(row, column, strict=True)) for column in this.matrix("grad_output").T]
        for row in this.matrix("weights")
    ]
    weighted = this.matrix("weights").T @ this.matrix("grad_output")
    wrong, right = (this.matrix("x").T @ np.array(each) for each in (values, weighted))
    np.testing.assert_allclose(found["Weights not transposed"], this.matrix("w_v") - 0.5 * wrong)
    np.testing.assert_allclose(found["The gradient added"], this.matrix("w_v") + 0.5 * right)


@pytest.mark.many
@pytest.mark.parametrize("concept", RECIPES)
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_no_misreading_gives_the_right_answer(concept, difficulty):
    for seed in range(1, 20):
        this = task(concept, seed, difficulty)
        for each in misreadings(this):
            assert each.answer.shape == this.correct_answer.shape
            assert not this.fits(each.answer, np.round(this.correct_answer, 2))
