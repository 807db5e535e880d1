"""Test what the page "The path" computes: numbers by hand, laws, and the arithmetic that the page shows."""

import numpy as np
import pytest
from scipy.special import softmax as scipy_softmax

from attention_core.arithmetic import evaluate, explain_all
from attention_core.arithmetic.training_rules import path_rules, plain_softmax_rules
from attention_core.examples import example
from attention_core.experiments.training import (
    attention_in_two_orders,
    median_largest_weights,
    path_steps,
    random_scores,
    share_of_large_weights,
)

STORY = example("story")
STEPS = path_steps(STORY)
IT = 4


def test_the_row_of_it_is_most_like_itself():
    np.testing.assert_array_equal(STEPS.overlaps[IT], [0, 0, 0, 1, 2])


def test_undivided_weights_are_powers_over_their_sum():
    powers = np.exp([6.0, 2, 2, 0, 0])
    np.testing.assert_allclose(STEPS.powers[IT], powers)
    np.testing.assert_allclose(STEPS.plain.weights[IT], powers / powers.sum())


def test_columns_and_width_agree_with_scipy():
    scores = STEPS.attention.scores
    np.testing.assert_allclose(STEPS.by_columns, scipy_softmax(scores, axis=0))
    np.testing.assert_allclose(STEPS.by_width, scipy_softmax(scores / 4, axis=1))


def test_the_output_is_added_to_the_row():
    cat, drank, milk, _, it = np.exp([3, 1, 1, 0, 0]) / np.exp([3, 1, 1, 0, 0]).sum()
    who, what = cat * 2 + it * 1, drank * 1 + milk * 2
    np.testing.assert_allclose(STEPS.summed[IT], [who, what, what, 1, 1, 0])


def test_a_mask_before_softmax_keeps_rows_at_1_and_one_after_it_does_not():
    np.testing.assert_allclose(STEPS.masked.weights.sum(axis=1), 1)
    assert STEPS.masked_late.sum(axis=1)[1] < 0.5
    assert not np.triu(STEPS.masked.weights, 1).any()
    assert not np.triu(STEPS.masked_late, 1).any()


def test_the_order_matters_only_with_positions():
    plain, placed = (attention_in_two_orders(STORY, positions=positions) for positions in (False, True))
    np.testing.assert_allclose(plain.shuffled.output[IT], plain.original.output[IT])
    assert abs(placed.shuffled.output[IT] - placed.original.output[IT]).max() > 1


@pytest.mark.parametrize("draw", range(3))
def test_random_scores_are_divided_by_8(draw):
    drawn = random_scores(draw)
    np.testing.assert_allclose(drawn.scaled * 8, drawn.scores)
    np.testing.assert_allclose(drawn.weights_plain, scipy_softmax(drawn.scores, axis=1))
    np.testing.assert_allclose(drawn.weights, scipy_softmax(drawn.scores / 8, axis=1))


def test_medians_of_other_random_numbers_agree():
    """Check the two medians of the largest weight that the page “The path” shows, with and without scaling."""
    rng = np.random.default_rng(11)
    scores = np.sqrt(rng.chisquare(64, (20_000, 1))) * rng.standard_normal((20_000, 5))
    plain, divided = (np.median(scipy_softmax(scores / by, axis=1).max(axis=1)) for by in (1, 8))
    np.testing.assert_allclose(median_largest_weights(), (plain, divided), atol=0.012)


@pytest.mark.parametrize("edit", [{}, {"w_q": STORY.w_q * 300}], ids=["as it is", "scores too large for powers"])
def test_the_arithmetic_of_every_cell_gives_its_number(edit):
    steps = path_steps(STORY.with_matrices(edit))
    for worked in (path_rules(steps, STORY.w_o), plain_softmax_rules(steps)):
        for name in worked.rules.keys() & {"overlaps", "mixed", "summed", "powers", "weights"}:
            for cell in explain_all(worked, name):
                np.testing.assert_allclose(evaluate(cell.term), cell.value, rtol=1e-9, atol=1e-12, err_msg=name)


def test_the_share_of_large_weights_agrees_with_other_random_numbers():
    rng = np.random.default_rng(12)
    scores = np.sqrt(rng.chisquare(64, (20_000, 1))) * rng.standard_normal((20_000, 5))
    plain, divided = ((scipy_softmax(scores / by, axis=1).max(axis=1) > 0.9).mean() for by in (1, 8))
    np.testing.assert_allclose(share_of_large_weights(0.9), (plain, divided), atol=0.02)
