"""Test the guesses on the page "The path": how they are kept, read back, refused and counted."""

import pytest

from pages.path.navigation import GuessesInput, decode_guesses, outcome, with_guess
from pages.shared.scene_files.screens import SHOWN, screen_of_page, screens

SCREENS = screens()


def test_guesses_are_kept_in_the_order_of_the_path():
    guesses = with_guess(with_guess((), "table", "2"), "refers", SHOWN)
    assert GuessesInput().encode(guesses) == f"refers{SHOWN}_table2"
    assert GuessesInput().decode("table2_refersS") == guesses


@pytest.mark.parametrize("text", ["refers", "refers9", "table0", "nobody1", "refers1__table1", "mix1e9", "<b>", "mixx"])
def test_a_text_that_holds_no_guesses_is_refused(text):
    with pytest.raises(ValueError, match="answers to the questions of the path"):
        GuessesInput().decode(text)
    assert decode_guesses(text) == ()


@pytest.mark.parametrize("kept", [None, 5, ["refers1"], {"a": 1}])
def test_a_changed_store_holds_no_guesses(kept):
    assert decode_guesses(kept) == ()


def test_how_a_guess_went():
    refers, mix = SCREENS[0], next(screen for screen in SCREENS if screen.typed)
    assert [outcome(refers, given) for given in ((), (("refers", "3"),), (("refers", "1"),), (("refers", SHOWN),))] == [
        "",
        "right",
        "wrong",
        "shown",
    ]
    assert outcome(mix, ((mix.name, "1.5"),)) == "right"
    assert outcome(mix, ((mix.name, "2"),)) == "wrong"
    assert "alone" in mix.reason("2")
    assert mix.typed
    assert mix.reason("7") == mix.typed.otherwise


def test_a_page_knows_the_screen_that_is_about_it():
    pages = ("home", "softmax_axes", "positional_encoding", "multi_head", "attention")
    places = [screen_of_page(page) or 0 for page in pages]
    assert [SCREENS[place - 1].name for place in places] == ["refers", "softmax", "order", "heads", "mix"]
    assert screen_of_page("your_sentence") is None
