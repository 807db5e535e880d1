"""Equations by keyboard alone: reach a cell, move, edit, select and copy; and what happens after a wrong entry."""

import re

from playwright.sync_api import Locator, Page, expect

from attention_core.examples import example
from browser.equation import (
    address_query,
    cell,
    clipboard,
    figure,
    focused_cell,
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


def test_keys_change_a_number_by_1_or_by_a_tenth_without_drift(visit):
    page = visit(f"{STEP}&x={link_text([[0, 0, 0, 0, 0]] * 3)}")
    target = cell(page, "x", 2, 2)
    target.focus()
    for key in ["ArrowUp", "ArrowUp", "ArrowDown"]:
        page.keyboard.press(f"Alt+{key}")
    until(page, lambda: numbers(page, "x")[2, 2], 1)
    type_over(target, "0.1")
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
