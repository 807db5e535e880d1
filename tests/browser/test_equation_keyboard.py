"""Equations by keyboard alone: reach a cell, move, edit, select and copy; and what happens after a wrong entry."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from attention_core.examples import example
from browser.equation import (
    address_query,
    arithmetic,
    card_formula,
    cell,
    cells,
    clipboard,
    expected_lights,
    figure,
    focused_cell,
    lights_of_cells,
    link_text,
    numbers,
    type_over,
    until,
    until_numbers,
    until_query,
)
from browsing import settle

STEP = "/attention?example=hand&step=3"
X = example("hand").x
MOST_TABS = 80


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until an element has the focus. Fail after 80 presses."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if target.evaluate("element => element.matches(':focus')"):
            return
    raise AssertionError(f"{MOST_TABS} tabs did not reach {target}")


def test_the_keyboard_reaches_cells_for_an_edit_an_answer_and_a_copy(visit):
    page = visit(STEP)
    tab_to(page, cell(page, "x", 0, 0))
    for key in ["ArrowDown", "ArrowRight", "7", "Enter"]:
        page.keyboard.press(key)
    x = X.copy()
    x[1, 1] = 7
    until_query(page, example="hand", step="3", x=link_text(x))
    until_numbers(page, "q", x @ example("hand").w_q)

    tab_to(page, cell(page, "q", 0, 0))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    until_query(page, example="hand", step="3", x=link_text(x), cell="q.1.0")
    expect(page.locator(".st-key-arithmetic .katex").first).to_be_visible()
    assert focused_cell(settle(page)) == ("q", 1, 0)  # the answer of the server does not move the focus

    page.keyboard.press("Shift+Tab")
    for key in ["Enter", "Tab", "Enter"]:
        page.keyboard.press(key)
    until(page, lambda: clipboard(page)[:10], "np.array([")


def test_one_tab_stop_a_matrix_and_arrows_within(visit):
    page = visit(STEP)
    stops = page.locator("table").evaluate_all(
        "tables => tables.map(t => t.querySelectorAll('[tabindex=\"0\"]').length)"
    )
    assert set(stops) == {1}
    cell(page, "x", 0, 0).focus()
    ways = (
        ("ArrowRight", (0, 1)), ("ArrowDown", (1, 1)), ("End", (1, 4)), ("ArrowRight", (1, 4)), ("ArrowUp", (0, 4)),
        ("ArrowUp", (0, 4)), ("Home", (0, 0)), ("ArrowLeft", (0, 0)), ("ArrowDown", (1, 0)), ("ArrowDown", (2, 0)),
        ("ArrowDown", (2, 0)),
    )  # fmt: skip
    for key, place in ways:
        page.keyboard.press(key)
        assert focused_cell(page) == ("x", *place)
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert focused_cell(page) == ("x", 2, 0)  # a matrix is left and entered at the same cell


def test_keys_open_a_field_move_to_the_next_cell_and_cancel_an_entry(visit):
    page = visit(STEP)
    target = cell(page, "x", 0, 3)  # this number is 2
    field = target.locator("input")
    target.focus()
    page.keyboard.press("F2")
    expect(field).to_have_value("2")
    assert field.evaluate("input => [input.selectionStart, input.selectionEnd]") == [0, 1]
    page.keyboard.press("End")
    page.keyboard.type("5")
    page.keyboard.press("Escape")
    assert focused_cell(page) == ("x", 0, 3)
    expect(target).to_have_text("2")

    page.keyboard.type("-4")  # this replaces the number
    page.keyboard.press("Tab")
    assert focused_cell(page) == ("x", 0, 4)
    page.keyboard.type(".5")
    page.keyboard.press("Shift+Tab")
    assert focused_cell(page) == ("x", 0, 3)
    page.keyboard.type("6")
    page.keyboard.press("ArrowDown")
    assert focused_cell(page) == ("x", 1, 3)
    x = X.copy()
    x[0, 3:] = [6, 0.5]
    until_query(page, example="hand", step="3", x=link_text(x))
    until_numbers(page, "x", x)


def test_keys_change_a_number_by_a_tenth_without_drift(visit):
    page = visit(f"{STEP}&x={link_text([[0, 0, 0, 0, 0]] * 3)}")
    target = cell(page, "x", 2, 2)
    target.focus()
    for key in ["ArrowUp", "ArrowUp", "ArrowDown"]:
        page.keyboard.press(f"Alt+{key}")
    until(page, lambda: numbers(page, "x")[2, 2], 0.1)
    for expected in (0.2, 0.3, 0.4):
        page.keyboard.press("Alt+ArrowUp")
        until(page, lambda: numbers(page, "x")[2, 2], expected)
        until(page, lambda: address_query(page)["x"].split(";")[2], f"0,0,{expected},0,0")


def test_a_wrong_entry_is_outlined_explained_and_changes_nothing(visit):
    page = visit(STEP)
    target = cell(page, "x", 0, 0)
    message = figure(page, "x").first.get_by_role("alert")
    for typed, said in {"1x": "“1x”", "--2": "“--2”", "1/0": "“1/0”", "2e9": "range", "": "this cell is empty"}.items():
        target.focus()
        page.keyboard.press("F2")
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        expect(message).to_contain_text("A cell must hold")
        expect(message).to_contain_text(said)
        expect(target).to_have_class(re.compile(r"\binvalid\b"))
        expect(target.locator("input")).to_have_attribute("aria-invalid", "true")
        expect(target.locator("input")).to_be_focused()
        page.keyboard.press("Escape")
        expect(message).to_have_count(0)
        expect(page.locator(".invalid")).to_have_count(0)
        assert focused_cell(page) == ("x", 0, 0)
        expect(target).to_have_text("1")
    assert address_query(settle(page)) == {"example": "hand", "step": "3"}
    assert numbers(page, "q").tolist() == example("hand").attention().q.tolist()

    type_over(target, "-x")
    page.keyboard.press("Backspace")  # the message disappears when the visitor begins to correct the entry
    expect(message).to_have_count(0)
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    until(page, lambda: numbers(page, "x")[0, 0], -3)


def test_no_outline_is_left_behind_where_a_wrong_entry_was_left(visit):
    page = visit(STEP)
    type_over(cell(page, "x", 0, 0), "1x", last="Tab")  # the visitor leaves a wrong entry
    expect(cell(page, "x", 0, 0)).to_have_text("1")
    type_over(cell(page, "x", 1, 1), "2y")
    expect(page.locator(".invalid")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".invalid, .problem")).to_have_count(0)


HINT = "Press any number"
HAND = example("hand").attention()


def expect_the_hint(page):
    """Check that the page shows the hint and no arithmetic."""
    expect(page.get_by_text(HINT)).to_be_visible()
    expect(arithmetic(page)).to_have_count(0)


def product(row, column) -> str:
    r"""Return the dot product of a row and a column in LaTeX, as the card writes it: 0 \cdot 2 + (-1) \cdot 2."""

    def bracketed(value: float) -> str:
        return f"({value:g})" if value < 0 else f"{value:g}"

    return " + ".join(rf"{bracketed(a)} \cdot {bracketed(b)}" for a, b in zip(row, column, strict=True))


def test_a_click_writes_the_arithmetic_and_a_second_takes_it_back(visit):
    page = visit("/attention?example=hand&step=4")
    expect_the_hint(page)
    cell(page, "scores", 0, 1).click()
    expect(arithmetic(page)).to_contain_text(re.compile("query of cats .* key of chase"))
    until_query(page, example="hand", step="4", cell="scores.0.1")
    assert product(HAND.q[0], HAND.k[1]) in card_formula(page)
    assert card_formula(page).endswith(f" = {HAND.scores[0, 1]:g}")
    assert card_formula(page).startswith(r"S_{1,2} = Q_{1,1} \, K_{2,1} +")

    page.mouse.move(2, 2)
    expected = expected_lights(
        page, ("scores", 0, 1), lambda name, r, c: (name == "q" and r == 0) or (name == "k" and r == 1)
    )
    until(page, lambda: lights_of_cells(page), expected)  # the sources of the selected cell stay lit
    for drawing in cells(page, "scores", 0, 1).all():
        expect(drawing).to_have_attribute("aria-selected", "true")
    assert page.locator("td.selected").count() == cells(page, "scores", 0, 1).count()

    cell(page, "scores", 0, 1).click()
    expect_the_hint(page)
    until_query(page, example="hand", step="4")
    assert page.locator("td.selected, td[aria-selected]").count() == 0


def test_enter_selects_and_escape_takes_it_back(visit):
    page = visit("/attention?example=hand&step=8")
    cell(page, "output", 2, 1).focus()
    page.keyboard.press("Enter")
    expect(arithmetic(page)).to_contain_text(re.compile("feature 2 .* mice"))
    until_query(page, example="hand", step="8", cell="output.2.1")
    written = [
        float(number) for number in re.findall(r"-?\d+\.?\d*", re.split(r"(?:=|\\approx)", card_formula(page))[-1])
    ]
    np.testing.assert_allclose(written, [HAND.output[2, 1]], rtol=1e-3)
    page.keyboard.press("Escape")
    until_query(page, example="hand", step="8")
    expect_the_hint(page)


@pytest.mark.parametrize(
    ("path", "words", "numbers"),
    [
        ("/attention?example=hand&step=2&cell=w_q.1.3", "given, not computed", r"W^Q_{2,4}"),
        ("/softmax_axes?source=array&cell=powers_rows.0.3", "Powers", r"e^{3 - 3}"),
        ("/attention?example=hand&step=9&cell=heads.1.2.0", "Output of head 2", r"(\text{head}_2)_{3,1}"),
    ],
)
def test_a_link_to_a_cell_opens_with_its_arithmetic(path, words, numbers, visit):
    page = visit(path)
    expect(arithmetic(page)).to_contain_text(words)
    assert numbers in card_formula(page)
    name, row, column = address_query(page)["cell"].rsplit(".", 2)
    expect(cell(page, name, int(row), int(column))).to_have_attribute("aria-selected", "true")


def test_a_selection_follows_an_edit_of_what_it_reads(visit):
    page = visit("/attention?example=hand&step=3&cell=q.0.0")
    x = example("hand").x.copy()
    cell(page, "x", 0, 4).focus()
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    x[0, 4] = 9
    until(page, lambda: product(x[0], example("hand").w_q[:, 0]) in card_formula(page), True)
    assert card_formula(settle(page)).endswith(f" = {(x @ example('hand').w_q)[0, 0]:g}")


STORY = "/queries_keys_values?example=story"
WIDEST = 48  # pixels of a column of small numbers, whatever stands above it
LEVEL = 20  # pixels: the height of a name that does not lean
BOXES = """
all => all.map((one) => one.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height])
"""
WHOLE = "all => all.every((one) => one.scrollHeight <= one.clientHeight + 1)"


def boxes(page: Page, name: str, inside: str) -> list[list[float]]:
    """Return x, y, width and height, in pixels, of elements in the first drawing of the matrix `name`."""
    return figure(page, name).first.locator(inside).evaluate_all(BOXES)


def test_long_names_lean_and_make_no_column_wider(visit):
    page = visit(STORY)
    assert all(width > height > LEVEL for _, _, width, height in boxes(page, "q", "thead span"))
    assert max(box[2] for box in boxes(page, "q", "td.cell")) < WIDEST
    page = visit("/training_step")
    short = boxes(page, "probabilities", "thead span")
    assert all(height < LEVEL for _, _, _, height in short)


def test_no_name_is_cut_off(visit):
    page = visit(STORY)
    for name in ("x", "w_q", "q", "w_k", "k"):
        whole = figure(page, name).first.locator("thead span").evaluate_all(WHOLE)
        assert whole, name


def test_brackets_of_one_equation_stand_level(visit):
    page = visit(STORY)
    middles = {
        name: box[0][1] + box[0][3] / 2 for name in ("x", "w_q", "q") for box in [boxes(page, name, "td.bracket.left")]
    }
    assert max(middles.values()) - min(middles.values()) < 4


def test_a_cell_and_its_heads_say_what_they_are(visit):
    page = visit(STORY)
    asked = cell(page, "q", 4, 0)
    expect(asked).to_have_attribute("title", "it, looks for somebody\nQ = 3")
    q = figure(page, "q").first
    expect(q.get_by_role("columnheader", name="looks for somebody", exact=True)).to_have_count(1)
    expect(q.get_by_role("rowheader", name="it", exact=True)).to_have_count(1)


def test_where_columns_have_no_names_a_cell_says_its_token_alone(visit):
    page = visit("/queries_keys_values?example=hand")
    expect(cell(page, "q", 0, 1)).to_have_attribute("title", "cats\nQ = -1")
    expect(cell(page, "w_q", 0, 1)).to_have_attribute("title", "W^Q = 1")


def test_an_edit_keeps_the_names(visit):
    page = visit(STORY)
    target = cell(page, "w_q", 0, 0)
    target.focus()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    settle(page)
    expect(target).to_have_attribute("title", "alive, looks for somebody\nW^Q = 7\nwas 0")
    expect(figure(page, "w_q").first.locator("thead span").first).to_have_text("looks for somebody")
