"""Wording: the tokens of an example in their sentence, and the word of it that a feature decides."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core.examples import EXAMPLES, example
from attention_core.examples.story import SOUR, story
from attention_core.examples.wording import wording


def said(example):
    return " ".join(piece.text for piece in wording(example)).replace(" .", ".")


def switch(example):
    (found,) = [piece for piece in wording(example) if piece.cells]
    return found


def with_features(thirsty, sour):
    x = story().x.copy()
    x[4, 4:] = thirsty, sour
    return story().with_matrices({"x": x})


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_token_stands_in_its_place(name):
    places = [(piece.token, piece.text) for piece in wording(example(name)) if piece.token is not None]
    assert places == list(enumerate(example(name).tokens))


def test_the_story_is_a_sentence():
    assert said(story()) == "The cat drank the milk because it was thirsty."
    assert said(story().with_matrices(SOUR)) == "The cat drank the milk because it was sour."


def test_its_last_word_takes_the_numbers_there_and_back():
    for before, after in ((story(), story().with_matrices(SOUR)), (story().with_matrices(SOUR), story())):
        x = before.x.copy()
        for row, column, value in switch(before).cells:
            x[row, column] = value
        np.testing.assert_array_equal(x, after.x)
        assert switch(before).instead == switch(after).text


@pytest.mark.parametrize(
    ("features", "text", "instead"),
    [
        ((2, 0), "thirsty", "sour"),
        ((0, 0.5), "sour", "thirsty"),
        ((1, 1), "thirsty and sour", "thirsty"),
        ((0, 0), "neither thirsty nor sour", "thirsty"),
        ((-1, 0), "neither thirsty nor sour", "thirsty"),
    ],
)
def test_it_says_what_the_numbers_say(features, text, instead):
    assert (switch(with_features(*features)).text, switch(with_features(*features)).instead) == (text, instead)


def test_a_part_of_the_tokens_is_no_sentence():
    assert said(story().shortened(2, 3)) == "cat drank"


def test_a_sentence_of_other_tokens_is_refused():
    with pytest.raises(ValueError, match="tokens in braces, in their order; got milk, cat for cat, drank"):
        replace(story(), sentence="The {milk} and the {cat}.")
