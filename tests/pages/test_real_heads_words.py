"""Test the sentences on the page of real heads: each has a number, which is the measured or the shown number."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core.language_model.model import Head
from attention_core.language_model.roles import roles
from attention_core.language_model.shipped import HEADS, TEXTS, shipped_reading
from pages.real_heads import words
from pages.shared.real_heads import reading, tour
from pages.shared.real_heads.reading import changes_if_moved, scores_at_every_position
from pagesutil import KINDS
from simulating import matrices, open_page, visit_of

PAGE = "real_heads"
DEFAULT: Any = KINDS[PAGE]()


def reading_with(**link):
    """Return the real model's numbers for the text that the page shows. `link` replaces parameters of the page."""
    found = reading.reading_of(replace(DEFAULT, **link))
    assert found
    return found


def test_the_tour_shows_each_head_on_a_text():
    for number, role in enumerate(tour.roles_of_tour()):
        app = open_page(PAGE)
        (button,) = [each for each in app.button if each.key == f"real_heads.tour.{number}"]
        app = button.click().run()
        assert not app.exception
        assert visit_of(app).parameters.head == role.head
        assert matrices(app)["weights"]["reads"] != []  # the app ships the queries and keys of this head


def test_the_tour_says_what_was_measured():
    table = tour.table()
    for role in roles():
        if role.name in tour.TOLD:
            assert f"{role.head.name} |" in table
            assert f"| {role.score:.2f} | {role.control:.2f}" in table
    assert table.count("**fails**") == 1
    assert "to the dog with 0.61" in tour.failing_role_text()
    assert tour.role_of(Head(9, 4)) == "pronoun"
    assert tour.role_of(Head(0, 0)) == ""


@pytest.mark.parametrize("text", TEXTS)
def test_the_sink_in_numbers(text):
    kept, told = shipped_reading(text), words.sink_text(reading_with(text=text))
    more = [kept.maps[layer, head, 1:, 0].mean() > 127.5 for layer in range(30) for head in range(9)]
    assert f"**{sum(more)} of 270** heads" in told
    others = f"for the other tokens it is {kept.norms[18, 1:].mean():,.0f} on average."
    assert f"is {kept.norms[18, 0]:,.0f}; {others}" in told
    assert "Its value is the shortest" in told


@pytest.mark.parametrize("head", HEADS, ids=lambda head: head.name)
def test_where_a_text_stands_changes_nothing_and_a_gap_does(head):
    found = changes_if_moved(shipped_reading("list").attention(head))
    assert max(found.together) < 1e-12
    assert found.apart > 1e-6


def test_scores_along_a_diagonal_are_one_number_and_that_of_the_text():
    trace = shipped_reading("list").attention(Head(18, 6))
    scores = scores_at_every_position(trace, 7, 4).scores
    for offset in range(-7, 8):
        assert np.ptp(np.diagonal(scores, offset)) < 1e-9
    assert scores[7, 4] == pytest.approx(trace.scores[7, 4])


def test_what_is_saved_by_sharing_is_said_in_bytes():
    told = words.shared_keys_text(reading_with())
    assert "L18H6, L18H7, L18H8 share" in told
    assert [f"| {count} | {size:,} |" in told for count, size in ((9, 69_120), (3, 23_040), (1, 7_680))] == [True] * 3
