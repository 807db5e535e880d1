"""What every page must do in a visitor's browser.

Also controls.
"""

import pytest
from playwright.sync_api import expect

from browser.equation import card_place_fault, cell, until
from browser.test_accessibility import faults, faults_of_colours, show_in_theme
from browsing import more_tools, open_in_menu, resize, settle
from pagesutil import looks_of
from serving import PAGES, PageFile

# This page has no views when it opens with this link, because its views belong to random weights.
TYPED = PageFile(script="pages/your_sentence/page.py", url="/your_sentence?source=typed", name="your_sentence")
WITHOUT_VIEWS = {"/your_sentence"}
every_page = pytest.mark.parametrize("page_file", [*PAGES, TYPED], ids=lambda page: page.url.strip("/") or page.name)
X = "x=1,0,0,2,0;1,5,1,0,0;0,1,0,1,1"  # “hand” with 5 in the second row
EDITED = {  # by page: what a link adds to its address, a matrix, and the number then in row 2, column 2
    "home": (f"?example=hand&{X}", "x", "5"),
    "queries_keys_values": (f"?example=hand&{X}", "x", "5"),
    "attention": (f"?step=3&example=hand&{X}", "x", "5"),
    "softmax_axes": (f"?example=hand&{X}", "scaled", "−4"),
}
FRESH = ("home", "attention")
# The first given cell, a middle cell of the computed matrices, and the last one.
CELLS = (("figure.editable", 0), ("figure:not(.editable)", 0.5), ("figure:not(.editable)", 1))
NOTHING_SAID = {None, "", "Vega visualization"}  # Vega writes the last one if a chart has no description
LATE_CHARTS = 5_000  # milliseconds in which a chart has found its new width
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
FITS_ITS_WIDTH = """
[document.documentElement, document.querySelector('[data-testid="stMain"]')]
  .every((box) => box.scrollWidth === box.clientWidth)
"""
# Groups of options that are cut off, and texts under the button that opens the menu.
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
# Where the second row of the first matrix ends, and where the screen ends.
FIRST_ROWS = """
() => {
  const roots = [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].map((e) => e.shadowRoot)
  const figure = roots.filter(Boolean).map((root) => root.querySelector("figure")).find(Boolean)
  const rows = [...figure.querySelectorAll("tr:has(td.cell)")].slice(0, 2)
  return [rows.at(-1).getBoundingClientRect().bottom, innerHeight]
}
"""
PICTURE_FIRST = {
    "home",
    "cross_attention",
    "your_sentence",
    "spot_the_bug",
    "real_heads",
    "path",
    "room",
}  # these begin with a picture, the code of an exhibit, or the field for a code
NO_EQUATION = {"lecturers"}


@pytest.mark.parametrize("page_file", [page for page in PAGES if page.name in FRESH], ids=lambda page: page.name)
def test_the_first_request_of_a_fresh_server_is_answered_as_its_link_says(page_file, visit, fresh_server):
    """Check that the page shows the number in its link on the first request.

    Two pages are enough, because `test_crowd.py` opens all pages of a fresh server at the same moment.
    """
    check_edit_of_link(visit(page_file.url + EDITED[page_file.name][0], server=fresh_server()), page_file)


@every_page
def test_every_view_is_accessible_fits_a_phone_and_shows_arithmetic_beside_its_cell(page_file, visit, sample):
    """Open a page once, and check a sample of its views: in the light theme on a phone, in the dark theme on a desk.

    The checks change nothing but the selected cell. Colours are checked in both themes, because a view may have colours
    that no other view has. On a desk, everything else is checked in the first of these views only.
    """
    views = sample(views_of_page(page_file))
    page = visit(page_file.url + EDITED.get(page_file.name, [""])[0], **PHONE)
    assert page.locator("h1").count() == 1
    check_edit_of_link(page, page_file)
    if page_file.name in NO_EQUATION:
        assert page.locator("figure").count() == 0
    elif page_file.name not in PICTURE_FIRST:
        bottom, screen = page.evaluate(FIRST_ROWS)
        assert bottom <= screen, "the first equation is below the first screen"
    for number, view in enumerate(open_views(page, page_file, views)):
        page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
        page.wait_for_function(FITS_ITS_WIDTH, timeout=LATE_CHARTS)
        assert page.evaluate(CUT) == [[], []], view
        assert faults(page, menu=number == 0) == [], view
        check_card_beside_cell(page, *CELLS[number % len(CELLS)])
    resize(show_in_theme(page, "dark"), **DESK)
    for number, view in enumerate(open_views(page, page_file, views)):
        assert (faults_of_colours if number else faults)(page) == [], view
        charts = page.get_by_test_id("stVegaLiteChart").all()
        assert not {chart.get_attribute("aria-label") for chart in charts} & NOTHING_SAID, view
        for kind, share in CELLS if number == 0 else [CELLS[(number + 1) % len(CELLS)]]:
            check_card_beside_cell(page, kind, share)


def check_edit_of_link(page, page_file):
    if page_file.name in EDITED:
        _, matrix, shown = EDITED[page_file.name]
        expect(cell(page, matrix, 1, 1)).to_have_text(shown)
        expect(page.get_by_text("Changed from the example.")).to_be_visible()


def views_of_page(page_file):
    """Return the names of the views of a page, or [None] if it has only one."""
    return (looks_of(page_file.name) if page_file.url not in WITHOUT_VIEWS else []) or [None]


def open_views(page, page_file, views):
    """Choose some views of a page one after the other, with no cell selected, and yield the name of the view."""
    every = views_of_page(page_file)
    for view in views:
        page.keyboard.press("Escape")
        if len(every) > 1:
            page.get_by_role("radiogroup", name="What to look at").get_by_role("radio").nth(every.index(view)).click()
        settle(page)
        yield view


def check_card_beside_cell(page, kind, share):
    """Click a cell, and check that the card with its arithmetic is beside it. An open card may cover the cell."""
    page.keyboard.press("Escape")
    found = page.locator(f"{kind} td.cell:visible")
    if count := found.count():
        target = found.nth(round(share * (count - 1)))
        select_cell(target)
        until(page, lambda: card_place_fault(target), "")


def select_cell(target):
    """Click a cell. A chart that is drawn late may have moved another cell under the mouse: if so, click again."""
    for _ in range(2):
        target.click()
        settle(target.page, quiet=120)
        if "another cell is selected" not in card_place_fault(target):
            return


def choice(page, group, name):
    """Return the option `name` in a group of options."""
    return page.get_by_role("radiogroup", name=group).get_by_role("radio", name=name, exact=True)


def test_the_shared_settings_are_shown_on_every_page(visit):
    page = visit("/scaling")
    for name, opens_with in (("cross_attention", "french"), ("positional_encoding", "story"), ("scaling", "story")):
        open_in_menu(page, name)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        settle(page)
        more_tools(page)
        expect(choice(page, "Tokens are", "Rows")).to_be_checked()
        expect(page.get_by_role("switch", name="Presenter view")).not_to_be_checked()
        page.keyboard.press("Escape")
        expect(page.get_by_role("combobox", name="Example")).to_have_value(opens_with)


def test_what_was_chosen_is_still_shown_after_another_view(visit):
    page = visit("/scaling?look=draws&distribution=uniform&d_k=256")
    for view in ("Two wrong beliefs", "Thousands of random scores"):
        choice(page, "What to look at", view).click()
        settle(page)
    expect(choice(page, "Features drawn", "Uniform, 0 to 1")).to_be_checked()
    expect(page.get_by_role("slider", name="Width of a key")).to_have_attribute("aria-valuetext", "256")


def test_what_was_chosen_is_still_shown_with_tokens_the_other_way(visit):
    page = visit("/softmax_axes?axis=columns&temperature=2&look=temperature")
    more_tools(page)
    choice(page, "Tokens are", "Columns").click()
    settle(page)
    expect(choice(page, "What adds up to 1", "Each row")).to_be_checked()  # the axis has this name now
    expect(page.get_by_role("slider", name="Temperature")).to_have_value("2")
    choice(page, "What to look at", "Why powers?").click()
    choice(page, "Base", "2").click()
    settle(page)
    expect(choice(page, "What adds up to 1", "Each row")).to_be_checked()


def test_options_of_another_example_show_what_is_set(visit):
    page = visit("/cross_attention?example=hand&queries=2")
    expect(choice(page, "How many ask?", "2")).to_be_checked()
    page.get_by_role("combobox", name="Example").select_option(label="A decoder asks an encoder")
    settle(page)
    expect(page.get_by_text("Two inputs: this is cross-attention.")).to_be_visible()
    for group in ("How many ask?", "How many answer?"):
        expect(page.get_by_role("radiogroup", name=group).locator('[aria-checked="true"]')).to_have_count(1)
