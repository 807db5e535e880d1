"""The card with the arithmetic of a selected cell is beside the cell, so that a visitor need not scroll.

Also keys in the card, signs, and how an equation looks.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from browser.contrast import Text, texts
from browser.equation import (
    address_query,
    arithmetic,
    card_formula,
    card_place_fault,
    cell,
    figure,
    focused_cell,
    type_over,
    until,
    until_query,
)
from browser.test_accessibility import THEMES, show_in_theme
from browsing import change_look, settle
from pages.shared.equation.engine import SCRIPT
from pages.shared.notation.symbols import SYMBOLS

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
    assert page.locator(".st-key-arithmetic p").evaluate_all(UNDER) > 0  # so the measure works


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
        expect(arithmetic(page).locator("annotation").first).to_contain_text(f"S_{{{row + 1},{column + 1}}}")
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


FONTS = "'Source Sans', KaTeX_Main"  # of the text, and of formulas
BOARDS = ("/", "/attention?step=5&example=hand", "/multi_head?example=hand", "/positional_encoding")
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"])//.*", re.DOTALL | re.MULTILINE)
TEXTS = "boards => boards.map((board) => board.textContent).join('')"
SHOW = """
([signs, fonts]) => {
  const shown = document.body.appendChild(document.createElement("p"))
  shown.id = "signs"
  shown.style.fontFamily = fonts
  shown.append(...signs.map((sign) => Object.assign(document.createElement("span"), { textContent: sign })))
  return document.fonts.ready.then(() => true)
}
"""
# Signs that are drawn like a sign that no font has. A font may draw its own box for such a sign.
BOXES = """
([signs, fonts]) => {
  const drawn = (sign) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 60, height: 60 })
    const context = canvas.getContext("2d")
    context.font = `40px ${fonts}`
    context.fillText(sign, 5, 45)
    return canvas.toDataURL()
  }
  return signs.filter((sign) => drawn(sign) === drawn("\\u{10FFFD}"))
}
"""


def signs_of_equations() -> set[str]:
    """Return the signs in the scripts, the style and the symbols of equations. Comments are left out."""
    code = re.sub(r"(?m)^\s*(//|/\*\*| \*).*$", "", SCRIPT)
    return signs_of(COMMENT.sub("", code) + "".join(symbol for symbol, *_ in SYMBOLS.values()))


def signs_of(text: str) -> set[str]:
    """Return the signs in a text that are not plain ASCII."""
    return {sign for sign in text if ord(sign) > 126}


def signs_without_font(page: Page, signs: list[str]) -> list[str]:
    """Return those of the signs that the page's own fonts do not have."""
    page.evaluate(SHOW, [signs, FONTS])
    page.wait_for_function(
        "() => [...document.fonts].some(({ family, status }) => /KaTeX_Main/.test(family) && status === 'loaded')"
    )
    tools = page.context.new_cdp_session(page)
    tools.send("DOM.enable")
    tools.send("CSS.enable")
    root = tools.send("DOM.getDocument", {"depth": 1})["root"]["nodeId"]
    nodes = tools.send("DOM.querySelectorAll", {"nodeId": root, "selector": "#signs span"})["nodeIds"]
    fonts = [tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes]
    foreign = [sign for sign, used in zip(signs, fonts, strict=True) if not used or not used[0]["isCustomFont"]]
    return sorted({*foreign, *page.evaluate(BOXES, [signs, FONTS])})


def test_the_fonts_of_the_page_have_every_sign_on_a_board(visit):
    signs, page = signs_of_equations(), visit("/")
    for board in BOARDS:
        page.goto(board)
        signs |= signs_of(settle(page).locator("[class^='equation']").evaluate_all(TEXTS))
    assert {"×", "Σ", "→", "√", "⊤"} <= signs
    assert signs_without_font(page, sorted(signs)) == []


def test_signs_without_a_font_are_found(visit):
    page = visit("/attention?step=4")
    assert signs_without_font(page, ["⧉", "✎", "⟲", "→"]) == ["✎", "⟲", "⧉"]


STRENGTHS = "cells => Math.max(...cells.map((cell) => Number(cell.style.getPropertyValue('--strength'))))"


def test_every_text_stands_out_even_on_the_strongest_tint(visit):
    page = visit("/attention?example=hand&step=3&w_q=-9,9,1,1;0,0,0,0;0,0,0,0;0,0,0,0;0,0,0,0&cell=q.0.0")
    type_over(cell(page, "x", 0, 0), "1x", last="Tab")  # this leaves an error message on the page
    strongest = {
        "negative": page.locator(".signed td.cell.negative").evaluate_all(STRENGTHS),
        "positive": page.locator(".signed td.cell:not(.negative)").evaluate_all(STRENGTHS),
    }
    assert strongest == {"negative": 1, "positive": 1}
    signed = texts_in_both_themes(page)
    assert len([text for text in signed if text.name.startswith("p problem")]) == 2
    assert len([text for text in signed if text.name.startswith("td cell")]) > 100
    assert [text for text in signed if text.is_faint] == []


def test_every_weight_can_be_read_even_on_the_strongest_tint(visit):
    page = visit("/softmax_axes?source=array&scores=99,0,0,0;1,2,3,4;4,3,2,1")
    assert page.locator(".weight td.cell").evaluate_all(STRENGTHS) == 1
    weights = texts_in_both_themes(page)
    assert len([text for text in weights if text.name.startswith("td cell")]) > 100
    assert [text for text in weights if text.is_faint] == []


def texts_in_both_themes(page: Page) -> list[Text]:
    """Return the texts of a page with their contrast, in the light theme and in the dark one."""
    return [text for theme in THEMES for text in texts(show_in_theme(page, theme))]


def test_a_screen_reader_hears_a_table_with_its_headers_and_numbers(visit):
    page = visit("/attention?example=hand&step=3")
    x, q = figure(page, "x").first, figure(page, "q")
    grid = x.get_by_role("grid", name="Input, 3 by 5, editable")
    expect(grid).to_have_count(1)
    assert grid.get_by_role("rowheader").all_text_contents() == ["cats", "chase", "mice"]
    assert grid.get_by_role("columnheader").all_text_contents() == ["1", "2", "3", "4", "5"]
    assert grid.get_by_role("row").count() == 4
    assert grid.get_by_role("gridcell").all_text_contents() == list("100201010001011")
    expect(q.get_by_role("grid", name="Queries, 3 by 4", exact=True)).to_have_count(1)  # not editable
    expect(x.get_by_label("Copy Input")).to_have_count(1)

    cell(page, "x", 1, 2).focus()
    page.keyboard.press("Enter")
    expect(x.get_by_role("gridcell", selected=True)).to_have_count(1)
    page.keyboard.press("F2")
    expect(x.get_by_role("textbox", name="Input, row 2, column 3")).to_be_focused()


def test_a_transposed_matrix_and_its_sums_are_read_the_way_they_stand(visit):
    page = visit("/attention?example=hand&step=4")
    keys = figure(page, "k").get_by_role("grid", name="Keys, 4 by 3")
    assert keys.get_by_role("columnheader").all_text_contents() == ["cats", "chase", "mice"]
    assert keys.get_by_role("rowheader").all_text_contents() == ["1", "2", "3", "4"]
    page.goto("/attention?example=hand&step=5")
    sums = figure(settle(page), "weights").get_by_role("grid").locator(".sum.right")
    assert sums.all_text_contents() == ["1", "1", "1"]


@pytest.mark.parametrize(("reduced", "animation"), [(True, "none"), (False, "glow")], ids=["reduced", "full"])
def test_a_change_glows_only_where_motion_is_wanted(reduced, animation, visit):
    page = visit("/attention?example=hand&step=3", reduced_motion=reduced)
    type_over(cell(page, "x", 0, 0), "4")
    expect(figure(page, "k").locator(".changed")).not_to_have_count(0)
    names = page.locator("td.changed").evaluate_all(
        "cells => cells.map((cell) => getComputedStyle(cell, '::before').animationName)"
    )
    assert set(names) == {animation}
    until(page, lambda: cell(page, "k", 0, 1).get_attribute("title"), "cats\nK = 10\nwas 4")


def test_a_number_that_rounds_to_0_has_no_sign(visit):
    page = visit("/positional_encoding?look=bag")
    shown = figure(page, "difference_bag").first.locator("td.cell").all_text_contents()
    assert "0.00" in shown
    assert "\u22120.00" not in shown
    page = visit("/queries_keys_values?example=hand&x=-0.001,-0.5,0,0,0;0,0,0,0,0;0,0,0,0,0")
    shown = figure(page, "x").first.locator("td.cell").all_text_contents()
    assert shown[:2] == ["0.00", "\u22120.50"]
