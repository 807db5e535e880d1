"""An equation never breaks in its middle. It becomes smaller, but still readable, or it breaks before its sign."""

import re

import pytest
from playwright.sync_api import expect

from browser.equation import address_query, cell, figure, type_over, until
from browsing import new_tab, resize, settle

LEAST = 11  # pixels of a number
DESKS = {"Columns": (1280,), "Rows": (1280, 1440, 1920)}
PHONE = {"width": 390, "height": 844}
PATHS = [
    "/?example=story",
    "/attention?example=story&step=4",
    "/attention?example=wide&step=8",
    "/queries_keys_values?example=story",
    "/multi_head?example=story",
    "/multi_head?example=translation",
    "/cross_attention?example=story",
    "/softmax_axes?example=story",
]
# Returns what is wrong with the lines of equations, in words, and the smallest size of a number.
LINES = """
(lines) => {
  const [wrong, sizes] = [[], []]
  const box = (each) => each.getBoundingClientRect()
  const begins = (sign) => sign && (sign.classList.contains("arrow") || sign.textContent.includes("="))
  for (const line of lines) {
    const items = line.querySelector(".items")
    const terms = [...items.querySelectorAll(".term")]
    const starts = terms.filter((term, i) => i > 0 && box(term).left < box(terms[i - 1]).right - 1)
    const found = {
      "breaks in its middle": !starts.every((term) => begins(term.querySelector(":scope > .sign"))),
      "is not aligned": new Set(starts.map((term) => Math.round(box(term).left))).size > 1,
      "is too wide": Math.max(...terms.map((term) => box(term).right)) > box(items).right + 1,
    }
    const name = [...line.querySelectorAll("figure")].map((each) => each.dataset.id).join(" ")
    wrong.push(...Object.keys(found).filter((each) => found[each]).map((each) => `${name} ${each}`))
    const read = items.querySelectorAll("td.cell, th:not(.repeats th)")
    sizes.push(...[...read].map((each) => parseFloat(getComputedStyle(each).fontSize)))
  }
  return [wrong, Math.min(...sizes)]
}
"""
SCROLLS = "boxes => boxes.filter((box) => box.scrollWidth > box.clientWidth + 1).length"
FIT = "line => line.style.getPropertyValue('--fit')"
SIZE = "cell => parseFloat(getComputedStyle(cell).fontSize)"
WORDS = "heads => heads.map((head) => [head.textContent, head.getBoundingClientRect().width > 8])"


def faults_of_lines(page):
    """Return what is wrong with the lines of equations on the page, and the smallest size of a number in pixels."""
    return page.locator(".line:visible").evaluate_all(LINES)


@pytest.mark.many
@pytest.mark.parametrize("path", PATHS)
def test_an_equation_breaks_before_its_sign_or_not_at_all(path, visit):
    page = visit(path, width=1280, height=800)
    for layout, desks in DESKS.items():
        page.get_by_role("radiogroup", name="Tokens are").get_by_role("radio", name=layout).click()
        settle(page)
        for width in desks:
            resize(page, width, 800, quiet=50)
            until(page, lambda: faults_of_lines(page)[0], [])  # a busy browser needs a moment to fit the line
            assert faults_of_lines(page)[1] >= LEAST - 0.01


def test_a_product_stays_in_one_line_with_the_menu_open(visit):
    page = visit("/queries_keys_values?example=story", width=1280, height=800)
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert page.locator(".line.broken").count() == 0
    assert page.locator(".scroll").evaluate_all(SCROLLS) == 0


def test_words_beside_rows_are_seen_once_in_a_line_and_heard_with_every_matrix(visit):
    page = visit("/queries_keys_values?example=story", width=1280, height=800)
    tokens = ["cat", "drank", "milk", "because", "it"]
    for name, seen in {"x": True, "q": False}.items():
        heads = figure(page, name).first.get_by_role("rowheader")
        assert heads.evaluate_all(WORDS) == [[token, seen] for token in tokens]
    heads = figure(resize(page, **PHONE), "q").first.get_by_role("rowheader")
    # On a phone, each matrix shows the labels of its own rows.
    until(page, lambda: heads.evaluate_all(WORDS), [[token, True] for token in tokens])


def test_longer_numbers_make_a_line_smaller_and_a_wider_window_larger(visit):
    page = visit("/queries_keys_values?example=story&digits=8", width=1280, height=800)
    target = cell(page, "q", 0, 0)
    before = target.evaluate(SIZE)
    for column in range(4):
        type_over(cell(page, "w_q", 0, column), "1234.56789")
    assert "w_q" in address_query(settle(page))
    assert faults_of_lines(page)[0] == []
    after = target.evaluate(SIZE)
    assert LEAST - 0.01 <= after < before
    assert faults_of_lines(resize(page, 1700, 800))[0] == []
    assert target.evaluate(SIZE) > after


def test_letters_that_come_late_and_are_wider_are_fitted(browser, server):
    page, held = new_tab(browser, server.url, width=1280, height=800, reduced_motion=True), []
    page.route(re.compile(r"\.woff2"), lambda route: held.append(route))
    page.goto("/?example=story", wait_until="commit")
    settle(page)
    line = page.locator(".line").first
    before = line.evaluate(FIT)
    assert held
    for route in held:
        route.continue_()
    page.unroute_all(behavior="wait")
    until(page, lambda: line.evaluate(FIT) != before, True)
    assert faults_of_lines(settle(page))[0] == []
    page.context.close()


def test_on_a_phone_a_wide_matrix_scrolls_inside_itself(visit):
    page = visit("/queries_keys_values?example=wide&look=look_up", **PHONE)
    assert page.locator(".scroll").evaluate_all(SCROLLS) > 0
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    assert (
        min(
            page.locator("td.cell").evaluate_all(
                "cells => cells.map((cell) => parseFloat(getComputedStyle(cell).fontSize))"
            )
        )
        > LEAST
    )
