"""Test links to screens of the path: by name, and by the number that earlier links hold."""

import pytest

from pages.path.numbers import END, NUMBERED, ScreenInput, names, screen_numbers
from pages.shared.scene_files.screens import screens


def test_a_link_holds_the_name_of_a_screen():
    for number, screen in enumerate(screens(), start=1):
        assert ScreenInput().encode(number) == screen.name
        assert ScreenInput().decode(screen.name) == number
    assert ScreenInput().decode(END) == len(screens()) + 1
    assert END not in {screen.name for screen in screens()}
    assert not any(name.isdecimal() for name in names())


def test_an_earlier_link_opens_the_screen_that_had_this_number():
    opened = [names()[ScreenInput().decode(str(number)) - 1] for number in range(1, 20)]
    assert opened == list(NUMBERED)
    assert opened[12:] == ["mask", "block", "loss", "mistake", "induction", "cause", END]


@pytest.mark.parametrize("text", ["", "0", "20", "01", "-1", "1.0", "nobody", "Refers", "٣"])
def test_a_text_that_names_no_screen_is_refused(text):
    with pytest.raises(ValueError, match="the name of a screen"):
        ScreenInput().decode(text)


def test_screens_are_numbered_in_their_order():
    assert list(screen_numbers().values()) == list(range(1, len(names()) + 1))
