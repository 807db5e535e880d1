"""The palette in a real browser: charts and matrices take its colours from the theme, light or dark."""

from typing import get_args

import pytest

from browser.test_accessibility import show_in_theme
from pages.shared.notation.palette import HEADS, NEGATIVE, POSITIVE, SERIES, Theme, colour_code

LEGEND = "[...document.querySelectorAll('.role-legend-symbol path')].map((path) => path.getAttribute('stroke'))"
EDGE = "(cell) => [getComputedStyle(cell).borderBottomColor, getComputedStyle(cell).borderBottomStyle]"
BLOCKS = """rows => rows.map((row) => [
  ...new Set([...row.querySelectorAll("td.cell")].map((cell) => /block-\\d/.exec(cell.className)[0])),
])"""
BY_MATRIX = """figures => Object.fromEntries(figures.map((figure) => [
  figure.dataset.id,
  [...figure.querySelectorAll("td.cell")].map((cell) => Number(/block-(\\d)/.exec(cell.className)[1])),
]))"""
OPAQUE = """async () => {
  const image = Object.assign(new Image(), { src: document.querySelector('svg.marks image').href.baseVal })
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, image.width, image.height)
  const pixels = Array.from({ length: data.length / 4 }, (_, at) => [...data.slice(4 * at, 4 * at + 4)])
  return [...new Set(pixels.filter((pixel) => pixel[3] > 250).map((pixel) => pixel.slice(0, 3).join()))]
}"""

THEMES = get_args(Theme)


def as_browser_colour(value):
    """Return a colour such as "#ff0000" as the browser writes it: "rgb(255, 0, 0)"."""
    return f"rgb({', '.join(map(str, bytes.fromhex(value[1:])))})"


def test_series_have_the_themes_colours_in_lines(visit):
    page = visit("/scaling")
    for theme in THEMES:
        show_in_theme(page, theme)
        assert page.evaluate(LEGEND) == [colour_code(series.colour, theme) for series in SERIES[:3]]


def test_heads_have_the_themes_colours_in_matrices(visit):
    page = visit("/your_sentence?heads=4&look=computed")
    for theme in THEMES:
        show_in_theme(page, theme)
        for head, mark in enumerate(HEADS[:4]):
            edge = page.locator(f"td.block-{head}").first.evaluate(EDGE)
            assert edge == [as_browser_colour(colour_code(mark.colour, theme)), mark.line]


@pytest.mark.parametrize(
    ("path", "n_heads", "cut"),
    [
        ("/multi_head?heads=2&look=blocks", 2, {"w_q", "w_k", "w_v", "q", "k", "v"}),
        ("/multi_head?heads=2&look=shares", 2, {"concat"}),
        ("/your_sentence?heads=4&look=computed", 4, {"q", "k", "v", "concat"}),
    ],
)
def test_the_columns_of_a_matrix_belong_to_the_heads_in_their_order(visit, path, n_heads, cut):
    found = visit(path).locator("figure:has(td.block-0):has(td.block-1)").evaluate_all(BY_MATRIX)
    for id, blocks in found.items():
        row = [head for head in range(n_heads) for _ in range(blocks.index(1))]
        assert blocks == row * (len(blocks) // len(row)), id
    assert {*found} >= cut


def test_where_tokens_are_columns_a_head_owns_rows(visit):
    page = visit("/your_sentence?heads=4&look=computed&layout=columns")
    rows = page.locator("figure:has(td.block-3)").first.locator("tr:has(td.cell)").evaluate_all(BLOCKS)
    assert [len(blocks) for blocks in rows] == [1] * len(rows)
    assert [*dict.fromkeys(blocks[0] for blocks in rows)] == [f"block-{head}" for head in range(4)]


@pytest.mark.parametrize("theme", THEMES)
def test_a_raster_has_the_themes_colours(visit, theme):
    page = visit("/positional_encoding?look=formulas", dark=theme == "dark")
    page.locator("svg.marks image").first.wait_for()
    shades = [tuple(map(int, shade.split(","))) for shade in page.evaluate(OPAQUE)]
    expected = [tuple(bytes.fromhex(colour_code(colour, theme)[1:])) for colour in (NEGATIVE, POSITIVE)]
    nearest = [min(expected, key=lambda one, shade=shade: greatest_difference(one, shade)) for shade in shades]
    assert set(nearest) == set(expected)
    assert max(map(greatest_difference, nearest, shades)) <= 2  # a canvas rounds what is not quite opaque


def greatest_difference(one, other):
    """Return the greatest difference between two lists of numbers."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))
