"""Test the French example: each word attends to the English word whose translation comes next.

The orders of words differ, so this is not the word after its own translation.
"""

import numpy as np
import pytest

from attention_core.examples.sentence import CATS, WORDS, french

LE, CHAT = range(2)
THE, BLACK, CAT, SLEEPS, END = range(5)
ONE_CAT, CATS_ASKED = french(), french().with_matrices(CATS)


@pytest.mark.parametrize(("asks", "finds", "at_least"), [(LE, CAT, 0.75), (CHAT, BLACK, 0.65)])
def test_each_takes_most_from_the_word_that_comes_next(asks, finds, at_least):
    weights = ONE_CAT.attention().weights[asks]
    assert weights.argmax() == finds
    assert weights[finds] >= at_least
    assert weights[finds] > 2 * np.delete(weights, finds).max()


def test_a_noun_is_followed_by_its_adjective_or_else_by_the_verb():
    weights = ONE_CAT.attention().weights[CHAT]
    assert list(weights.argsort()[::-1][:2]) == [BLACK, SLEEPS]
    np.testing.assert_allclose(weights[[THE, CAT, END]], weights[THE], rtol=1e-15)


def test_french_words_do_not_attend_to_the_next_position():
    """Check that "le" and "chat" do not attend to the English words at the next position, "black" and "sleeps"."""
    assert (ONE_CAT.key_tokens[THE + 1], ONE_CAT.key_tokens[CAT + 1]) == ("black", "sleeps")
    finds = ONE_CAT.attention().weights.argmax(axis=1)
    assert THE + 1 not in finds[[LE]]
    assert CAT + 1 not in finds[[CHAT]]


def test_the_names_of_the_columns_explain_the_score():
    trace, names = ONE_CAT.attention(), ONE_CAT.names
    seeks = names.q.index("looks for an adjective")
    assert seeks == names.k.index("is an adjective")
    assert trace.q[CHAT, seeks] == ONE_CAT.w_q[WORDS.index("noun"), seeks] == 3
    assert trace.k[BLACK, seeks] == 2
    assert trace.scores[CHAT, BLACK] == trace.q[CHAT, seeks] * trace.k[BLACK, seeks] == trace.scores[CHAT].max()


def test_the_output_says_the_kind_of_the_next_word():
    output = ONE_CAT.multi_head().output
    assert [WORDS[kind] for kind in output.argmax(axis=1)] == ["noun", "adjective"]


def test_the_plural_of_cat_changes_the_output_and_no_weight():
    changed = np.argwhere(ONE_CAT.matrices()["context"] != CATS_ASKED.matrices()["context"])
    assert [(ONE_CAT.key_tokens[row], WORDS[column]) for row, column in changed] == [("cat", "plural")]
    before, after = ONE_CAT.attention(), CATS_ASKED.attention()
    np.testing.assert_array_equal(before.weights, after.weights)
    more = (after.output - before.output)[LE]
    assert more[ONE_CAT.names.v.index("several")] == 2 * before.weights[LE, CAT] > 1.5
    assert np.count_nonzero(more) == 1


def test_in_self_attention_the_noun_finds_no_adjective():
    trace = ONE_CAT.as_self_attention().attention()
    np.testing.assert_array_equal(trace.scores[CHAT], 0)
    np.testing.assert_array_equal(trace.weights[CHAT], 0.5)
    assert trace.output[CHAT, ONE_CAT.names.v.index("trait")] == 0


def test_its_sizes_all_differ_and_its_numbers_are_small_and_whole():
    assert (*ONE_CAT.attention().scores.shape, *ONE_CAT.w_q.shape, ONE_CAT.w_v.shape[1]) == (2, 5, 6, 4, 3)
    for matrix in ONE_CAT.matrices().values():
        assert {*np.unique(matrix)} <= {0.0, 1.0, 2.0, 3.0}
    for matrix in (ONE_CAT.attention().scores, CATS_ASKED.attention().scores):
        np.testing.assert_array_equal(matrix, np.round(matrix))


def test_columns_of_queries_and_keys_have_matching_names():
    q, k = ONE_CAT.names.q, ONE_CAT.names.k
    assert [name.removeprefix("looks for ") for name in q] == [name.removeprefix("is ") for name in k]
