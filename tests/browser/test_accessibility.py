"""axe-core and the test of contrast find no fault except in parts that Streamlit draws itself. They would find a fault.

Every view of every page is checked in `test_contract.py`.
"""

import re
from typing import Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from browser.contrast import faint_texts
from browsing import settle

# Streamlit draws these itself: the hidden table behind a grid's canvas, and the place where a file can be dropped.
STREAMLITS_OWN = {
    "empty-table-header": re.compile(r'canvas\[data-testid="data-grid-canvas"\].*th\[role="columnheader"\]'),
    "presentation-role-conflict": re.compile(r'data-testid="stFileUploaderDropzone"'),
}
HAS_THE_THEME = """
(theme) => getComputedStyle(document.querySelector('[data-testid="stApp"]')).colorScheme === theme
"""
RUN_AXE = """
async ([asked, options]) => {
  const { violations } = await axe.run(asked, options)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => [id, String(target.at(-1)), html]))
}
"""
WITHOUT_MENU = {"exclude": [['[data-testid="stSidebar"]']]}
# Only faults are asked for, because a list of all that is correct takes twice as long. `contrast.py` measures contrast.
ASKED = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}}
# axe only looks at links that are on the screen.
PLAIN_LINKS = """
[...document.querySelectorAll(':is([data-testid="stMarkdownContainer"], [data-testid="stCaptionContainer"]) a')]
  .filter((link) => getComputedStyle(link).textDecorationLine !== "underline")
  .map((link) => link.outerHTML)
"""


def is_streamlits_own(rule: str, element: str) -> bool:
    """Return whether only Streamlit could correct a fault."""
    return rule in STREAMLITS_OWN and bool(STREAMLITS_OWN[rule].search(element))


def faults_in_both_themes(page: Page) -> list[str]:
    """Return the faults of a page in the light theme and in the dark theme. The page may end in another theme."""
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    dark = _faults_in_the_dark(page) if is_dark else []
    light = faults(show_in_theme(page, "light"))
    return light + (dark if is_dark else _faults_in_the_dark(page))


def _faults_in_the_dark(page: Page) -> list[str]:
    return [f"dark: {fault}" for fault in faults_of_colours(show_in_theme(page, "dark"))]


def show_in_theme(page: Page, theme: Literal["dark", "light"]) -> Page:
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(HAS_THE_THEME, arg=theme)
    return settle(page)


def faults(page: Page, *, menu: bool = True) -> list[str]:
    """Return what the checker axe finds on a page, and which texts and links are hard to see.

    If `menu` is false, axe leaves out the page's menu.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(RUN_AXE, [{"include": ["html"]} if menu else WITHOUT_MENU, ASKED])
    elements = [(rule, f"{target}: {html}") for rule, target, html in found]
    by_axe = [f"{rule}: {element}" for rule, element in elements if not is_streamlits_own(rule, element)]
    return by_axe + faults_of_colours(page)


def faults_of_colours(page: Page) -> list[str]:
    """Return links that differ only in colour from the words around them, and texts with too little contrast."""
    return [f"link without a line: {link}" for link in page.evaluate(PLAIN_LINKS)] + faint_texts(page)


def test_axe_finds_nothing_in_what_the_bar_opens(visit):
    page = visit("/attention")
    for name in ("Symbols", "Take home", "Share"):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert faults_in_both_themes(settle(page)) == [], name
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_axe_finds_nothing_in_a_notice(visit):
    page = visit("/attention?step=99")
    expect(page.get_by_text("so it was ignored")).to_be_visible()
    assert faults_in_both_themes(page) == []


def test_axe_would_find_a_fault(visit):
    page = visit("/")
    page.evaluate("document.body.append(document.createElement('button'))")
    assert {fault.split(":")[0] for fault in faults_in_both_themes(page)} == {"button-name"}


def test_a_colour_that_is_too_faint_in_the_dark_alone_is_found(visit):
    page = visit("/")
    page.add_style_tag(content="@media (prefers-color-scheme: dark) { h1 { color: #444 !important } }")
    (fault,) = faults_in_both_themes(page)
    assert fault.startswith("dark: too faint: ")
    assert "What does “it” refer to?" in fault


def test_a_link_without_a_line_in_the_dark_alone_is_found(visit):
    page = visit("/attention")
    page.add_style_tag(content="@media (prefers-color-scheme: dark) { a { text-decoration: none !important } }")
    found = faults_in_both_themes(page)
    assert len(found) > 1
    assert all(fault.startswith("dark: link without a line: <a ") for fault in found)


@pytest.mark.parametrize(
    ("rule", "element"),
    [
        ("empty-table-header", "table > th: <th>"),
        ("presentation-role-conflict", ".bar: <section role='presentation'>"),
    ],
)
def test_other_faults_are_not_excused(rule, element):
    assert not is_streamlits_own(rule, element)
