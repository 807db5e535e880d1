"""Boards in the presenter view: what they keep where there is room for it."""

import pytest
from playwright.sync_api import expect

from browser.test_presenter import reveal_all


@pytest.mark.parametrize("scene", ["softmax_axes?scene=4", "training_step?scene=4"])
def test_where_a_board_has_room_all_of_its_matrices_keep_their_column_names(scene, visit):
    page = reveal_all(visit(f"/{scene}&view=present", width=1280, height=720))
    heights = page.locator("figure:visible thead").evaluate_all("all => all.map((names) => names.offsetHeight)")
    assert len(heights) > 2
    assert min(heights) > 24


def test_the_softmax_of_a_whole_matrix_shows_that_all_of_it_sums_to_one(visit):
    page = visit("/softmax_axes?scene=4&view=present", width=1280, height=720)
    expect(page.locator("td.sum.all").locator("visible=true")).to_have_text(["1"])
