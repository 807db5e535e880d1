"""Editing numbers: a visitor types or drags them, numbers that depend on them change, and every edit can be undone."""

import numpy as np
from playwright.sync_api import Page, expect

from attention_core.examples import example
from browser.equation import (
    Place,
    address_query,
    cell,
    figure,
    link_text,
    numbers,
    type_over,
    until,
    until_numbers,
    until_query,
)
from browsing import settle

HAND = example("hand")
STEP = "/attention?example=hand&step=3"  # X · W^Q = Q and so on: X is drawn three times


def edited_x(*changes: tuple[int, int, float]) -> np.ndarray:
    """Return the X of the example with some numbers changed. Each change is a row, a column and a value."""
    x = HAND.x.copy()
    for row, column, value in changes:
        x[row, column] = value
    return x


def until_x(page: Page, x: np.ndarray, **more: str) -> None:
    """Wait until X has the numbers `x` in the browser and in the link, and q, k and v have the numbers that follow."""
    expected = {} if (x == HAND.x).all() else {"x": link_text(x)}
    until_query(page, example="hand", step="3", **expected, **more)
    trace = HAND.with_matrices({"x": x}).attention()
    for name in ("x", "q", "k", "v"):
        until_numbers(page, name, getattr(trace, name))


def changed_cells(page: Page, name: str) -> dict[tuple[int, int], float]:
    told = "cells => cells.map(({ dataset, title }) => [dataset.row, dataset.column, title.match(/was (.*)/)[1]])"
    return {
        (int(r), int(c)): float(was) for r, c, was in figure(page, name).first.locator(".changed").evaluate_all(told)
    }


def old_numbers(before: np.ndarray, after: np.ndarray) -> dict[tuple[int, int], float]:
    """Return the old number of each cell that differs between two matrices, by its row and its column."""
    return {(int(r), int(c)): float(before[r, c]) for r, c in np.argwhere(before != after)}


def drag(page: Page, place: Place, pixels: int) -> None:
    """Drag the cell at `place` (matrix, row, column) sideways by some pixels, in small steps, as a hand does."""
    box = cell(page, *place).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + pixels, y, steps=24)
    page.mouse.up()


def test_a_number_typed_changes_all_that_depends_on_it_and_marks_it(visit):
    page = visit(STEP)
    type_over(cell(page, "x", 1, 0), "-2.5")
    x = edited_x((1, 0, -2.5))
    until_x(page, x)
    assert figure(page, "x").locator('td[data-row="1"][data-column="0"]').all_text_contents() == ["−2.5"] * 3

    before, after = HAND.attention(), HAND.with_matrices({"x": x}).attention()
    for name in ("x", "q", "k", "v"):
        was, now = getattr(before, name), getattr(after, name)
        assert changed_cells(page, name) == old_numbers(was, now)
        assert (was != now).any()
        assert (was == now).any()
    assert figure(page, "w_q").locator(".changed").count() == 0

    cell(page, "q", 1, 0).click()  # an action that is no edit
    until_x(page, x, cell="q.1.0")
    assert changed_cells(settle(page), "x") == {(1, 0): 1}  # the cell is still marked with its old number


def test_an_edit_is_one_step_of_undo_by_key_and_by_button(visit):
    page = visit(STEP)
    target = cell(page, "x", 0, 0)
    undo, redo, back = (page.get_by_role("button", name=name) for name in ("Undo", "Redo", "Back to the example"))
    for button in (undo, redo, back):
        expect(button).to_be_disabled()
    for value in (5, 6):
        type_over(target, str(value))
        until_x(page, edited_x((0, 0, value)))

    page.keyboard.press("Control+z")
    until_x(page, edited_x((0, 0, 5)))
    page.keyboard.press("Control+z")
    until_x(page, HAND.x)
    expect(undo).to_be_disabled()
    page.keyboard.press("Control+y")
    until_x(page, edited_x((0, 0, 5)))
    page.keyboard.press("Control+Shift+Z")
    until_x(page, edited_x((0, 0, 6)))
    expect(redo).to_be_disabled()

    undo.click()
    until_x(page, edited_x((0, 0, 5)))
    redo.click()
    until_x(page, edited_x((0, 0, 6)))
    back.click()
    until_x(page, HAND.x)
    undo.click()
    until_x(page, edited_x((0, 0, 6)))


def test_a_drag_scrubs_and_is_one_step_of_undo(visit):
    page = visit(STEP)
    drag(page, ("x", 0, 3), 40)
    until_x(page, edited_x((0, 3, 7)))  # 2 and 40 pixels, 8 a step
    drag(page, ("x", 0, 3), -96)
    until_x(page, edited_x((0, 3, -5)))
    assert "cell" not in address_query(page)  # a drag is not a click
    cell(page, "x", 0, 3).focus()
    page.keyboard.press("Control+z")
    until_x(page, edited_x((0, 3, 7)))
    page.keyboard.press("Control+z")
    until_x(page, HAND.x)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_edits_in_rapid_succession_all_arrive(visit):
    page = visit(STEP)
    cell(page, "x", 0, 0).focus()
    for key in ["4", "Tab", "5", "Tab", "6", "ArrowDown", "7", "Enter", "Alt+ArrowUp", "Alt+ArrowUp"]:
        page.keyboard.press(key)
    until_x(page, edited_x((0, 0, 4), (0, 1, 5), (0, 2, 6), (1, 2, 9)))


def test_an_edit_of_an_example_that_was_left_changes_nothing(visit):
    page = visit(STEP)
    page.get_by_role("combobox", name="Example").click()
    page.evaluate(
        """
        () => {  // right behind the choice of another example, before the answer, comes an edit of this one
          const send = WebSocket.prototype.send
          const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean)
          const cell = roots.map((root) => root.querySelector('figure[data-id="x"] td.cell')).find(Boolean)
          WebSocket.prototype.send = function (...message) {
            WebSocket.prototype.send = send
            send.apply(this, message)
            cell.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", altKey: true, bubbles: true }))
            window.nudged = cell.textContent
          }
        }
        """
    )
    page.get_by_role("option", name=example("book").title).click()
    until_numbers(page, "x", example("book").x)
    assert page.evaluate("window.nudged") == "2"  # the browser made the edit, on the number 1 of the example before
    assert address_query(settle(page)) == {"step": "3", "example": "book"}
    until(page, lambda: numbers(page, "q").tolist(), example("book").attention().q.tolist())

    type_over(cell(page, "x", 0, 0), "3")  # an edit of the new example works
    until(page, lambda: address_query(page).get("x", "")[:2], "3,")
