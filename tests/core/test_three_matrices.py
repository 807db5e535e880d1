"""Test why attention needs three matrices: W^Q and W^K as one matrix, weights without values, and one number of W^Q."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import attend
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.heads import nudge_of_query, with_one_matrix
from strategies import law, queries_keys_values

STORY = example("story")
CAT, IT = 0, 4
ALONE = [name for name in EXAMPLES if example(name).context is None]


@pytest.mark.parametrize("name", ALONE)
def test_with_one_matrix_scores_are_symmetric(name):
    one = with_one_matrix(example(name))
    assert one is not None
    scores = one.attention().scores
    np.testing.assert_allclose(scores, scores.T, rtol=1e-12)


# the scores of the example "book" happen to be symmetric
@pytest.mark.parametrize("name", sorted(set(ALONE) - {"book"}))
def test_with_two_matrices_they_are_not(name):
    scores = example(name).attention().scores
    assert not np.allclose(scores, scores.T)


def test_with_one_matrix_it_attends_to_itself_and_not_to_the_cat():
    one = with_one_matrix(STORY)
    assert one is not None
    two, same = STORY.attention(), one.attention()
    assert (two.scores[IT, CAT], two.scores[CAT, IT]) == (6, 0)
    assert same.scores[IT, CAT] == same.scores[CAT, IT] == 2
    assert two.weights[IT].argmax() == CAT
    assert same.weights[IT].argmax() == IT
    assert two.weights[IT, CAT] > 0.7
    assert same.weights[IT, CAT] < 0.02


@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - set(ALONE)))
def test_a_context_has_no_version_with_one_matrix(name):
    assert with_one_matrix(example(name)) is None


def test_where_shapes_or_biases_differ_nothing_is_shown():
    hand = example("hand")
    assert with_one_matrix(hand) is not None
    assert with_one_matrix(replace(hand, w_q=hand.w_q[:, :2])) is None
    assert with_one_matrix(replace(hand, b_q=np.ones(4))) is None
    assert with_one_matrix(replace(hand, b_k=np.ones(4))) is None


@law
@given(queries_keys_values(), st.floats(-5, 5))
def test_weights_do_not_depend_on_values(qkv, factor):
    before, after = attend(qkv.q, qkv.k, qkv.v), attend(qkv.q, qkv.k, factor * qkv.v)
    np.testing.assert_array_equal(after.weights, before.weights)
    np.testing.assert_allclose(after.output, factor * before.output, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if example(name).w_q.size <= 64])
def test_the_nudge_is_the_one_that_raises_the_greatest_weight_most(name):
    this = example(name)
    trace = this.attention()
    for i in range(len(this.tokens)):
        nudge = nudge_of_query(this, trace, i)
        assert nudge is not None
        assert nudge.before == trace.weights[i, nudge.key] == trace.weights[i].max()
        assert nudge.after > nudge.before
        slopes = np.abs(
            [[slope_at(this, i, nudge.key, r, c) for c in range(this.w_q.shape[1])] for r in range(len(this.w_q))]
        )
        np.testing.assert_allclose(slopes[nudge.row, nudge.column], slopes.max(), rtol=1e-4)


def slope_at(example, i, key, row, column, by=1e-5):
    """Return how fast weight (i, key) changes with number (row, column) of W^Q.

    `by` is the step of the finite differences.
    """

    def weight(step):
        w_q = example.w_q.copy()
        w_q[row, column] += step
        return example.with_matrices({"w_q": w_q}).attention().weights[i, key]

    return (weight(by) - weight(-by)) / (2 * by)


def test_the_nudge_of_the_story_by_hand():
    nudge = nudge_of_query(STORY, STORY.attention(), IT)
    assert nudge is not None
    shifted = np.exp(np.array([8, 2, 2, 0, 0]) / 2)  # the query number "looks for somebody" grows from 3 to 4
    assert (STORY.names.x[nudge.row], STORY.names.q[nudge.column], nudge.step) == ("refers", "looks for somebody", 1)
    np.testing.assert_allclose(nudge.after, shifted[0] / shifted.sum(), rtol=1e-12)


def test_a_query_without_input_has_no_nudge():
    silent = STORY.with_matrices({"x": np.zeros_like(STORY.x)})
    assert nudge_of_query(silent, silent.attention(), IT) is None


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_matrices_serve_texts_of_any_length(name):
    this = example(name)
    short = this.shortened(len(this.tokens) - 1, len(this.key_tokens) - 1)
    assert all(getattr(short, id) is getattr(this, id) for id in ("w_q", "w_k", "w_v"))
    short.attention()
