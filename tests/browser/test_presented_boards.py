"""Equations in the presenter view: what they keep if there is enough space, and that they fit if there is little."""

import pytest
from playwright.sync_api import expect

from browser.test_presenter import reveal_all
from browsing import stage_faults

PADDING = "sum => getComputedStyle(sum).paddingRight"


def open_presented(visit, page, scene, width=1280, height=720):
    """Open a scene in the presenter view, uncover everything, and return the tab."""
    return reveal_all(visit(f"/{page}?scene={scene}&view=present", width=width, height=height))


@pytest.mark.parametrize(
    ("page", "width", "height"),
    [("softmax_axes", 1024, 768), ("training_step", 1280, 720)],
)
def test_where_a_board_has_room_all_of_its_matrices_keep_their_column_names(page, width, height, visit):
    names = open_presented(visit, page, 4, width, height).locator("figure:visible thead")
    heights = names.evaluate_all("all => all.map((names) => names.offsetHeight)")
    assert len(heights) > 2
    assert min(heights) > 19


def test_the_softmax_of_a_whole_matrix_shows_that_all_of_it_sums_to_one_below_the_sums_of_rows(visit):
    page = open_presented(visit, "softmax_axes", 4)
    total = page.locator("td.sum.all").locator("visible=true")
    expect(total).to_have_text(["1"])
    assert total.evaluate(PADDING) == page.locator("tr:has(td.cell) td.sum").first.evaluate(PADDING)


@pytest.mark.parametrize(("page", "scene"), [("softmax_axes", 3), ("softmax_axes", 4), ("induction_head", 1)])
def test_equations_side_by_side_fit_a_window_of_4_to_3(page, scene, visit):
    assert stage_faults(open_presented(visit, page, scene, width=1024, height=768)) == []


def test_wrong_numbers_stand_above_the_right_ones_in_a_small_window_too(visit):
    page = open_presented(visit, "training_step", 7, width=800, height=600)
    board = page.locator(".presented.aligned").locator("visible=true")
    expect(board).to_have_count(1)
    assert stage_faults(page) == []
