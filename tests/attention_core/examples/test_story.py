"""Test the example "story": its columns have names, its weights a meaning, and one number decides what "it" means."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_core.checks import greatest_difference
from attention_core.examples import EXAMPLES, FeatureNames, example
from attention_core.examples.sentence import SOUR, story
from attention_core.mistakes import HEAD_MISTAKES, blind_spots

CAT, DRANK, MILK, BECAUSE, IT = range(5)
THIRSTY, AS_SOUR = story(), story().with_matrices(SOUR)


# --- what “it” means ---


def weights_of_heads(example):
    """Return the attention weights of all heads of the example, as an array (head, query, key)."""
    return example.multi_head().heads.weights


def test_it_means_the_cat_in_one_head_and_in_head_1_of_two():
    one, heads = THIRSTY.attention().weights, weights_of_heads(THIRSTY)
    assert one[IT, CAT] >= 0.7
    assert heads[0, IT, CAT] >= 0.9
    assert np.delete(one[IT], CAT).max() <= 0.1


def test_with_sour_for_thirsty_it_means_the_milk():
    one, heads = AS_SOUR.attention().weights, weights_of_heads(AS_SOUR)
    assert one[IT, MILK] >= 0.7
    assert heads[0, IT, MILK] >= 0.9
    assert np.delete(one[IT], MILK).max() <= 0.1


def test_only_what_is_said_of_it_has_changed():
    changed = np.argwhere(THIRSTY.x != AS_SOUR.x)
    names = THIRSTY.names.x
    assert [(THIRSTY.tokens[row], names[column]) for row, column in changed] == [("it", "thirsty"), ("it", "sour")]
    np.testing.assert_array_equal(THIRSTY.attention().weights[:IT], AS_SOUR.attention().weights[:IT])


def test_the_names_of_the_columns_explain_the_score():
    trace, names = THIRSTY.attention(), THIRSTY.names
    asks = trace.x[IT] @ THIRSTY.w_q
    refers, thirsty = names.x.index("refers"), names.x.index("thirsty")
    somebody = names.q.index("looks for somebody")
    assert asks[somebody] == THIRSTY.w_q[refers, somebody] + THIRSTY.w_q[thirsty, somebody] == 3
    assert trace.k[CAT, names.k.index("is somebody")] == 2
    assert trace.scores[IT, CAT] == 3 * 2
    assert trace.output[IT, names.v.index("living")] > 1 > trace.output[IT, names.v.index("thing")]
    assert AS_SOUR.attention().output[IT, names.v.index("thing")] > 1


@pytest.mark.parametrize("example", [THIRSTY, AS_SOUR], ids=["thirsty", "sour"])
def test_because_attends_equally_to_cat_drank_and_milk(example):
    said = example.attention().weights[BECAUSE, [CAT, DRANK, MILK]]
    assert np.ptp(said) < 1e-15
    assert said.sum() > 0.8


# --- why several heads ---


def test_one_head_splits_its_weight_between_two_words_and_two_heads_do_not():
    one, (who, what) = THIRSTY.attention().weights[DRANK], weights_of_heads(THIRSTY)[:, DRANK]
    assert who.argmax() == CAT
    assert what.argmax() == MILK
    assert min(who[CAT], what[MILK]) >= 0.9
    assert one[CAT] == one[MILK] < 0.5  # the weight of 1 is split between the two words


@pytest.mark.parametrize("scale", [0.1, 0.5, 1.0, 2.0, 10.0])
def test_at_no_scale_one_head_gives_a_word_more_than_half(scale):
    one = THIRSTY.attention(scale=scale).weights[DRANK]
    assert one[CAT] == one[MILK] <= 0.5


def test_the_output_of_two_heads_is_nearly_twice_that_of_one():
    one, two = THIRSTY.attention().output[DRANK], THIRSTY.multi_head().concat[DRANK]
    assert (two > 1.9).all()
    assert (one < 1).all()


# --- its numbers ---


def test_it_is_of_small_whole_numbers_with_few_below_zero():
    for matrix in THIRSTY.matrices().values():
        assert {*np.unique(matrix)} <= {0.0, 1.0, 2.0, 3.0}
    written = np.concatenate([matrix.ravel() for matrix in THIRSTY.matrices().values()])
    assert (written == 0).mean() > 0.6
    assert (written == 3).sum() == 2


@pytest.mark.parametrize("kind", ["none", "causal", "padding"])
def test_every_mistake_of_heads_that_can_be_made_changes_its_output(kind):
    trace = THIRSTY.multi_head(mask=THIRSTY.mask(kind))
    assert blind_spots(trace, HEAD_MISTAKES) == ()
    made = []
    for mistake in HEAD_MISTAKES:
        try:
            assert greatest_difference(trace.output, mistake.apply(trace).output) >= 0.005
            made.append(mistake.name)
        except ValueError as error:
            assert re.search("; got |, but ", str(error))  # noqa: PT017
    assert made == [
        mistake.name for mistake in HEAD_MISTAKES if mistake.name not in ("w_i_with_n_rows", "w_o_transposed")
    ]


# --- names ---


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_column_has_one_name_or_none(name):
    this = example(name)
    for names, matrix in ((this.names.x, this.x), (this.names.q, this.w_q), (this.names.k, this.w_k)):
        assert len(names) in (0, matrix.shape[1])
    assert len(this.names.v) in (0, this.w_v.shape[1])


def test_the_names_of_the_story_are_those_of_questions_and_answers():
    names = THIRSTY.names
    assert [q.removeprefix("looks for ") for q in names.q] == [k.removeprefix("is ") for k in names.k]
    assert len({*names.x, *names.q, *names.k, *names.v}) == 6 + 4 + 4 + 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (FeatureNames(x=("alive",)), r"names of x must be one a column of x; got 1 names, x \(5, 6\): give 6\."),
        (FeatureNames(q=("a", "b")), r"names of q must be one a column of w_q; got 2 names, w_q \(6, 4\): give 4\."),
        (FeatureNames(k=("a",) * 5), r"names of k must be one a column of w_k; got 5 names, w_k \(6, 4\): give 4\."),
        (FeatureNames(v=("who",)), r"names of v must be one a column of w_v; got 1 names, w_v \(6, 2\): give 2\."),
        (FeatureNames(context=("a",)), r"names of context .* column of context; got 1 names, context missing: give no"),
    ],
)
def test_names_that_do_not_fit(names, message):
    with pytest.raises(ValueError, match=message):
        replace(THIRSTY, names=names)


def test_names_stay_when_numbers_change_and_when_fewer_ask_or_answer():
    assert AS_SOUR.names is THIRSTY.names
    part = THIRSTY.shortened(2, 3)
    assert part.names.context == part.names.x == THIRSTY.names.x
    assert part.as_self_attention().names == THIRSTY.names
