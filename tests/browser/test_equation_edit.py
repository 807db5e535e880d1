"""Editing numbers: a visitor types or drags them, numbers that depend on them change, and every edit can be undone.

Also pasting.
"""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attention_core.examples import example
from browser.equation import (
    Place,
    address_query,
    cell,
    clipboard,
    figure,
    link_text,
    numbers,
    paste,
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
    until_x(page, edited_x((0, 3, 3)))  # 2 and 40 pixels, a tenth for 4 of them
    drag(page, ("x", 0, 3), -96)
    until_x(page, edited_x((0, 3, 0.6)))
    assert "cell" not in address_query(page)  # a drag is not a click
    cell(page, "x", 0, 3).focus()
    page.keyboard.press("Control+z")
    until_x(page, edited_x((0, 3, 3)))
    page.keyboard.press("Control+z")
    until_x(page, HAND.x)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_edits_in_rapid_succession_all_arrive(visit):
    page = visit(STEP)
    cell(page, "x", 0, 0).focus()
    for key in ["4", "Tab", "5", "Tab", "6", "ArrowDown", "7", "Enter", "Alt+ArrowUp", "Alt+ArrowUp"]:
        page.keyboard.press(key)
    until_x(page, edited_x((0, 0, 4), (0, 1, 5), (0, 2, 6), (1, 2, 7.2)))


def test_an_edit_of_an_example_that_was_left_changes_nothing(visit):
    page = visit(STEP)
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
    page.get_by_role("combobox", name="Example").select_option("book")
    until_numbers(page, "x", example("book").x)
    assert page.evaluate("window.nudged") == "1.1"  # the browser made the edit, on the number 1 of the example before
    assert address_query(settle(page)) == {"step": "3", "example": "book"}
    until(page, lambda: numbers(page, "q").tolist(), example("book").attention().q.tolist())

    type_over(cell(page, "x", 0, 0), "3")  # an edit of the new example works
    until(page, lambda: address_query(page).get("x", "")[:2], "3,")


X = example("hand").x

# What is pasted at row 1, column 2 of X, and the block that it stands for.
TAKEN = {
    "spreadsheet": ("1.5\t-2\n3\t4e-1\n", [[1.5, -2], [3, 0.4]]),
    "CSV with Windows lines": ("5, 6, 7\r\n8, 9, 10\r\n", [[5, 6, 7], [8, 9, 10]]),
    "semicolons": ("1;2\n3;4", [[1, 2], [3, 4]]),
    "print(array)": ("[[1. 2.]\n [3. 4.]]", [[1, 2], [3, 4]]),
    "print(array) with signs": ("[[ 1.25e+00 -2.00e-01]\n [-3.00e+00  4.00e+00]]", [[1.25, -0.2], [-3, 4]]),
    "repr(array)": ("array([[1, 2], [3, 4]])", [[1, 2], [3, 4]]),
    "repr(array) with its type": ("array([[-7.,  8.],\n       [ 9., 10.]], dtype=float32)", [[-7, 8], [9, 10]]),
    "a Python list": ("[[2, 3], [4, 5]]", [[2, 3], [4, 5]]),
    "one row of an array": ("[6 7 8]", [[6, 7, 8]]),
    "a true minus sign": ("−1\t−2.5\n+3\t1/4", [[-1, -2.5], [3, 0.25]]),
    "spaces": ("1 2 3", [[1, 2, 3]]),
    "one number": ("8\n", [[8]]),
}

# What is refused, and what the message must name: the rule, what came, the remedy.
REFUSED = {
    "1\t2\t3\t4": ["must fit", "1×4", "2×3", "further up and left"],
    "1\n2\n3": ["must fit", "3×1", "2×3", "copy less"],
    "1\t2\n3": ["equally long", "2, 1", "Add or remove numbers"],
    "abc": ["one number", "“abc”", "Type 2"],
    "1\t2\n3\tx": ["Row 2, column 2", "one number", "“x”"],
    "1,5;2,5": ["Row 1, column 1", "one number", "“1,5”"],  # decimal commas are not two numbers
    "\t2\n3\t4": ["Row 1, column 1", "this cell is empty"],  # a blank cell is not skipped
    "1\tinf": ["Row 1, column 2", "“inf”"],
    "2 1e9": ["Row 1, column 2", "1e9", "range"],
    "(1, 2)": ["square brackets", "(1, 2)"],
}


def test_a_pasted_block_begins_at_the_cell(visit):
    page = visit(STEP)
    for text, block in TAKEN.values():
        x = X.copy()
        x[1 : 1 + len(block), 2 : 2 + len(block[0])] = block
        paste(cell(page, "x", 1, 2), text)
        until_query(page, example="hand", step="3", x=link_text(x))
        until_numbers(page, "x", x)
        until_numbers(page, "q", x @ example("hand").w_q)
        expect(page.get_by_role("alert").filter(has_text="cell")).to_have_count(0)
        page.keyboard.press("Control+z")  # the whole block is one step
        until_query(page, example="hand", step="3")
        until_numbers(page, "x", X)


def test_a_block_that_does_not_fit_is_refused_with_its_reason(visit):
    page = visit(STEP)
    target = cell(page, "x", 1, 2)
    message = figure(page, "x").first.get_by_role("alert")
    for text, said in REFUSED.items():
        paste(target, text)
        for part in said:
            expect(message).to_contain_text(part)
        expect(target).to_have_class(re.compile(r"\binvalid\b"))
        assert numbers(settle(page), "x").tolist() == X.tolist()
        assert address_query(page) == {"example": "hand", "step": "3"}
    paste(target, "5")  # a correct entry removes the message
    expect(message).to_have_count(0)
    expect(page.locator(".invalid")).to_have_count(0)


def test_a_block_can_be_pasted_into_an_open_field(visit):
    page = visit(STEP)
    cell(page, "x", 0, 0).focus()
    page.keyboard.type("8")  # the pasted block replaces this entry
    page.evaluate("navigator.clipboard.writeText('[[3 4]\\n [5 6]]')")
    page.keyboard.press("Control+v")
    x = X.copy()
    x[:2, :2] = [[3, 4], [5, 6]]
    until_numbers(page, "x", x)
    until_query(page, example="hand", step="3", x=link_text(x))
    expect(page.locator("td.cell input, .problem")).to_have_count(0)


def test_a_transposed_matrix_takes_a_block_as_it_is_shown(visit):
    page = visit("/queries_keys_values?example=hand&layout=columns")
    paste(cell(page, "x", 0, 1), "7\t8\n9\t10")  # shown upright: rows 1 and 2 of X^T, columns of token 1 and 2
    x = X.copy()
    x[0:2, 1:3] = np.transpose([[7, 8], [9, 10]])
    until_numbers(page, "x", x)


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_matrix_is_copied_in_three_formats(by, visit):
    page = visit(STEP)
    type_over(cell(page, "x", 0, 1), "-0.125")
    x = X.copy()
    x[0, 1] = -0.125
    until_numbers(page, "q", x @ example("hand").w_q)
    menu = figure(page, "q").locator("summary")
    copied = {}
    for place, name in enumerate(("NumPy", "TSV", "LaTeX"), start=1):
        if by == "mouse":
            menu.click()
            figure(page, "q").get_by_role("button", name=name).click()
        else:
            menu.focus()
            for key in ["Enter", *["Tab"] * place, "Enter"]:
                page.keyboard.press(key)
            expect(menu).to_be_focused()  # the next Tab goes on from here
        until(page, lambda: clipboard(page) not in copied.values(), True)
        copied[name] = clipboard(page)

    q = x @ example("hand").w_q
    np.testing.assert_array_equal(eval(copied["NumPy"], {"np": np}), q)
    assert [[float(part) for part in line.split("\t")] for line in copied["TSV"].split("\n")] == q.tolist()
    assert copied["LaTeX"].startswith("\\begin{bmatrix}\n")
    assert copied["LaTeX"].endswith("\n\\end{bmatrix}")
    rows = copied["LaTeX"].split("\n")[1:-1]
    assert [[float(part) for part in row.removesuffix("\\\\").split("&")] for row in rows] == q.tolist()
