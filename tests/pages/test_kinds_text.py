"""Test the kinds of controls whose values visitors bring with them: a number of tokens, and a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.controls.example_kinds import Count, TextInput
from pagesutil import texts
from strategies import law


def test_a_count_is_a_number_of_tokens():
    count = Count("How many?", "tokens")
    assert [count.decode(count.encode(n)) for n in (0, 1, 7, 99)] == [0, 1, 7, 99]
    for text in ("", "-1", "100", "1.0", "²", "all"):
        with pytest.raises(ValueError, match=r"^a number of tokens, to 99, or 0 for all$"):
            count.decode(text)


# --- texts ---

LINE = TextInput("Sentence", 400)


@law
@given(texts(LINE.longest))
def test_every_text_comes_back_as_it_is(text):
    assert LINE.decode(LINE.encode(text)) == text
    assert LINE.encode(text) == (text or " ")


@law
@given(texts(40), st.sampled_from("\0\t\n\r\x1b\x7f\x85\ud800\u2028\u2029\u202e\u2066"), texts(40))
def test_control_characters_are_refused_wherever_they_stand(before, control, after):
    with pytest.raises(
        ValueError, match=r"^one line of at most 400 characters, with no tab or other control character"
    ):
        LINE.decode(before + control + after)


def test_a_text_has_a_longest_length():
    assert LINE.decode("é" * 400) == "é" * 400
    assert LINE.decode("") == ""
    with pytest.raises(ValueError, match=r"^one line of at most 400 characters"):
        LINE.decode("é" * 401)
