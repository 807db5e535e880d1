"""A step of training in the browser: each gradient is below its matrix, and changed numbers are marked."""

import re

import pytest
from playwright.sync_api import expect

from browser.equation import address_query, cell, type_over, until
from browsing import settle

OF_QUERIES = "Query weights, 6 by 4"
PAIRS = {"weights": "grad_weights", "v": "grad_v", "output": "grad_output"}


def right_edges(page, ids):
    """Return the right edge of each matrix in `ids`, in pixels, in the equation that has the weights and the values."""
    board = page.locator(".equation").filter(has=page.locator('[data-id="weights"]'))
    board = board.filter(has=page.locator('[data-id="v"]')).first
    boxes = [board.locator(f'figure[data-id="{id}"] td.bracket.right').first.bounding_box() for id in ids]
    return [box["x"] + box["width"] for box in boxes]


@pytest.mark.parametrize(
    "link",
    [
        "/training_step?look=back",
        "/training_step?look=back&taken=7&layout=columns",
        "/training_step?look=back&example=hand",
    ],
)
def test_a_gradient_stands_below_its_matrix(visit, link):
    page = visit(link)
    for above, below in zip(right_edges(page, PAIRS), right_edges(page, PAIRS.values()), strict=True):
        assert above == pytest.approx(below, abs=1.5)


@pytest.mark.parametrize(
    "link", ["/training_step?look=back&view=present", "/training_step?look=back&example=hand&view=present"]
)
def test_a_gradient_stands_below_its_matrix_in_a_lecture(visit, link):
    page = visit(link, width=1280, height=720)
    page.keyboard.press("a")
    for above, below in zip(right_edges(settle(page), PAIRS), right_edges(page, PAIRS.values()), strict=True):
        assert above == pytest.approx(below, abs=1.5)


def step_button(page, name):
    """Return the button `name`, which takes steps of training. Ignore "back", whose name may contain `name`."""
    return page.get_by_role("button", name=name).filter(has_not_text="back")


def press(page, name):
    """Press a button for steps, and wait until the page no longer changes."""
    step_button(page, name).click()
    return settle(page)


def test_numbers_that_a_step_changes_are_marked(visit):
    page = visit("/training_step?look=back")
    assert page.locator("td.changed").count() == 0
    press(page, "One step")
    page.wait_for_url("**taken=1**")
    page.locator('figure[data-id="w_q"] td.changed').first.wait_for()
    assert page.locator('figure[data-id="x"] td.changed').count() == 0


def test_a_trained_matrix_cannot_be_edited_until_training_begins_again(visit):
    """Check that a matrix which training has changed cannot be edited until the training begins again.

    The page must not draw the matrix anew when it locks it, because the first step would then take twice as long.
    """
    page = visit("/training_step?look=back")
    drawn = page.locator('figure[data-id="w_q"]').first
    page.evaluate("figure => { figure.drawn = true }", drawn.element_handle())
    expect(page.get_by_role("grid", name=f"{OF_QUERIES}, editable", exact=True)).to_be_visible()
    expect(drawn.get_by_title("You can edit this matrix")).to_be_visible()
    press(page, "One step")
    expect(page.get_by_role("grid", name=OF_QUERIES, exact=True)).to_be_visible()
    expect(drawn).not_to_have_class(re.compile("editable"))
    expect(drawn.locator(".pen")).to_be_hidden()
    press(page, "Start again")
    expect(page.get_by_role("grid", name=f"{OF_QUERIES}, editable", exact=True)).to_be_visible()
    expect(drawn.get_by_title("You can edit this matrix")).to_be_visible()
    assert drawn.evaluate("figure => figure.drawn")


def test_an_entry_or_a_drag_ends_when_training_changes_its_matrix(visit):
    page = visit("/training_step?look=back")
    type_over(cell(page, "w_q", 0, 0), "1abc")
    expect(page.get_by_role("alert").filter(has_text="1abc")).to_be_visible()
    press_from_elsewhere(page, "One step")
    expect(page.get_by_role("alert").filter(has_text="1abc")).to_have_count(0)
    expect(page.locator("td.invalid, td.cell input")).to_have_count(0)
    until(page, lambda: cell(page, "w_q", 0, 0).inner_text(), "0")
    press(page, "Start again")
    cell(page, "w_q", 1, 1).hover()
    page.mouse.down()
    press_from_elsewhere(page, "One step")
    page.mouse.move(600, 300)
    page.mouse.up()
    settle(page)
    until(page, lambda: {*address_query(page)} - {"cell"}, {"look", "taken"})


def press_from_elsewhere(page, name):
    """Press a button without moving the mouse and the focus."""
    step_button(page, name).evaluate("button => button.click()")
    settle(page)
