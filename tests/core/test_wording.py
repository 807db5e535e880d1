"""Test the wording of an example: its tokens as a sentence, and the word that depends on a number."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core.examples import EXAMPLES, example
from attention_core.examples.sentence import SOUR, story, wording


def sentence_of(example):
    return " ".join(piece.text for piece in wording(example)).replace(" .", ".")


def piece_with_numbers(example):
    """Return the one piece of the sentence whose word depends on numbers."""
    (found,) = [piece for piece in wording(example) if piece.cells]
    return found


def with_features(thirsty, sour):
    x = story().x.copy()
    x[4, 4:] = thirsty, sour
    return story().with_matrices({"x": x})


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_token_is_in_its_place_in_the_sentence(name):
    places = [(piece.token, piece.text) for piece in wording(example(name)) if piece.token is not None]
    assert places == list(enumerate(example(name).tokens))


def test_the_story_is_a_sentence():
    assert sentence_of(story()) == "The cat drank the milk because it was thirsty."
    assert sentence_of(story().with_matrices(SOUR)) == "The cat drank the milk because it was sour."


def test_the_last_word_changes_the_numbers_both_ways():
    for before, after in ((story(), story().with_matrices(SOUR)), (story().with_matrices(SOUR), story())):
        x = before.x.copy()
        for row, column, value in piece_with_numbers(before).cells:
            x[row, column] = value
        np.testing.assert_array_equal(x, after.x)
        assert piece_with_numbers(before).instead == piece_with_numbers(after).text


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
    assert (
        piece_with_numbers(with_features(*features)).text,
        piece_with_numbers(with_features(*features)).instead,
    ) == (text, instead)


def test_a_part_of_the_tokens_is_no_sentence():
    assert sentence_of(story().shortened(2, 3)) == "cat drank"


def test_a_sentence_of_other_tokens_is_refused():
    with pytest.raises(ValueError, match="tokens in braces, in their order; got milk, cat for cat, drank"):
        replace(story(), sentence="The {milk} and the {cat}.")
