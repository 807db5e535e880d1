"""The card with the arithmetic of a selected cell is beside the cell, so that a visitor need not scroll."""

from playwright.sync_api import expect

from browser.equation import (
    address_query,
    arithmetic,
    card_formula,
    card_place_fault,
    cell,
    type_over,
    until,
    until_query,
)
from browsing import change_look, settle

PANEL = '[data-testid="stMain"]'
GROUND = "element => getComputedStyle(element).backgroundColor"
STEP = "/attention?example=hand&step=4"

# How many elements the card covers, at least in part.
UNDER = """
(elements) => {
  const box = document.querySelector(".st-key-arithmetic").getBoundingClientRect()
  const meets = (own) => box.left < own.right && own.left < box.right && box.top < own.bottom && own.top < box.bottom
  return elements.filter((each) => meets(each.getBoundingClientRect())).length
}
"""


def test_the_card_moves_with_the_page_when_it_is_scrolled(visit):
    page = visit(STEP, height=800)
    target = cell(page, "scores", 1, 1)
    target.click()
    settle(page)
    for by in (40, -90, 120):
        page.locator(PANEL).evaluate("(main, by) => main.scrollBy(0, by)", by)
        until(page, lambda: card_place_fault(target), "")
    page.locator(PANEL).evaluate("main => main.scrollTo(0, main.scrollHeight)")
    expect(arithmetic(page)).not_to_be_visible()  # its cell is far away


def test_the_card_does_not_cover_what_the_number_is_computed_from(visit):
    page = visit(STEP, height=800)
    cell(page, "scores", 1, 1).click()
    settle(page)
    assert page.locator("td.read").evaluate_all(UNDER) == 0
    assert page.locator("figcaption").evaluate_all(UNDER) > 0  # so the measure works


def test_the_card_shows_an_edit_and_stays_in_its_place(visit):
    page = visit("/attention?example=hand&step=3")
    target = cell(page, "q", 0, 0)
    target.click()
    settle(page)
    type_over(cell(page, "x", 0, 0), "9")
    settle(page)
    assert r"9 \cdot" in card_formula(page)
    assert card_place_fault(target) == ""


def test_the_card_takes_the_colours_of_a_changed_theme(visit):
    page = visit(STEP)
    cell(page, "scores", 1, 1).click()
    light = settle(page) and arithmetic(page).evaluate(GROUND)
    assert light == page.locator(".stApp").evaluate(GROUND)
    settle(change_look(page, dark=True))
    until(page, lambda: arithmetic(page).evaluate(GROUND) == page.locator(".stApp").evaluate(GROUND) != light, True)


def test_on_paper_the_card_stands_in_the_flow_of_the_page(visit):
    page = visit(STEP)
    cell(page, "scores", 1, 1).click()
    settle(page)
    page.emulate_media(media="print")
    assert arithmetic(page).evaluate("card => getComputedStyle(card).position") != "fixed"
    page.emulate_media(media="screen")


def test_presented_the_card_stands_beside_the_cell_and_escape_closes_it_first(visit):
    page = visit(f"{STEP}&view=present", height=800)
    target = cell(page, "scores", 1, 1)
    while page.locator("figure.covered").count():
        page.keyboard.press("PageDown")
    target.click()
    settle(page)
    assert card_place_fault(target) == ""
    page.keyboard.press("Escape")
    expect(arithmetic(page)).to_have_count(0)
    assert address_query(settle(page))["view"] == "present"
    page.keyboard.press("Escape")
    until_query(page, example="hand", step="4")
