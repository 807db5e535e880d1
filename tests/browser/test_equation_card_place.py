"""The card with the arithmetic of a cell stands beside it, and covers nothing that it speaks of.

A line leads from the card to the cell where it strikes nothing out.
"""

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.equation import arithmetic, card_place_fault, cell, until
from browser.test_equation_card import UNDER
from browsing import settle

PHONE = {"width": 390, "height": 844}
READABLE = 14  # pixels
LATE = 400  # milliseconds
HEIGHT = """document.querySelector('[data-testid="stMain"]').scrollHeight"""
CELLS = [
    ("/?example=story", "scores", 4, 1),
    ("/queries_keys_values?example=story", "q", 2, 2),
    ("/queries_keys_values?example=story", "x", 0, 0),
    ("/attention?example=hand&step=4", "scores", 1, 1),
    ("/attention?example=story&step=8", "output", 4, 0),
    ("/softmax_axes", "weights_rows", 1, 2),
    ("/multi_head?example=hand", "weights.1", 0, 0),
    ("/cross_attention", "scores", 1, 2),
    ("/positional_encoding?look=encoding", "sinusoidal", 1, 1),
    ("/next_word", "logits", 3, 2),
    ("/training_step", "grad_output", 4, 1),
]

# Which parts of the equation that the card speaks of does it cover?
COVERED = """
() => {
  const card = document.querySelector(".st-key-arithmetic").getBoundingClientRect()
  const isUnder = (each) => {
    const box = each.getBoundingClientRect()
    return card.left < box.right && box.left < card.right && card.top < box.bottom && box.top < card.bottom
  }
  const roots = [...document.querySelectorAll("*")].map((each) => each.shadowRoot).filter(Boolean)
  const found = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)])
  const cells = found("td:is(.selected, .read)")
  const names = cells.map((each) => each.closest("figure").querySelector(".symbol"))
  return [...new Set([...cells, ...names])].filter(isUnder).map((each) => each.innerText)
}
"""
# How far, in pixels, is the line's end from the card, and its other end from the cell? [] if there is no line.
TETHER = """
(cell) => {
  const card = document.querySelector(".st-key-arithmetic")
  const line = card.querySelector(".lab-tether")
  if (!line?.checkVisibility()) return []
  const [width, angle] = [parseFloat(line.style.width), parseFloat(line.style.rotate)]
  const [x, y] = [parseFloat(line.style.left), parseFloat(line.style.top)]
  const away = (box, x, y) =>
    Math.max(box.left - x, x - box.right, 0) + Math.max(box.top - y, y - box.bottom, 0)
  const end = [x + width * Math.cos(angle), y + width * Math.sin(angle)]
  return [away(card.getBoundingClientRect(), x, y), away(cell.getBoundingClientRect(), ...end)]
}
"""
# How large are the formulas of the card in pixels, and how many of them are wider than their room?
FORMULAS = """
boxes => [
  Math.min(...boxes.map((box) => parseFloat(getComputedStyle(box.querySelector(".katex")).fontSize))),
  boxes.filter((box) => box.scrollWidth > box.clientWidth).length,
]
"""
SEEN = "parts => parts.filter((part) => getComputedStyle(part).visibility !== 'hidden').length"


def press(page: Page, name: str, row: int, column: int) -> Locator:
    """Bring a cell into the middle of the window, press it, and return it."""
    target = cell(page, name, row, column)
    target.evaluate("cell => cell.scrollIntoView({ block: 'center' })")
    target.click()
    expect(arithmetic(page)).to_be_visible()
    settle(page)
    return target


def height_at_rest(page):
    """Return the height of a page once a chart that is drawn late has its own."""
    height = None
    while height != (height := page.evaluate(HEIGHT)):
        page.wait_for_timeout(LATE)
    return height


@pytest.mark.many
@pytest.mark.parametrize(("path", "name", "row", "column"), CELLS)
def test_the_card_covers_nothing_that_it_speaks_of_and_needs_no_room(path, name, row, column, visit):
    page = visit(path)
    before = height_at_rest(page)
    target = press(page, name, row, column)
    until(page, lambda: card_place_fault(target), "")
    assert page.evaluate(COVERED) == []
    assert max(target.evaluate(TETHER), default=0) < 2
    assert page.evaluate(HEIGHT) == before
    page.keyboard.press("Escape")
    expect(arithmetic(page)).to_have_count(0)
    assert page.evaluate(HEIGHT) == before


@pytest.mark.many
@pytest.mark.parametrize(("path", "name", "row", "column"), CELLS)
def test_on_a_phone_the_card_leaves_its_cell_and_the_page_where_they_are(path, name, row, column, visit):
    page = visit(path, **PHONE)
    before = height_at_rest(page)
    target = press(page, name, row, column)
    until(page, lambda: card_place_fault(target), "")
    assert target.evaluate(TETHER) == []
    assert page.evaluate(HEIGHT) == before
    size, wide = arithmetic(page).locator(".katex-display").evaluate_all(FORMULAS)
    assert size >= READABLE
    assert wide == 0


def test_the_card_stands_in_the_free_room_beside_its_equation(visit):
    page = visit("/queries_keys_values?example=story", width=1600, height=800)
    target = press(page, "q", 0, 0)
    until(page, lambda: card_place_fault(target), "")
    assert page.locator("figure").evaluate_all(UNDER) == 0


def test_a_line_leads_to_the_cell_only_where_it_strikes_nothing_out(visit):
    page = visit("/queries_keys_values?example=story", width=1280, height=800)
    assert press(page, "q", 0, 0).evaluate(TETHER) == []  # other numbers are between the cell and the card
    assert press(page, "v", 2, 1).evaluate(TETHER) != []


def test_nothing_of_the_card_is_seen_while_its_cell_is_not(visit):
    page = visit("/softmax_axes", width=1280, height=800)
    press(page, "weights_rows", 4, 0)
    assert arithmetic(page).locator("*").evaluate_all(SEEN) > 0
    page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTo(0, main.scrollHeight)")
    expect(arithmetic(page)).not_to_be_visible()
    assert arithmetic(page).locator("*").evaluate_all(SEEN) == 0
