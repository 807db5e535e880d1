"""Test how a text becomes tokens for a model, and how tokens become pieces of text for people."""

import pytest

from attention_core.language_model.gguf import ModelFile
from attention_core.language_model.tokens import BEGIN, UnreadableError, pieces_of, tokens_of, vocabulary_of
from language_models import SETTINGS, TOKENS

WORDS = vocabulary_of(ModelFile(SETTINGS, {}))


def test_a_text_is_its_tokens_after_the_one_that_begins():
    tokens = tokens_of(" the\n", WORDS)
    assert pieces_of(tokens, WORDS) == ("start", "the", "⏎")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" \n", "A text must have at least one word, but this one is empty. Write some words."),
        (
            "a" * 40,
            "A text may have 31 tokens here, but this one has 40. Leave 9 tokens out.",
        ),
    ],
)
def test_a_text_that_cannot_be_read_says_why(text, said):
    with pytest.raises(UnreadableError, match=said.replace(".", r"\.")):
        tokens_of(text, WORDS)


def test_characters_without_tokens_are_named():
    fewer = [each for each in TOKENS if each != "!"]
    words = vocabulary_of(ModelFile(SETTINGS | {"tokenizer.ggml.tokens": fewer}, {}))
    with pytest.raises(UnreadableError, match="every character of a text, but it does not know !"):
        tokens_of("a!", words)


def test_a_visitor_cannot_type_the_token_that_begins_a_text():
    assert WORDS.numbers[BEGIN] not in tokens_of(BEGIN, WORDS)[1:]
