"""Helpers for tests of equations: find cells, read numbers, highlights, the link and the arithmetic, and edit cells."""

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from numpy.typing import ArrayLike
from playwright.sync_api import Locator, Page, expect

from browsing import SETTLE_LIMIT

expect.set_options(timeout=SETTLE_LIMIT)  # because a busy machine is not an error

Place = tuple[str, int, int]  # a matrix, a row and a column, as in links

LIT = """
cells => cells.map(cell => {
  const light = ["self", "read"].filter(name => cell.classList.contains(name)).join(" ")
  return [cell.closest("figure").dataset.id, Number(cell.dataset.row), Number(cell.dataset.column), light]
})
"""
# Returns what is wrong with the place of a cell's card, in words, or an empty text.
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
NUMBERS = "cells => cells.map(({ dataset, title }) => [dataset.row, dataset.column, title.match(/= (.*)/)[1]])"


def figure(page: Page, name: str) -> Locator:
    """Return every drawing of the matrix `name` on the page."""
    return page.locator(f'figure[data-id="{name}"]')


def cell(page: Page, name: str, row: int, column: int) -> Locator:
    """Return a cell of the first drawing of a matrix."""
    return cells(page, name, row, column).first


def cells(page: Page, name: str, row: int, column: int) -> Locator:
    """Return a cell in every drawing of a matrix."""
    return figure(page, name).locator(f'td[data-row="{row}"][data-column="{column}"]')


def lights_of_cells(page: Page) -> list[tuple[str, int, int, str]]:
    """Return every cell of the page with its highlight.

    The highlight is "self" for the cell under the pointer, "read" for the cells that it is computed from, or "".
    """
    return [tuple(lit) for lit in page.locator("td.cell").evaluate_all(LIT)]


def expected_lights(page: Page, self: Place, read: Callable[[str, int, int], bool]) -> list[tuple[str, int, int, str]]:
    """Return what `lights_of_cells` must return while the pointer is on the cell `self`.

    `read` says whether this cell is computed from the cell with a name, a row and a column.
    """
    places = [(name, row, column) for name, row, column, _ in lights_of_cells(page)]
    return [(*place, "self" if place == self else "read" if read(*place) else "") for place in places]


def numbers(page: Page, name: str) -> np.ndarray:
    """Return the numbers of a matrix with all their digits. Tokens are rows, however the page shows them."""
    read = figure(page, name).first.locator("td.cell").evaluate_all(NUMBERS)
    rows = {int(row): {} for row, _, _ in read}
    for row, column, value in read:
        rows[int(row)][int(column)] = float(value)
    return np.array([[rows[r][c] for c in sorted(rows[r])] for r in sorted(rows)])


def address_query(page: Page) -> dict[str, str]:
    """Return the present parameters in the address of a page."""
    return dict(parse_qsl(urlsplit(page.evaluate("location.href")).query))


def link_text(rows: ArrayLike) -> str:
    """Return a matrix as a text in the form that links use."""
    return ";".join(",".join(f"{value:.15g}" for value in row) for row in np.atleast_2d(rows))


def until(page: Page, read: Callable[[], Any], expected: Any) -> None:
    """Wait until `read()` returns `expected`. Arrays may differ in the ninth decimal. Fail if this takes too long."""
    deadline = time.monotonic() + SETTLE_LIMIT / 1000
    while not _equal(read(), expected) and time.monotonic() < deadline:
        page.wait_for_timeout(25)
    if isinstance(expected, np.ndarray):
        np.testing.assert_allclose(read(), expected, atol=1e-9)
    assert _equal(read(), expected), f"{read()} is not {expected}"


def _equal(one: Any, other: Any) -> bool:
    if isinstance(other, np.ndarray):
        return np.shape(one) == other.shape and np.allclose(one, other, rtol=0, atol=1e-9)
    return one == other


def until_numbers(page: Page, name: str, expected: ArrayLike) -> None:
    """Wait until a matrix shows these numbers."""
    until(page, lambda: numbers(page, name), np.asarray(expected, dtype=float))


def until_query(page: Page, **expected: str) -> None:
    """Wait until the address has exactly these parameters."""
    until(page, lambda: address_query(page), expected)


def type_over(target: Locator, text: str, last: str = "Enter") -> None:
    """Edit a cell as a visitor does: focus the cell, type a text, and press the key `last`."""
    target.focus()
    target.page.keyboard.type(text)
    target.page.keyboard.press(last)


def paste(target: Locator, text: str) -> None:
    """Paste a text at a cell, through the clipboard."""
    target.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    target.focus()
    target.page.keyboard.press("Control+v")


def clipboard(page: Page) -> str:
    """Return the text in the clipboard."""
    return page.evaluate("navigator.clipboard.readText()")


def focused_cell(page: Page) -> Place | None:
    """Return the matrix, the row and the column of the cell with the focus, or None."""
    place = page.locator("td.cell:focus").evaluate_all(LIT)
    return (place[0][0], place[0][1], place[0][2]) if place else None


def arithmetic(page: Page) -> Locator:
    """Return the card beside the selected cell, which shows the arithmetic of this cell."""
    return page.locator(".st-key-arithmetic")


def card_formula(page: Page) -> str:
    """Return the LaTeX of the card with single spaces and without signs for its lines, or "" if there is none."""
    written = " ".join(arithmetic(page).locator("annotation").all_text_contents())
    return " ".join(written.replace(r"\nobreak", "").split())


def card_place_fault(target: Locator) -> str:
    """Return what is wrong with the place of a cell's card, or "" if nothing is wrong."""
    return target.evaluate(ASTRAY)
