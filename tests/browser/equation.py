"""The equations of a page in the words of the tests: places, numbers, light, the link, the arithmetic."""

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
# What is wrong with the place of a cell's card, in words, or nothing.
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
    """Every drawing of a matrix on the page."""
    return page.locator(f'figure[data-id="{name}"]')


def cell(page: Page, name: str, row: int, column: int) -> Locator:
    """A cell of the first drawing of a matrix."""
    return cells(page, name, row, column).first


def cells(page: Page, name: str, row: int, column: int) -> Locator:
    """A cell in every drawing of a matrix."""
    return figure(page, name).locator(f'td[data-row="{row}"][data-column="{column}"]')


def lights(page: Page) -> list[tuple[str, int, int, str]]:
    """Every cell of the page with its light: "self", "read" or nothing."""
    return [tuple(lit) for lit in page.locator("td.cell").evaluate_all(LIT)]


def lit_by(page: Page, self: Place, read: Callable[[str, int, int], bool]) -> list[tuple[str, int, int, str]]:
    """The expected result of `lights` while the pointer is on `self`.

    `read` says whether it is computed from a cell.
    """
    places = [(name, row, column) for name, row, column, _ in lights(page)]
    return [(*place, "self" if place == self else "read" if read(*place) else "") for place in places]


def numbers(page: Page, name: str) -> np.ndarray:
    """The numbers of a matrix with all their digits, in the order in which they are stored."""
    read = figure(page, name).first.locator("td.cell").evaluate_all(NUMBERS)
    rows = {int(row): {} for row, _, _ in read}
    for row, column, value in read:
        rows[int(row)][int(column)] = float(value)
    return np.array([[rows[r][c] for c in sorted(rows[r])] for r in sorted(rows)])


def query(page: Page) -> dict[str, str]:
    """The present query of the address."""
    return dict(parse_qsl(urlsplit(page.evaluate("location.href")).query))


def link_text(rows: ArrayLike) -> str:
    """A matrix as the link writes it."""
    return ";".join(",".join(f"{value:.15g}" for value in row) for row in np.atleast_2d(rows))


def until(page: Page, read: Callable[[], Any], expected: Any) -> None:
    """Wait until `read` returns what is expected, to nine decimals."""
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
    """Wait until the address has exactly this query."""
    until(page, lambda: query(page), expected)


def type_over(target: Locator, text: str, last: str = "Enter") -> None:
    """Edit a cell as a visitor does: focus it, type, end."""
    target.focus()
    target.page.keyboard.type(text)
    target.page.keyboard.press(last)


def paste(target: Locator, text: str) -> None:
    """Paste a text at a cell, through the clipboard."""
    target.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    target.focus()
    target.page.keyboard.press("Control+v")


def clipboard(page: Page) -> str:
    return page.evaluate("navigator.clipboard.readText()")


def focused(page: Page) -> Place | None:
    """The cell that has the focus."""
    place = page.locator("td.cell:focus").evaluate_all(LIT)
    return (place[0][0], place[0][1], place[0][2]) if place else None


def arithmetic(page: Page) -> Locator:
    """The card beside the selected cell, which has its arithmetic."""
    return page.locator(".st-key-arithmetic")


def formula(page: Page) -> str:
    """The LaTeX of the card, with single spaces, or an empty text if there is none."""
    return " ".join(" ".join(arithmetic(page).locator("annotation").all_text_contents()).split())


def astray(target: Locator) -> str:
    """What is wrong with the place of a cell's card."""
    return target.evaluate(ASTRAY)
