"""Test the reasons on the page of attention: copying without a mask, padding, and the cost of long texts."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_core.examples import EXAMPLES, example
from attention_core.experiments.training import scores_of_length, weights_around_next_word, weights_beside_filler
from pages.attention import reasons
from pages.attention.steps import STEPS

STORY = example("story")
CAT, DRANK, MILK, BECAUSE, IT = range(5)
WEIGHTS = STORY.attention().weights


def numbers_in(text):
    """Return the numbers that are printed in bold in a text."""
    return [float(found) for found in re.findall(r"\*\*(\d[\d.]*)\*\*", text)]


# --- the next word ---


def test_the_weight_is_divided_at_the_next_word():
    parts = weights_around_next_word(WEIGHTS)
    np.testing.assert_allclose(parts.sum(axis=1), 1)
    np.testing.assert_allclose(parts[:, 1], [WEIGHTS[i, i + 1] for i in range(4)])
    assert parts[0, 0] == WEIGHTS[CAT, CAT]
    assert parts[3, 2] == 0


def test_masked_nothing_is_put_on_the_next_word_or_later():
    for name in EXAMPLES:
        this = example(name)
        if this.context is None:
            masked = this.attention(mask=this.mask("causal")).weights
            np.testing.assert_array_equal(weights_around_next_word(masked)[:, 1:], 0)


def test_queries_of_another_text_have_no_next_word():
    with pytest.raises(ValueError, match=r"weights must be square .*; got \(2, 4\): give"):
        weights_around_next_word(example("context").attention().weights)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_token_would_read_off_is_so(name):
    this = example(name)
    weights = this.attention().weights
    why = reasons.why_causal(this, weights, 4)
    if this.context is not None:
        assert "no reason" in why
        return
    following = np.diagonal(weights, offset=1)
    i = int(following.argmax())
    assert f"After “{this.tokens[i]}” comes “{this.tokens[i + 1]}”" in why
    assert numbers_in(why) == [
        pytest.approx(following.max(), abs=1e-4),
        pytest.approx(weights[i, : i + 1].sum(), abs=1e-4),  # the sum of the weights that a mask leaves
    ]
    assert f"all {len(following)} guesses at once" in why


@pytest.mark.parametrize("name", EXAMPLES)
def test_one_pass_gives_what_a_pass_for_each_word_would(name):
    this = example(name)
    if this.context is None:
        at_once = this.attention(mask=this.mask("causal")).output
        for n in range(1, len(this.tokens) + 1):
            begun = replace(this, x=this.x[:n], tokens=this.tokens[:n], sentence="")
            np.testing.assert_allclose(begun.attention().output[-1], at_once[n - 1], rtol=1e-9, atol=1e-12)


def test_on_the_story_drank_would_read_milk_as_much_as_cat():
    assert WEIGHTS[DRANK, MILK] == WEIGHTS[DRANK, CAT]  # a scene says this where the mask hides the weights


def test_with_a_padding_token_the_weights_still_add_up_to_1():
    parts = weights_beside_filler(WEIGHTS)
    np.testing.assert_allclose(parts.sum(axis=1), 1)
    np.testing.assert_array_equal(parts[:, 1], WEIGHTS[:, IT])


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_reason_for_padding_names_the_greatest_weight_of_the_last_token(name):
    this = example(name)
    weights = this.attention().weights
    given = weights[:, -1] if this.context is not None else weights[:-1, -1]
    assert numbers_in(reasons.why_padding(this, weights, 4)) == [pytest.approx(given.max(), abs=1e-4)]
    assert (this.attention(mask=this.mask("padding")).weights[:, -1] == 0).all()


# --- what length costs ---


def test_twice_the_length_takes_four_times_the_scores():
    assert scores_of_length(5, 5) == WEIGHTS.size == 25
    assert scores_of_length(5, 5, times=2) == 4 * 25
    assert scores_of_length(2, 4, times=2) == 4 * 8
    with pytest.raises(ValueError, match="times must be a whole number"):
        scores_of_length(5, 5, times=0)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_curve_goes_through_the_scores_of_the_example(name):
    this = example(name)
    tokens, scores, named = reasons.growth_of_scores(this)
    n = len(this.tokens)
    assert scores[tokens.index(n)] == this.attention().scores.size
    assert scores[tokens.index(2 * n)] == 4 * this.attention().scores.size
    assert [length for length, name in zip(tokens, named, strict=True) if name] == [n, 2 * n, 4 * n]


# --- how far a number reaches ---


def test_one_number_of_x_reaches_a_row_and_a_column_of_the_scores_and_every_row_of_z():
    for token, feature in np.ndindex(STORY.x.shape):
        x = STORY.x.copy()
        x[token, feature] += 1
        before, after = STORY.attention(), replace(STORY, x=x, context=None).attention()
        elsewhere = np.ones_like(before.scores, dtype=bool)
        elsewhere[token], elsewhere[:, token] = False, False
        np.testing.assert_array_equal(after.scores[elsewhere], before.scores[elsewhere])
        if (after.output != before.output).any(axis=1).all():
            break
    else:
        pytest.fail("no number of X changes every row of Z")
    assert "every row of Z" in STEPS[7].says
