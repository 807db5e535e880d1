"""Headings and the measure of pages: where sections begin, and how wide text and the end of a page are."""

import pytest

from serving import PAGES

PATHS = [page.url for page in PAGES if page.name not in ("path", "room")]

# The longest distance without a heading, in pixels.
WITHOUT_A_HEADING = """() => {
  const main = document.querySelector('[data-testid="stMain"]')
  const tops = [...main.querySelectorAll("h1, h2, h3")].map((heading) => heading.getBoundingClientRect().top)
  return Math.max(...[...tops.slice(1), main.scrollHeight].map((next, i) => next - tops[i]))
}"""
WIDER = """() => {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize)
  const texts = '[data-testid="stMarkdownContainer"] > :is(p, ul, ol), [data-testid="stCaptionContainer"], '
    + '[data-testid="stExpander"]:not(:has(> [open]))'
  return [...document.querySelectorAll(`[data-testid="stMain"] :is(${texts})`)]
    .filter((text) => text.getBoundingClientRect().width > 46 * rem + 1).map((text) => text.innerText.slice(0, 40))
}"""


@pytest.mark.many
@pytest.mark.parametrize("path", PATHS)
def test_sections_have_headings_and_texts_one_measure(visit, path):
    page = visit(path)
    assert page.evaluate(WITHOUT_A_HEADING) <= 1900
    assert page.evaluate(WIDER) == []
