"""Colours on the page: a hue says what something belongs to, a tint how great a number is, and each sign one thing."""

import pytest
from playwright.sync_api import Page

from browser.equation import cell, type_over
from browsing import more_tools, settle
from pages.shared.notation.palette import HUES, Theme, colour_code

QUERY, KEY, VALUE, WEIGHT = HUES["query"], HUES["key"], HUES["value"], HUES["weight"]

# The full tint, as a number, of every signed number of each equation: its magnitude by the strength of its tint.
FULL_TINTS = """
() => [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')]
  .map(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll("figure.signed td.cell") ?? [])]
    .map((cell) => [Math.abs(Number(cell.title.match(/= (.*)/)[1])), Number(cell.style.getPropertyValue("--strength"))])
    .filter(([size, strength]) => strength > 0 && strength < 1).map(([size, strength]) => size / strength))
"""
STRENGTHS = """
cells => Object.fromEntries(cells.map(({ dataset, style, title }) =>
  [`${dataset.row}.${dataset.column}`, [title.match(/= (.*)/)[1], style.getPropertyValue("--strength")]]))
"""
RGB = "element => getComputedStyle(element).{}.match(/[\\d.]+/g).slice(0, 3).map(Number)"
HIGHLIGHTED = "hue => [...(CSS.highlights.get(`lab-${hue}`) ?? [])].map(String)"
LINES_BELOW = """
() => {
  const all = [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')]
  .flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll("td.cell") ?? [])])
  .filter((cell) => {
    const { boxShadow, textDecorationLine, borderBottomStyle } = getComputedStyle(cell)
    return boxShadow !== "none" || textDecorationLine.includes("underline") || borderBottomStyle !== "none"
  })
  const can = all.filter((cell) => cell.closest(".editable, .blank")).length
  return [can, all.length - can]
}
"""


def rgb(colour, theme: Theme) -> list[int]:
    return [*bytes.fromhex(colour_code(colour, theme)[1:])]


def computed(page: Page, selector: str, style: str) -> list[float]:
    return page.locator(selector).first.evaluate(RGB.format(style))


@pytest.mark.parametrize("path", ["/scaling?look=divided", "/path?screen=width&guess=A", "/training_step?look=back"])
def test_an_equation_has_one_scale(visit, path):
    found = [scales for scales in visit(path).evaluate(FULL_TINTS) if scales]
    assert found
    for scales in found:
        assert max(scales) - min(scales) < 0.02 * max(scales)


def test_an_edit_leaves_the_tints_of_other_numbers(visit):
    page = visit("/queries_keys_values?example=hand")
    cells = page.locator('figure[data-id="w_q"] td.cell')
    before = cells.evaluate_all(STRENGTHS)
    type_over(cell(page, "w_q", 0, 0), "9")
    settle(page)
    after = cells.evaluate_all(STRENGTHS)
    assert after["0.0"] == ["9", "1"]
    assert {place: look for place, look in after.items() if place != "0.0"} == {
        place: look for place, look in before.items() if place != "0.0"
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_brackets_and_arrows_have_the_hue_of_what_they_belong_to(visit, theme):
    page = visit("/queries_keys_values?look=arrows", dark=theme == "dark")
    for letter, colour in (("q", QUERY), ("k", KEY), ("v", VALUE)):
        expected = rgb(colour, theme)
        for name in (letter, f"w_{letter}"):
            assert computed(page, f'figure[data-id="{name}"] .symbol', "color") == expected
            assert computed(page, f'figure[data-id="{name}"] .bracket', "borderTopColor") == expected
    for letter, colour in (("q", QUERY), ("k", KEY)):
        assert computed(page, f".plane g.{letter} .shaft", "stroke") == rgb(colour, theme)
    assert computed(page, 'figure[data-id="x"] .symbol', "color") == computed(page, ".equation", "color")


def test_formulas_and_code_have_the_hues(visit):
    page = visit("/attention?step=8")
    page.wait_for_function("() => CSS.highlights.get('lab-value')?.size")
    found = {hue: {*page.evaluate(HIGHLIGHTED, hue)} for hue in HUES}
    assert {"V", "v"} <= found["value"]
    assert {"A", "weights"} <= found["weight"]
    assert found["key"] <= {"K", "k", "w_k", "key", "keys"}


def test_formulas_have_the_hues_without_an_equation(visit):
    page = visit("/path?screen=block")
    page.wait_for_function("() => CSS.highlights.get('lab-query')?.size")
    assert page.evaluate(HIGHLIGHTED, "query") == ["Q"]


@pytest.mark.parametrize("path", ["/softmax_axes?task=1", "/softmax_axes?task=1&difficulty=2"])
def test_a_blank_matrix_has_the_hue_of_what_is_asked(visit, path):
    page = visit(path)
    for part, style in ((".symbol", "color"), (".bracket", "borderTopColor")):
        assert computed(page, f"figure.blank {part}", style) == rgb(WEIGHT, "light")


@pytest.mark.parametrize(
    ("path", "editable"),
    [("/multi_head?look=blocks", True), ("/softmax_axes?mistake=softmax_wrong_axis", False), ("/spot_the_bug", False)],
)
def test_a_line_below_a_number_says_only_that_it_can_be_changed(visit, path, editable):
    can_change, others = visit(path).evaluate(LINES_BELOW)
    assert others == 0
    assert bool(can_change) == editable


def test_the_dialog_of_symbols_names_the_four_hues(visit):
    page = visit("/")
    more_tools(page).get_by_role("button", name="Symbols").click()
    settle(page)
    page.wait_for_function("() => CSS.highlights.get('lab-weight')?.size")
    for hue, words in (("query", "queries"), ("key", "keys"), ("value", "values"), ("weight", "attention weights")):
        assert words in page.evaluate(HIGHLIGHTED, hue)
