"""Test the typical misreadings of a task, by hand: each gives another answer than the correct one."""

import numpy as np
import pytest

from attention_core.tasks.recipes import RECIPES
from attention_core.tasks.seeded import DIFFICULTIES, task
from attention_core.tasks.task import misreadings


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
