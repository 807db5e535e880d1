"""axe-core and the test of contrast find no fault except in parts that Streamlit draws itself. They would find a fault.

Every view of every page is checked in `test_contract.py`.

Also the colours of the palette, and the menu.
"""

import re
from typing import Literal, get_args

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from browser.contrast import faint_texts, texts
from browser.equation import until
from browsing import more_tools, open_in_menu, settle
from pages.shared.notation.palette import HEADS, INK, NEGATIVE, POSITIVE, SERIES, Theme, colour_code, tint_code
from pages.shared.site.page import catalogue

# Streamlit draws these itself: the hidden table behind a grid's canvas, the place where a file can be dropped, and the
# drawer of the menu, whose list has a box around the pages of each group.
STREAMLITS_OWN = {
    "empty-table-header": re.compile(r'canvas\[data-testid="data-grid-canvas"\].*th\[role="columnheader"\]'),
    "presentation-role-conflict": re.compile(r'data-testid="stFileUploaderDropzone"'),
    "list": re.compile(r'^[^<]*: <ul data-testid="stSidebarNavItems"'),
    "listitem": re.compile(r" in stSidebarNavItems$"),
}
HAS_THE_THEME = """
(theme) => getComputedStyle(document.querySelector('[data-testid="stApp"]')).colorScheme === theme
"""
RUN_AXE = """
async ([asked, options]) => {
  const { violations } = await axe.run(asked, options)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html, element }) =>
    [id, String(target.at(-1)), html, element.closest("[data-testid]")?.dataset.testid ?? "the page"]))
}
"""
WITHOUT_MENU = {"exclude": [['[data-testid="stHeader"]'], ['[data-testid="stSidebar"]']]}
# Only faults are asked for, because a list of all that is correct takes twice as long. `contrast.py` measures contrast.
ASKED = {"resultTypes": ["violations"], "elementRef": True, "rules": {"color-contrast": {"enabled": False}}}
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
    elements = [(rule, f"{target}: {html} in {place}") for rule, target, html, place in found]
    by_axe = [f"{rule}: {element}" for rule, element in elements if not is_streamlits_own(rule, element)]
    return by_axe + faults_of_colours(page)


def faults_of_colours(page: Page) -> list[str]:
    """Return links that differ only in colour from the words around them, and texts with too little contrast."""
    return [f"link without a line: {link}" for link in page.evaluate(PLAIN_LINKS)] + faint_texts(page)


def test_axe_finds_nothing_in_what_the_bar_opens(visit):
    page = visit("/attention")
    for name in ("Symbols", "Take home", "Share"):
        tools = page if name == "Share" else more_tools(page)
        tools.get_by_role("button", name=name, exact=True).click()
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
        ("empty-table-header", "table > th: <th> in the page"),
        ("presentation-role-conflict", ".bar: <section role='presentation'> in the page"),
        ("list", ".slides: <ul class='slides'> in stSidebarNavItems"),
        ("listitem", "main > li: <li> in stMarkdownContainer"),
    ],
)
def test_other_faults_are_not_excused(rule, element):
    assert not is_streamlits_own(rule, element)


PUT = """
(written) => {
  const box = document.createElement("div")
  box.innerHTML = written
  box.style = "background: white; color: #777"
  document.querySelector('[data-testid="stMain"]').append(box)
}
"""
FAINT = {  # text of #777 on white has a contrast of 4.48
    "words": "<p>words</p>",
    "large": "<p style='color: #959595; font-size: 24px'>large</p>",
    "nearly large": "<p style='color: #949494; font-size: 23px'>nearly large</p>",
    "faded": "<p style='color: black; opacity: 0.5'>faded</p>",
    "within what is faded": "<p style='opacity: 0.5'><b style='color: black'>within what is faded</b></p>",
    "see-through": "<p style='color: color-mix(in srgb, black 50%, transparent)'>see-through</p>",
    "on a veil": "<p style='color: black; background: rgb(0 0 0 / 60%)'>on a veil</p>",
    "beside a shortcut": "<button style='color: #777; background: white'>beside a shortcut</button>",
    "beside a bar": "<svg><g class='role-mark'><text fill='#777'>beside a bar</text></g></svg>",
    "drawn": "<svg style='color: black'><text fill='#777'>drawn</text></svg>",
    "typed": "<input style='color: #777; background: white' value='typed'>",
    "proposed": "<style>.here::placeholder { color: #777 }</style>"
    "<textarea class='here' style='color: black; background: white' placeholder='proposed'></textarea>",
}
READABLE = {
    "dark words": "<p style='color: #767676'>dark words</p>",
    "large words": "<p style='color: #949494; font-size: 24px'>large words</p>",
    "bold words": "<p style='color: #949494; font-size: 19px; font-weight: 700'>bold words</p>",
    "on a thin veil": "<p style='color: black; background: rgb(0 0 0 / 50%)'>on a thin veil</p>",
}
NOT_ASKED = {
    "shortcut": "<button><kbd>shortcut</kbd></button>",
    "above a handle": "<div data-testid='stSliderThumbValue'>above a handle</div>",
    "disabled": "<button disabled>disabled</button>",
    "hidden": "<p style='visibility: hidden'>hidden</p>",
    "gone": "<p style='display: none'>gone</p>",
    "clear": "<p style='opacity: 0'>clear</p>",
    "for readers": "<p style='position: absolute; font-size: 0.5px; width: 1px; overflow: hidden'>for readers</p>",
}


def test_only_faint_texts_are_found(visit):
    page = visit("/spot_the_bug")
    page.evaluate(PUT, "".join((FAINT | READABLE | NOT_ASKED).values()))
    measured = {text.name.rpartition(": ")[2]: text for text in texts(page)}
    assert {words for words, text in measured.items() if text.is_faint} == set(FAINT)
    assert set(READABLE) <= set(measured)
    assert not set(NOT_ASKED) & set(measured)
    assert measured["dark words"].ratio == pytest.approx(4.54, abs=0.005)
    assert measured["words"].ratio == pytest.approx(4.48, abs=0.005)


def test_matrices_and_charts_are_measured(visit):
    page = visit("/attention?step=1")
    page.locator("figure td.cell").first.evaluate("cell => (cell.style.color = 'color-mix(in srgb, red, transparent)')")
    page.locator(".role-axis-label text").first.evaluate("text => (text.style.fill = 'silver')")
    found = faint_texts(settle(page))
    assert [each.split()[2] for each in found] == ["td", "text"], found


NAMES = "[...document.querySelectorAll('.role-mark.mark-text text')].map((text) => text.getAttribute('fill'))"
EDGE = """(cell) => {
  const { borderTopColor, borderTopStyle, borderTopWidth } = getComputedStyle(cell)
  return [borderTopColor, borderTopStyle, borderTopWidth]
}"""
BLOCKS = """rows => rows.map((row) => [...row.querySelectorAll("td.cell")]
  .flatMap((cell) => /block-\\d/.exec(cell.className)?.[0] ?? []))"""
BY_MATRIX = """figures => Object.fromEntries(figures.map((figure) => [
  figure.dataset.id,
  [...figure.querySelectorAll("td.cell")].flatMap((cell) => cell.className.match(/(?<=block-)\\d/) ?? []).map(Number),
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


def test_the_names_of_series_have_the_themes_colours(visit):
    page = visit("/scaling")
    for theme in THEMES:
        show_in_theme(page, theme)
        assert page.evaluate(NAMES) == [colour_code(series.colour, theme) for series in SERIES[:3]]


def test_heads_have_their_lines_in_matrices(visit):
    page = visit("/your_sentence?heads=4&look=computed")
    for theme in THEMES:
        show_in_theme(page, theme)
        for head, (line, width) in enumerate(HEADS[:4]):
            edge = page.locator(f"td.block-{head}").first.evaluate(EDGE)
            assert edge == [as_browser_colour(colour_code(INK, theme)), line, f"{width}px"]


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
    expected = [tuple(tint_code(tint, theme)) for tint in (NEGATIVE, POSITIVE)]
    nearest = [min(expected, key=lambda one, shade=shade: greatest_difference(one, shade)) for shade in shades]
    assert set(nearest) == set(expected)
    assert max(map(greatest_difference, nearest, shades)) <= 2  # a canvas rounds what is not quite opaque


def greatest_difference(one, other):
    """Return the greatest difference between two lists of numbers."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


CUT = "link => [link, ...link.querySelectorAll('*')].some(box => box.clientWidth && box.scrollWidth > box.clientWidth)"
BOXED = "each => getComputedStyle(each.closest('a, button')).boxShadow !== 'none'"


def test_each_group_of_the_menu_opens_by_keyboard_and_has_its_pages(visit):
    menu = visit("/scaling").get_by_test_id("stTopNav")
    for group in dict.fromkeys(entry.group for entry in catalogue() if entry.group):
        menu.get_by_role("button", name=group).press("Enter")
        links = menu.page.get_by_role("menuitem")
        expect(links).to_have_text([entry.concept for entry in catalogue() if entry.group == group])
        assert not any(link.evaluate(CUT) for link in links.all()), group
        menu.page.keyboard.press("Escape")
        expect(links).to_have_count(0)


def test_the_menu_marks_the_entry_with_the_present_page(visit):
    page = visit("/scaling")
    names = page.get_by_test_id("stTopNav").locator("p")
    marked = lambda: [name.inner_text() for name in names.all() if name.evaluate(BOXED)]  # noqa: E731
    assert marked() == ["The pieces"]
    open_in_menu(page, "path")
    expect(page).to_have_url(re.compile("/path"))
    until(page, marked, ["The path"])


def test_on_a_phone_the_menu_is_a_drawer_with_every_page(visit):
    page = visit("/scaling", width=390, height=844, touch=True)
    page.get_by_test_id("stExpandSidebarButton").tap()
    links = page.get_by_test_id("stSidebarNav").get_by_role("link")
    expect(links).to_have_text([entry.in_menu for entry in catalogue()])
    links.filter(has_text="Cross-attention").tap()
    expect(page).to_have_url(re.compile("/cross_attention"))
    expect(page.get_by_test_id("stSidebar")).not_to_be_in_viewport()
