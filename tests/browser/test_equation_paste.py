"""Blocks of numbers are pasted from a spreadsheet, a file or a print-out, and copied as NumPy, TSV or LaTeX."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core.examples import example
from browser.equation import (
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

STEP = "/attention?example=hand&step=3"
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
