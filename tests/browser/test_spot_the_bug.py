"""“Spot the bug” in the browser: an exhibit solved by keyboard alone, on a phone, and checked by axe."""

import pytest
from playwright.sync_api import expect

from attention_core.museum import EXHIBITS
from browser.test_accessibility import faults_in_both_themes
from browser.test_contract import FITS_ITS_WIDTH, LATE_CHARTS, PHONE
from browsing import settle

FIRST, SECOND = EXHIBITS[:2]


def test_an_exhibit_is_solved_by_keyboard_alone(visit, fresh_server):
    page = visit("/spot_the_bug")
    lines = page.get_by_role("radio", name=FIRST.lines[0])
    expect(page.get_by_role("radiogroup", name="Which line is wrong?")).to_be_visible()
    for _ in range(60):
        page.keyboard.press("Tab")
        if lines.evaluate("radio => radio === document.activeElement"):
            break
    page.keyboard.press("Space")
    expect(page.get_by_text("line 1 is right")).to_be_visible()
    settle(page)
    for _ in range(FIRST.wrong_line - 1):
        page.keyboard.press("ArrowDown")
        settle(page)
    expect(page.get_by_text(f"Right: line {FIRST.wrong_line} is wrong.")).to_be_visible()
    expect(page.get_by_text("1 of 28")).to_be_visible()
    again = visit(page.url[page.url.index("/spot") :], server=fresh_server())
    expect(again.get_by_text(f"Right: line {FIRST.wrong_line} is wrong.")).to_be_visible()
    following = page.get_by_role("button", name="Next exhibit")
    following.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"2. {SECOND.title}")).to_be_visible()
    assert settle(page).url.endswith(f"?exhibit={SECOND.name}")
    expect(page.locator(".st-key-cell").get_by_role("radio", checked=True)).to_have_count(0)


def test_back_returns_to_the_exhibit_before(visit):
    page = visit(f"/spot_the_bug?exhibit={SECOND.name}")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name=f"3. {EXHIBITS[2].title}")).to_be_visible()
    settle(page).go_back()
    expect(page.get_by_role("heading", name=f"2. {SECOND.title}")).to_be_visible()


def test_a_line_keeps_its_indent_and_has_a_monospaced_font(visit):
    page = visit("/spot_the_bug?exhibit=two_loops")
    last = page.locator(".st-key-cell code").last
    assert last.inner_text() == "5          output[i] += weight * v[i]"
    family, space = last.evaluate("code => [getComputedStyle(code).fontFamily, getComputedStyle(code).whiteSpace]")
    assert "mono" in family.lower()
    assert space == "pre-wrap"


@pytest.mark.parametrize("state", ["exhibit=two_heads.2", "exhibit=two_heads.3", "exhibit=no_loop&aid=answer"])
def test_axe_finds_nothing_once_it_is_answered(state, visit):
    assert faults_in_both_themes(visit(f"/spot_the_bug?{state}")) == []


@pytest.mark.parametrize(
    "exhibit", [each for each in EXHIBITS if max(map(len, each.lines)) > 60], ids=lambda exhibit: exhibit.name
)
def test_long_lines_and_answers_fit_a_phone(exhibit, visit):
    page = visit(f"/spot_the_bug?exhibit={exhibit.name}.{exhibit.wrong_line}", **PHONE)
    page.wait_for_function(FITS_ITS_WIDTH, timeout=LATE_CHARTS)
    cell = page.locator(".st-key-cell")
    assert cell.evaluate("cell => cell.scrollWidth - cell.clientWidth") == 0
