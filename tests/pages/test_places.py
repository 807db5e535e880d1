"""Test that widgets stay where they are on a page, whatever a visitor sets."""

from collections.abc import Iterator

import pytest

from pages.shared.controls import controls_of
from pages.shared.controls.kinds import Choice
from pagesutil import KINDS
from simulating import open_page

WITHOUT_WIDGETS = {"lecturers"}  # this page has only text


def widgets_in(block, path=()) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the name of each widget of the lesson, and the path to it in the page's tree of blocks.

    Widgets in a container whose name begins with "place_" are left out. The content of such a container changes.
    """
    for number, child in block.children.items():
        name = (getattr(child, "key", None) or "").partition("~")[0]
        if name.startswith("place_"):
            continue
        if "." in name:
            yield name, (*path, number)
        if hasattr(child, "children"):
            yield from widgets_in(child, (*path, number))


def states_of(page) -> Iterator[dict[str, str]]:
    yield {}
    for name, control in controls_of(KINDS[page]).items():
        if isinstance(control, Choice):
            yield from ({name: option} for option in control.options if option)


@pytest.mark.many
@pytest.mark.parametrize("page", KINDS)
def test_no_choice_moves_a_widget(page):
    found: dict[str, tuple[int, ...]] = {}
    for state in states_of(page):
        app = open_page(page, **state)
        assert not app.exception, state
        for name, path in widgets_in(app.main):
            assert found.setdefault(name, path) == path, (name, state)
    assert bool(found) == (page not in WITHOUT_WIDGETS)
