"""Test the kinds of controls whose options depend on the example: what each accepts, and how it refuses a value."""

import pytest

from attention_core.examples import example
from pages.shared.controls.example_kinds import HeadsInput, HeadsOffInput, TokenInput


def test_a_token_parameter_is_its_place_in_the_text():
    token = TokenInput("Who asks?")
    assert [token.decode(token.encode(place)) for place in (0, 7, 99)] == [0, 7, 99]
    for text in ("", "-1", "100", "1.0", "²", "cats"):
        with pytest.raises(ValueError, match=r"^a token’s place, counted from 0$"):
            token.decode(text)


def test_the_parameter_for_heads_is_their_number():
    heads = HeadsInput("Heads")
    assert [heads.decode(heads.encode(n)) for n in (1, 2, 512)] == [1, 2, 512]
    assert [heads.fit(n, example("translation")) for n in (0, 1, 2, 3, 4, 8)] == [0, 1, 2, 0, 4, 0]
    for text in ("", "-1", "1000", "2.0", "two"):
        with pytest.raises(ValueError, match=r"^a number of heads, such as 2$"):
            heads.decode(text)


def test_heads_that_are_off_are_places():
    off = HeadsOffInput("Off")
    assert [off.decode(off.encode(places)) for places in ((0,), (0, 2, 511))] == [(0,), (0, 2, 511)]
    assert off.decode("2.0.2") == (0, 2)
    assert off.decode(off.encode(())) == ()
    assert off.fit((0, 3, 4), example("translation")) == (0, 3)
    for text in (".", "-1", "1000", "1,2", "a", ".".join("1" * 40)):
        with pytest.raises(ValueError, match=r"^places counted from 0, as 0\.2$"):
            off.decode(text)


def test_switched_off_heads_are_sorted():
    control = HeadsOffInput("Off")
    assert control.accept([1, 0], ()) == control.decode("0.1") == control.decode("1.0") == (0, 1)
