"""The arithmetic of a selected cell stands beside the cell, wherever it was clicked: no scrolling is needed."""

import pytest
from playwright.sync_api import expect

from browser.equation import arithmetic, cell, focused, formula, query, type_over, until, until_query
from browsing import settled
from pagesutil import VIEWS

SCREENS = {"desk": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844, "touch": True}}
PANEL = '[data-testid="stMain"]'
STEP = "/attention?example=hand&step=4"

# What is wrong with where the card of a cell stands, in words; nothing where all is well.
ASTRAY = """
(cell) => {
  const card = document.querySelector(".st-key-arithmetic")
  if (!card) return "no card"
  const [box, own] = [card.getBoundingClientRect(), cell.getBoundingClientRect()]
  const meet = box.left < own.right && own.left < box.right && box.top < own.bottom && own.top < box.bottom
  const wrong = {
    "another cell is selected": !cell.classList.contains("selected"),
    hidden: !card.checkVisibility({ visibilityProperty: true }),
    "off the screen": box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight,
    "over its cell": meet,
    "away from its cell": own.bottom < 0 || own.top > innerHeight || own.right < 0 || own.left > innerWidth,
    "in the flow of the page": getComputedStyle(card).position !== "fixed",
  }
  return Object.keys(wrong).filter((each) => wrong[each]).join(", ")
}
"""

# How many elements the card covers in part.
UNDER = """
(elements) => {
  const box = document.querySelector(".st-key-arithmetic").getBoundingClientRect()
  const meets = (own) => box.left < own.right && own.left < box.right && box.top < own.bottom && own.top < box.bottom
  return elements.filter((each) => meets(each.getBoundingClientRect())).length
}
"""


def astray(target):
    """What is wrong with where the card of a cell stands."""
    return target.evaluate(ASTRAY)


def sample(page):
    """The first, a middle and the last cell of what can be edited, and of what is computed."""
    for kind in ("figure.editable", "figure:not(.editable)"):
        found = page.locator(f"{kind} td.cell:visible")
        count = found.count()
        for nth in sorted({0, count // 2, count - 1}) if count else []:
            yield found.nth(nth)


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("path", VIEWS)
def test_from_a_click_on_a_cell_to_its_arithmetic_nothing_is_scrolled(path, screen, visit):
    page = visit(path, **SCREENS[screen])
    wrong = []
    for target in sample(page):
        target.click()
        settled(page)
        wrong.append((target.get_attribute("title"), astray(target)))
        page.keyboard.press("Escape")
        expect(arithmetic(page)).to_have_count(0)
    assert [each for each in wrong if each[1]] == []


def test_arrow_keys_move_the_selection_and_the_card_follows(visit):
    page = visit(STEP)
    cell(page, "scores", 0, 0).focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    expect(arithmetic(page)).to_have_count(0)  # nothing is selected yet: the focus alone moves
    page.keyboard.press("Enter")
    for key, row, column in [("ArrowDown", 1, 1), ("ArrowRight", 1, 2), ("Home", 1, 0), ("End", 1, 2), ("End", 1, 2)]:
        page.keyboard.press(key)
        until_query(page, example="hand", step="4", cell=f"scores.{row}.{column}")
        assert focused(page) == ("scores", row, column)
        expect(arithmetic(page).locator("annotation").last).to_contain_text(f"S_{{{row + 1},{column + 1}}}")
        assert astray(cell(page, "scores", row, column)) == ""


def test_fast_arrow_keys_never_go_back(visit):
    page = visit(STEP)
    cell(page, "k", 0, 0).click()
    settled(page)
    for _ in range(3):
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft"):
            page.keyboard.press(key)
            assert page.locator("td.selected:focus").count() == 1  # answers to earlier keys move nothing
    until_query(page, example="hand", step="4", cell="k.0.0")


def test_escape_closes_it_from_anywhere_and_the_focus_stays(visit):
    page = visit(STEP)
    target = cell(page, "scores", 1, 1)
    target.click()
    expect(arithmetic(page)).to_be_visible()
    expect(target).to_be_focused()
    page.keyboard.press("Escape")
    expect(arithmetic(page)).not_to_be_visible(timeout=100)  # before the server answers
    expect(target).to_be_focused()
    until_query(page, example="hand", step="4")
    target.click()
    expect(arithmetic(page)).to_be_visible()
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("Escape")
    until_query(page, example="hand", step="4")


def test_a_button_closes_it_and_gives_the_focus_back(visit):
    page = visit(STEP)
    cell(page, "scores", 1, 1).click()
    arithmetic(page).get_by_role("button", name="Close the arithmetic").click()
    until_query(page, example="hand", step="4")
    expect(arithmetic(page)).to_have_count(0)
    assert focused(page) == ("scores", 1, 1)


def test_escape_in_an_entry_takes_back_the_entry_alone(visit):
    page = visit("/attention?example=hand&step=3")
    target = cell(page, "x", 0, 0)
    target.click()
    expect(arithmetic(page)).to_be_visible()
    page.keyboard.type("7")
    page.keyboard.press("Escape")
    expect(arithmetic(page)).to_be_visible()
    assert query(settled(page))["cell"] == "x.0.0"


def test_it_goes_along_when_the_page_is_scrolled(visit):
    page = visit(STEP, height=800)
    target = cell(page, "scores", 1, 1)
    target.click()
    settled(page)
    for by in (40, -90, 120):
        page.locator(PANEL).evaluate("(main, by) => main.scrollBy(0, by)", by)
        until(page, lambda: astray(target), "")
    page.locator(PANEL).evaluate("main => main.scrollTo(0, main.scrollHeight)")
    expect(arithmetic(page)).not_to_be_visible()  # its cell is far away


def test_it_stands_clear_of_what_the_number_is_computed_from(visit):
    page = visit(STEP, height=800)
    cell(page, "scores", 1, 1).click()
    settled(page)
    assert page.locator("td.read").evaluate_all(UNDER) == 0
    assert page.locator("figcaption").evaluate_all(UNDER) > 0  # so it is measured


def test_a_screen_reader_hears_what_was_opened_and_how_to_close_it(visit):
    page = visit(STEP)
    cell(page, "scores", 1, 1).click()
    card = page.get_by_role("region", name="Arithmetic of Scores, row 2, column 2", exact=True)
    expect(card).to_be_visible()
    said = page.locator(".said")
    expect(said).to_have_attribute("role", "status")
    expect(said).to_contain_text("Scores: multiply the query of chase by the key of chase, feature by feature")
    expect(said).to_contain_text("Scores, row 2, column 2. Escape closes its arithmetic.")
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("Scores, row 2, column 1.")


def test_it_follows_an_edit_and_stays_in_its_place(visit):
    page = visit("/attention?example=hand&step=3")
    target = cell(page, "q", 0, 0)
    target.click()
    settled(page)
    type_over(cell(page, "x", 0, 0), "9")
    settled(page)
    assert r"9 \cdot" in formula(page)
    assert astray(target) == ""


def test_printed_it_stands_in_the_flow_of_the_page(visit):
    page = visit(STEP)
    cell(page, "scores", 1, 1).click()
    settled(page)
    page.emulate_media(media="print")
    assert arithmetic(page).evaluate("card => getComputedStyle(card).position") != "fixed"
    page.emulate_media(media="screen")


def test_presented_it_stands_beside_the_cell_too_and_escape_closes_it_first(visit):
    page = visit(f"{STEP}&view=present", height=800)
    target = cell(page, "scores", 1, 1)
    while page.locator("figure.covered").count():
        page.keyboard.press("PageDown")
    target.click()
    settled(page)
    assert astray(target) == ""
    page.keyboard.press("Escape")
    expect(arithmetic(page)).to_have_count(0)
    assert query(settled(page))["view"] == "present"
    page.keyboard.press("Escape")
    until_query(page, example="hand", step="4")
