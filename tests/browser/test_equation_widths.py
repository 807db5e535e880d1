"""An edit changes no width and moves nothing, its numbers stay in the middle, and nothing is measured for it."""

import re

import pytest
from playwright.sync_api import Page

from browser.equation import cell, figure, numbers, type_over, until
from browser.test_equation_grid import faults_of_grid
from browsing import settle

STORY = "/queries_keys_values?example=story"
BOXES = """
(all) => all.map((each) => each.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height].map(
  (length) => Math.round(2 * length) / 2
))
"""
# Return the least space beside a number in its cell, in pixels.
BESIDE = """
(cells) => Math.min(...cells.flatMap((cell) => {
  const [box, range] = [cell.getBoundingClientRect(), document.createRange()]
  range.selectNodeContents(cell)
  const text = range.getBoundingClientRect()
  return [text.left - box.left, box.right - text.right]
}))
"""
# Count how often a script asks how wide something in an equation is.
COUNT = """
() => {
  window.asked = []
  for (const name of ["scrollWidth", "clientWidth", "offsetWidth"]) {
    const owner = name.startsWith("offset") ? HTMLElement.prototype : Element.prototype
    const { get } = Object.getOwnPropertyDescriptor(owner, name)
    const inEquation = (each) => each.getRootNode() instanceof ShadowRoot && each.closest(".equation")
    Object.defineProperty(owner, name, {
      get() {
        if (inEquation(this)) window.asked.push(`${name} of ${this.className}`)
        return get.call(this)
      },
    })
  }
}
"""


def boxes(page: Page) -> list[list[float]]:
    """Return where the cells, names and signs of all equations are, and how large."""
    return page.locator("td.cell, figcaption, .sign").evaluate_all(BOXES)


@pytest.mark.parametrize("text", ["9", "-3", "0.5", "-1.25"])
def test_an_edit_and_its_field_move_nothing(text, visit):
    page = visit(STORY)
    before, target = boxes(page), cell(page, "w_q", 0, 3)
    target.focus()
    page.keyboard.type(text)
    assert boxes(page) == before
    page.keyboard.press("Enter")
    until(page, lambda: numbers(page, "w_q")[0, 3], float(text))
    settle(page)
    assert boxes(page) == before
    assert faults_of_grid(page) == []


def test_a_drag_moves_nothing(visit):
    page = visit(STORY)
    before, target = boxes(page), cell(page, "x", 0, 0)
    box = target.bounding_box() or {}
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    for right in range(0, 120, 8):
        page.mouse.move(box["x"] + 10 - right, box["y"] + 10)
    assert boxes(page) == before
    page.mouse.up()
    settle(page)
    assert cell(page, "x", 0, 0).inner_text().startswith("−")
    assert boxes(page) == before
    assert faults_of_grid(page) == []


def test_numbers_that_a_button_changes_have_room(visit):
    page = visit("/training_step")
    before = boxes(page)
    page.get_by_role("button", name="10 steps").click()
    until(page, lambda: numbers(page, "output")[0, 0] < 0, True)
    settle(page)
    assert boxes(page) == before
    assert figure(page, "output").locator("td.cell").evaluate_all(BESIDE) > 5


def test_a_much_longer_number_gets_a_wider_cell_and_stays_in_it(visit):
    page = visit(STORY)
    before = boxes(page)
    type_over(cell(page, "w_q", 0, 3), "-9876.75")
    settle(page)
    assert boxes(page) != before
    # The width of a number is estimated digit by digit, so a long one may stand a few pixels beside the middle.
    assert [fault for fault in faults_of_grid(page) if "not centred" not in fault] == []


def test_nothing_is_measured_for_an_edit_and_all_is_measured_for_a_new_width(visit):
    page = visit(STORY)
    page.evaluate(COUNT)
    type_over(cell(page, "w_q", 0, 3), "3")
    settle(page)
    assert page.evaluate("window.asked") == []
    type_over(cell(page, "w_q", 0, 3), "-9876.75")
    settle(page)
    assert re.search("scrollWidth of items", " ".join(page.evaluate("window.asked")))
