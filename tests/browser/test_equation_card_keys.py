"""The card of a selected cell by keyboard and screen reader: arrow keys move it, Escape closes it, the focus stays."""

from playwright.sync_api import expect

from browser.equation import address_query, arithmetic, card_place_fault, cell, focused_cell, until_query
from browsing import settle

STEP = "/attention?example=hand&step=4"


def test_arrow_keys_move_the_selection_and_the_card_follows(visit):
    page = visit(STEP)
    cell(page, "scores", 0, 0).focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    expect(arithmetic(page)).to_have_count(0)  # nothing is selected yet, so only the focus moves
    page.keyboard.press("Enter")
    for key, row, column in [("ArrowDown", 1, 1), ("ArrowRight", 1, 2), ("Home", 1, 0), ("End", 1, 2), ("End", 1, 2)]:
        page.keyboard.press(key)
        until_query(page, example="hand", step="4", cell=f"scores.{row}.{column}")
        assert focused_cell(page) == ("scores", row, column)
        expect(arithmetic(page).locator("annotation").last).to_contain_text(f"S_{{{row + 1},{column + 1}}}")
        assert card_place_fault(cell(page, "scores", row, column)) == ""


def test_fast_arrow_keys_never_go_back(visit):
    page = visit(STEP)
    cell(page, "k", 0, 0).click()
    settle(page)
    for _ in range(3):
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft"):
            page.keyboard.press(key)
            assert page.locator("td.selected:focus").count() == 1  # answers to earlier keys move nothing
    for key in ("ArrowDown", "ArrowUp"):  # the address may be late after fast keys, but not after these
        settle(page)
        page.keyboard.press(key)
    until_query(page, example="hand", step="4", cell="k.0.0")


def test_escape_closes_the_card_from_anywhere_and_the_focus_stays(visit):
    page = visit(STEP)
    target = cell(page, "scores", 1, 1)
    target.click()
    expect(arithmetic(page)).to_be_visible()
    expect(target).to_be_focused()
    page.keyboard.press("Escape")
    expect(arithmetic(page)).not_to_be_visible(timeout=1_000)
    expect(target).to_be_focused()
    until_query(page, example="hand", step="4")
    target.click()
    expect(arithmetic(page)).to_be_visible()
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("Escape")
    until_query(page, example="hand", step="4")


def test_a_button_closes_the_card_and_the_focus_returns_to_the_cell(visit):
    page = visit(STEP)
    cell(page, "scores", 1, 1).click()
    arithmetic(page).get_by_role("button", name="Close the arithmetic").click()
    until_query(page, example="hand", step="4")
    expect(arithmetic(page)).to_have_count(0)
    assert focused_cell(page) == ("scores", 1, 1)


def test_escape_in_an_entry_cancels_only_the_entry(visit):
    page = visit("/attention?example=hand&step=3")
    target = cell(page, "x", 0, 0)
    target.click()
    expect(arithmetic(page)).to_be_visible()
    page.keyboard.type("7")
    page.keyboard.press("Escape")
    expect(arithmetic(page)).to_be_visible()
    assert address_query(settle(page))["cell"] == "x.0.0"


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
