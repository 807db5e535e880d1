"""An equation never breaks in its middle. It becomes smaller, but still readable, or it breaks after its sign.

Also large matrices, and phones.
"""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core.examples import example
from browser.equation import (
    address_query,
    cell,
    figure,
    lights_of_cells,
    link_text,
    numbers,
    type_over,
    until,
    until_numbers,
    until_query,
)
from browsing import more_tools, new_tab, resize, settle
from serving import ROOT, serve

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
  const ends = (sign) => sign.classList.contains("arrow") || /[=,]/.test(sign.textContent)
  for (const line of lines) {
    const items = line.querySelector(".items")
    const terms = [...items.querySelectorAll(".term")]
    const starts = terms.filter((term, i) => i > 0 && box(term).left < box(terms[i - 1]).right - 1)
    const befores = starts.map((term) => terms[terms.indexOf(term) - 1].lastElementChild)
    const found = {
      "breaks in its middle": !befores.every(ends),
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
def test_an_equation_breaks_after_its_sign_or_not_at_all(path, visit):
    page = visit(path, width=1280, height=800)
    for layout, desks in DESKS.items():
        more_tools(page).get_by_role("radiogroup", name="Tokens are").get_by_role("radio", name=layout).click()
        page.keyboard.press("Escape")
        settle(page)
        for width in desks:
            resize(page, width, 800, quiet=50)
            until(page, lambda: faults_of_lines(page)[0], [])  # a busy browser needs a moment to fit the line
            assert faults_of_lines(page)[1] >= LEAST - 0.01


def test_a_product_stays_in_one_line(visit):
    page = visit("/queries_keys_values?example=story", width=1280, height=800)
    expect(page.get_by_test_id("stHeader")).to_be_visible()
    assert page.locator(".line.broken").count() == 0
    assert page.locator(".slides").evaluate_all(SCROLLS) == 0


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
    page = visit("/queries_keys_values?example=story&digits=8", width=1500, height=800)
    target = cell(page, "q", 0, 0)
    before = target.evaluate(SIZE)
    for column in range(4):
        type_over(cell(page, "w_q", 0, column), "-1234.56789")
    assert "w_q" in address_query(settle(page))
    assert faults_of_lines(page)[0] == []
    after = target.evaluate(SIZE)
    assert LEAST - 0.01 <= after < before
    assert faults_of_lines(resize(page, 1920, 800))[0] == []
    assert target.evaluate(SIZE) > after


def test_letters_that_come_late_and_are_wider_are_fitted(browser, server):
    page, held = new_tab(browser, server.url, width=1040, height=800, reduced_motion=True), []
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
    assert page.locator(".slides").evaluate_all(SCROLLS) > 0
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    assert (
        min(
            page.locator("td.cell").evaluate_all(
                "cells => cells.map((cell) => parseFloat(getComputedStyle(cell).fontSize))"
            )
        )
        > LEAST
    )


# A page without menu and bar: the largest matrix with cells, and a matrix that is a picture, computed from its rows.
SCRIPT = f"""
import sys
from dataclasses import dataclass

import numpy as np
import streamlit as st

sys.path.insert(0, {str(ROOT)!r})
from pages.shared import controls
from pages.shared.equation import Line, Matrix, equation
from pages.shared.frame.equipment import load
from pages.shared.site.page import page_named
from pages.shared.state import address, widgets

@dataclass(frozen=True, kw_only=True)
class Demo(controls.Parameters):
    grid: tuple = controls.matrix([[i - j for j in range(16)] for i in range(16)])

@st.fragment
def content():
    parameters = widgets.read_widgets().parameters
    grid = np.array(parameters.grid)
    labels = tuple(f"row {{i}}" for i in range(17))
    equation([
        Line((Matrix(
            id="grid", symbol="G", name="Grid", values=grid, editable=True, row_labels=labels[:16],
        ),)),
        Line((Matrix(
            id="image", symbol="I", name="Image", values=np.pad(grid, ((0, 1), (0, 1))), row_labels=labels,
            lights=("grid[i,:]",),
        ),)),
    ], key="demo", parameters=parameters)
    address.write_link()

address.read_link("demo", Demo)
load(page_named('scaling'))
content()
"""

GRID = np.subtract.outer(np.arange(16.0), np.arange(16.0))
PIXEL = "(canvas, [x, y]) => [...canvas.getContext('2d').getImageData(x, y, 1, 1).data].join()"
WIDE, HIGH = 12, 15  # pixels of a cell of the picture, whose rows have labels


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Give the tests a server for one page with a matrix of cells and a matrix that is a picture."""
    script = tmp_path_factory.mktemp("large") / "demo.py"
    script.write_text(SCRIPT, encoding="utf-8")
    with serve(script) as running:
        yield running


def test_a_matrix_of_16_by_16_has_cells_that_can_be_edited(demo, visit):
    page = visit("/", server=demo)
    assert figure(page, "grid").get_by_role("gridcell").count() == 256
    assert figure(page, "grid").locator("canvas").count() == 0
    until_numbers(page, "grid", GRID)
    type_over(cell(page, "grid", 15, 15), "7")
    after = GRID.copy()
    after[15, 15] = 7
    until(page, lambda: address_query(page).get("grid", "").endswith(",1,7"), True)
    assert (numbers(settle(page), "grid") == after).all()


def test_a_matrix_of_17_by_17_is_a_picture_that_arrow_keys_read_out(demo, visit):
    page = visit("/", server=demo)
    image = figure(page, "image")
    expect(image.get_by_role("gridcell")).to_have_count(0)
    canvas, readout = image.get_by_role("img", name="Image, 17 by 17, as a heatmap"), image.locator("output")
    canvas.focus()
    expect(readout).to_have_text("row 0, 1: 0")
    for key, says in [
        ("ArrowDown", "row 1, 1: 1"),
        ("ArrowRight", "row 1, 2: 0"),
        ("ArrowUp", "row 0, 2: −1"),
        ("ArrowLeft", "row 0, 1: 0"),
        ("ArrowLeft", "row 0, 1: 0"),  # the edge
        ("ArrowDown", "row 1, 1: 1"),
    ]:
        page.keyboard.press(key)
        expect(readout).to_have_text(says)
    assert _rows_read(page) == {1}

    page.keyboard.press("Enter")
    until(page, lambda: address_query(page).get("cell"), "image.1.0")
    page.keyboard.press("Escape")
    until(page, lambda: address_query(page), {})


def test_the_picture_follows_edits_and_the_mouse(demo, visit):
    page = visit("/", server=demo)
    canvas = figure(page, "image").locator("canvas")
    middle = [WIDE // 2, HIGH // 2]
    blank = canvas.evaluate(PIXEL, middle)
    type_over(cell(page, "grid", 0, 0), "15")
    until(page, lambda: canvas.evaluate(PIXEL, middle) != blank, True)
    canvas.hover(position={"x": 3.5 * WIDE, "y": 2.5 * HIGH})
    expect(figure(page, "image").locator("output")).to_have_text("row 2, 4: −1")
    assert _rows_read(page) == {2}
    canvas.click(position={"x": 3.5 * WIDE, "y": 2.5 * HIGH})
    until(page, lambda: address_query(page).get("cell"), "image.2.3")


def test_with_tokens_as_columns_a_point_of_the_picture_lights_what_it_reads(demo, visit):
    page = visit("/?layout=columns", server=demo)
    figure(page, "image").locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    until(page, lambda: _rows_read(page), {1})
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(figure(page, "image").locator("output")).to_have_text(re.compile("3.*−1"))
    assert _rows_read(page) == {1}


def _rows_read(page):
    lit = [(row, column) for name, row, column, light in lights_of_cells(page) if light == "read" and name == "grid"]
    rows = {row for row, _ in lit}
    assert len(lit) == 16 * len(rows)
    return rows


STEP = "/attention?example=hand&step=3"
X = example("hand").x
WIDTH = 390
PHONE_EQUATION_PHONE = {"width": WIDTH, "height": 844, "touch": True}
OVERFLOW = """
() => [document.documentElement, document.querySelector('[data-testid="stMain"]')]
  .map((box) => box.scrollWidth - box.clientWidth)
"""
A_MOMENT = 700  # milliseconds; a busy browser may take two faster touches for one gesture
STORY = "/queries_keys_values?example=story"
SCROLLED = "document.querySelector('[data-testid=\"stMain\"]').scrollTop"


def swipe(page, target, right, down):
    """Put a finger on a cell, move it by some pixels to the right and down, and lift it."""
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    finger = page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    touch("touchStart", (x, y))
    for part in range(1, 11):
        touch("touchMove", (x + right * part / 10, y + down * part / 10))
    touch("touchEnd")


@pytest.mark.parametrize("path", [STORY, f"{STORY}&layout=columns", "/multi_head?example=story"])
def test_names_beside_rows_and_above_columns_do_not_overflow(path, visit):
    assert visit(path, **PHONE_EQUATION_PHONE).evaluate(OVERFLOW) == [0, 0]


def test_every_cell_can_be_reached_and_nothing_overflows(visit):
    phone = visit("/attention?step=10&cell=concat.0.0", **PHONE_EQUATION_PHONE)
    assert phone.evaluate(OVERFLOW) == [0, 0]
    for name in ("heads.0", "concat", "w_o", "output"):
        last = figure(phone, name).last.locator("td.cell").last
        last.scroll_into_view_if_needed()
        box = last.bounding_box() or {}
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= WIDTH
        assert box["height"] >= 24  # the least height for a finger in WCAG 2.2 AA
        assert box["width"] >= 24


def test_a_tap_selects_and_a_second_one_edits(visit):
    phone = visit(STEP, **PHONE_EQUATION_PHONE)
    target = cell(phone, "x", 0, 3)
    target.tap()
    until_query(phone, example="hand", step="3", cell="x.0.3")
    target.tap()
    expect(target.locator("input")).to_be_focused()
    phone.keyboard.type("8")
    phone.keyboard.press("Enter")
    x = X.copy()
    x[0, 3] = 8
    until_query(phone, example="hand", step="3", cell="x.0.3", x=link_text(x))


def test_a_finger_scrubs_the_selected_number_and_scrolls_elsewhere(visit):
    phone = visit(STEP, **PHONE_EQUATION_PHONE)
    target = cell(phone, "x", 0, 3)
    target.tap()
    until(phone, lambda: address_query(phone).get("cell"), "x.0.3")
    swipe(phone, target, 40, 0)
    until(phone, lambda: address_query(phone).get("x", "")[:9], "1,0,0,3,0")
    phone.wait_for_timeout(A_MOMENT)
    before = phone.evaluate(SCROLLED)
    swipe(phone, cell(phone, "x", 0, 1), 3, -200)
    until(phone, lambda: phone.evaluate(SCROLLED) != before, True)
    x = X.copy()
    x[0, 3] = 3
    assert (numbers(settle(phone), "x") == x).all()
    until_numbers(phone, "q", x @ example("hand").w_q)
    assert address_query(phone)["x"] == link_text(x)


def test_the_formula_of_each_step_fits(visit):
    page = visit("/attention?example=columns&mask=causal", **PHONE_EQUATION_PHONE)
    for step in range(1, 11):
        page.get_by_role("radio", name=re.compile(f"^{step} ")).click()
        settle(page)
        wide = "formulas => formulas.filter((each) => each.scrollWidth > each.clientWidth).length"
        assert page.locator(".katex-display").evaluate_all(wide) == 0, step
