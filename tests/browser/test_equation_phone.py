"""Equations on a phone: nothing overflows, a tap selects, a second tap edits, and scrolling changes no number."""

import re

import pytest
from playwright.sync_api import expect

from attention_core.examples import example
from browser.equation import address_query, cell, figure, link_text, numbers, until, until_numbers, until_query
from browsing import settle

STEP = "/attention?example=hand&step=3"
X = example("hand").x
WIDTH = 390
PHONE = {"width": WIDTH, "height": 844, "touch": True}
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
    assert visit(path, **PHONE).evaluate(OVERFLOW) == [0, 0]


def test_every_cell_can_be_reached_and_nothing_overflows(visit):
    phone = visit("/attention?step=10&cell=concat.0.0", **PHONE)
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
    phone = visit(STEP, **PHONE)
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


def test_a_finger_scrubs_sideways_and_scrolls_upwards(visit):
    phone = visit(STEP, **PHONE)
    target = cell(phone, "x", 0, 3)
    swipe(phone, target, 40, 0)
    until(phone, lambda: address_query(phone).get("x", "")[:9], "1,0,0,7,0")
    phone.wait_for_timeout(A_MOMENT)
    target.tap()  # the drag before was no tap, and this is one
    until(phone, lambda: address_query(phone).get("cell"), "x.0.3")
    before = phone.evaluate(SCROLLED)
    swipe(phone, target, 3, -200)
    until(phone, lambda: phone.evaluate(SCROLLED) > before, True)
    x = X.copy()
    x[0, 3] = 7
    assert (numbers(settle(phone), "x") == x).all()
    until_numbers(phone, "q", x @ example("hand").w_q)
    assert address_query(phone)["x"] == link_text(x)


def test_the_formula_of_each_step_fits(visit):
    page = visit("/attention?example=columns&mask=causal", **PHONE)
    for step in range(1, 11):
        page.get_by_role("radio", name=re.compile(f"^{step} ")).click()
        settle(page)
        wide = "formulas => formulas.filter((each) => each.scrollWidth > each.clientWidth).length"
        assert page.locator(".katex-display").evaluate_all(wide) == 0, step
