"""A step of training in the browser: gradients stand below their matrices, and what a step changes glows."""

import pytest

from browsing import settled

pytestmark = pytest.mark.browser

PAIRS = {"weights": "grad_weights", "v": "grad_v", "output": "grad_output"}


def edges(page, ids):
    """Where the right brackets of some matrices of the first board stand."""
    board = page.locator(".equation").filter(has=page.locator('[data-id="weights"]'))
    board = board.filter(has=page.locator('[data-id="v"]')).first
    boxes = [board.locator(f'figure[data-id="{id}"] td.bracket.right').first.bounding_box() for id in ids]
    return [box["x"] + box["width"] for box in boxes]


@pytest.mark.parametrize(
    "link", ["/training_step", "/training_step?taken=7&layout=columns", "/training_step?example=hand"]
)
def test_a_gradient_stands_below_its_matrix(visit, link):
    page = visit(link)
    for above, below in zip(edges(page, PAIRS), edges(page, PAIRS.values()), strict=True):
        assert above == pytest.approx(below, abs=1.5)


@pytest.mark.parametrize("link", ["/training_step?view=present", "/training_step?example=hand&view=present"])
def test_a_gradient_stands_below_its_matrix_in_a_lecture(visit, link):
    page = visit(link, width=1280, height=720)
    page.keyboard.press("a")
    for above, below in zip(edges(settled(page), PAIRS), edges(page, PAIRS.values()), strict=True):
        assert above == pytest.approx(below, abs=1.5)


def test_what_a_step_changes_glows(visit):
    page = visit("/training_step")
    assert page.locator("td.changed").count() == 0
    page.get_by_role("button", name="One step", exact=False).filter(has_not_text="back").click()
    page.wait_for_url("**taken=1**")
    settled(page)
    page.locator('figure[data-id="w_q"] td.changed').first.wait_for()
    assert page.locator('figure[data-id="x"] td.changed').count() == 0
