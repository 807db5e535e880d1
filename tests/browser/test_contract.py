"""What every page owes a visitor's browser."""

import pytest
from playwright.sync_api import expect

from browser.equation import astray, cell, until
from browser.test_accessibility import faults, in_theme
from browsing import resized, settled
from pages.shared.controls import controls_of
from pagesutil import KINDS
from serving import PAGES

every_page = pytest.mark.parametrize("page_file", PAGES, ids=lambda page: page.name)
X = "x=1,0,0,2,0;1,5,1,0,0;0,1,0,1,1"  # “hand” with 5 in the second row
EDITED = {  # what a link adds to the address of a page, and a matrix's second number in its second row then
    "home": (f"?example=hand&{X}", "x", "5"),
    "queries_keys_values": (f"?example=hand&{X}", "x", "5"),
    "attention": (f"?step=3&example=hand&{X}", "x", "5"),
    "softmax_axes": (f"?example=hand&{X}", "scaled", "−4"),
}
NOTHING_SAID = {None, "", "Vega visualization"}  # the last is what Vega puts where a chart has no description
LATE_CHARTS = 5_000  # milliseconds in which a chart has found its new width
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
FITS_ITS_WIDTH = """
[document.documentElement, document.querySelector('[data-testid="stMain"]')]
  .every((box) => box.scrollWidth === box.clientWidth)
"""
# Choices that go on beyond their edge, and what lies under the button that opens the menu.
CUT = """
() => {
  const main = document.querySelector('[data-testid="stMain"]')
  const menu = document.querySelector('[data-testid="stExpandSidebarButton"]').getBoundingClientRect()
  const beside = (box) => box.left >= menu.right || box.right <= menu.left
  const under = (box) => !beside(box) && box.top < menu.bottom && box.bottom > menu.top
  const groups = [...main.querySelectorAll('[role="radiogroup"]')]
  const written = [...main.querySelectorAll("h1, p, button, [role=combobox]")]
  return [
    groups.filter((group) => group.scrollWidth > group.clientWidth + 1).map((group) => group.textContent),
    written.filter((element) => under(element.getBoundingClientRect())).map((element) => element.textContent),
  ]
}
"""
# Where the first matrix ends, or its second row, and where the screen does.
FIRST_ROWS = """
() => {
  const roots = [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].map((e) => e.shadowRoot)
  const figure = roots.filter(Boolean).map((root) => root.querySelector("figure")).find(Boolean)
  const rows = [...figure.querySelectorAll("tr:has(td.cell)")].slice(0, 2)
  return [rows.at(-1).getBoundingClientRect().bottom, innerHeight]
}
"""
PICTURE_FIRST = {"home", "cross_attention", "your_sentence", "spot_the_bug", "real_heads"}  # or the code of an exhibit


@every_page
def test_opens_on_a_phone_as_the_first_request_of_a_fresh_server_as_its_link_says(page_file, visit, fresh_server):
    query, matrix, shown = EDITED.get(page_file.name, ("", "", ""))
    page = visit(page_file.url + query, server=fresh_server(), **PHONE)
    assert page.locator("h1").count() == 1
    page.wait_for_function(FITS_ITS_WIDTH, timeout=LATE_CHARTS)
    assert page.evaluate(CUT) == [[], []]
    if page_file.name not in PICTURE_FIRST:
        bottom, screen = page.evaluate(FIRST_ROWS)
        assert bottom <= screen, "the first equation is below the first screen"
    if matrix:
        expect(cell(page, matrix, 1, 1)).to_have_text(shown)
        expect(page.get_by_text("Changed from the example.")).to_be_visible()


@every_page
def test_every_view_can_be_read_by_all_fits_a_phone_and_shows_arithmetic_beside_its_cell(page_file, visit):
    """One visit answers for all views: in the dark at a desk, in the light on a phone.

    What is asked changes nothing but the selected cell.
    """
    page = visit(page_file.url, dark=True, **DESK)
    for view in every_view(page, page_file):
        assert faults(page) == [], view
        charts = page.get_by_test_id("stVegaLiteChart").all()
        assert not {chart.get_attribute("aria-label") for chart in charts} & NOTHING_SAID, view
        all_cards_stand_beside_their_cells(page)
    resized(in_theme(page, "light"), **PHONE)
    for view in every_view(page, page_file):
        page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
        page.wait_for_function(FITS_ITS_WIDTH, timeout=LATE_CHARTS)
        assert page.evaluate(CUT) == [[], []], view
        assert faults(page) == [], view
        all_cards_stand_beside_their_cells(page)


def every_view(page, page_file):
    """Choose one view of a page after the other, with no cell selected."""
    looks = list(getattr(controls_of(KINDS[page_file.name]).get("look"), "options", [None]))
    for number, look in enumerate(looks):
        page.keyboard.press("Escape")
        if len(looks) > 1:
            page.get_by_role("radiogroup", name="What to look at").get_by_role("radio").nth(number).click()
        settled(page)
        yield look


def all_cards_stand_beside_their_cells(page):
    """Click the first cell that is given, and a middle and the last of what is computed."""
    for kind, share in (("figure.editable", 0), ("figure:not(.editable)", 0.5), ("figure:not(.editable)", 1)):
        found = page.locator(f"{kind} td.cell:visible")
        if count := found.count():
            target = found.nth(round(share * (count - 1)))
            target.click()
            settled(page, quiet=120)  # a chart that comes late moves what is clicked next
            until(page, lambda target=target: astray(target), "")
