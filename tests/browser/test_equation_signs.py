"""Every sign in an equation is in a font that comes with the page, so that no machine shows an empty box for it."""

import re

from playwright.sync_api import Page

from browsing import settle
from pages.shared.equation.engine import SCRIPT
from pages.shared.notation.symbols import SYMBOLS

FONTS = "'Source Sans', KaTeX_Main"  # of the text, and of formulas
BOARDS = ("/", "/attention?step=5&example=hand", "/multi_head?example=hand", "/positional_encoding")
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"])//.*", re.DOTALL | re.MULTILINE)
TEXTS = "boards => boards.map((board) => board.textContent).join('')"
SHOW = """
([signs, fonts]) => {
  const shown = document.body.appendChild(document.createElement("p"))
  shown.id = "signs"
  shown.style.fontFamily = fonts
  shown.append(...signs.map((sign) => Object.assign(document.createElement("span"), { textContent: sign })))
  return document.fonts.ready.then(() => true)
}
"""
# Signs that are drawn like a sign that no font has. A font may draw its own box for such a sign.
BOXES = """
([signs, fonts]) => {
  const drawn = (sign) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 60, height: 60 })
    const context = canvas.getContext("2d")
    context.font = `40px ${fonts}`
    context.fillText(sign, 5, 45)
    return canvas.toDataURL()
  }
  return signs.filter((sign) => drawn(sign) === drawn("\\u{10FFFD}"))
}
"""


def signs_of_equations() -> set[str]:
    """Return the signs in the scripts, the style and the symbols of equations. Comments are left out."""
    code = re.sub(r"(?m)^\s*(//|/\*\*| \*).*$", "", SCRIPT)
    return signs_of(COMMENT.sub("", code) + "".join(symbol for symbol, *_ in SYMBOLS.values()))


def signs_of(text: str) -> set[str]:
    """Return the signs in a text that are not plain ASCII."""
    return {sign for sign in text if ord(sign) > 126}


def signs_without_font(page: Page, signs: list[str]) -> list[str]:
    """Return those of the signs that the page's own fonts do not have."""
    page.evaluate(SHOW, [signs, FONTS])
    page.wait_for_function(
        "() => [...document.fonts].some(({ family, status }) => /KaTeX_Main/.test(family) && status === 'loaded')"
    )
    tools = page.context.new_cdp_session(page)
    tools.send("DOM.enable")
    tools.send("CSS.enable")
    root = tools.send("DOM.getDocument", {"depth": 1})["root"]["nodeId"]
    nodes = tools.send("DOM.querySelectorAll", {"nodeId": root, "selector": "#signs span"})["nodeIds"]
    fonts = [tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes]
    foreign = [sign for sign, used in zip(signs, fonts, strict=True) if not used or not used[0]["isCustomFont"]]
    return sorted({*foreign, *page.evaluate(BOXES, [signs, FONTS])})


def test_the_fonts_of_the_page_have_every_sign_on_a_board(visit):
    signs, page = signs_of_equations(), visit("/")
    for board in BOARDS:
        page.goto(board)
        signs |= signs_of(settle(page).locator("[class^='equation']").evaluate_all(TEXTS))
    assert {"×", "Σ", "→", "√", "⊤"} <= signs
    assert signs_without_font(page, sorted(signs)) == []


def test_signs_without_a_font_are_found(visit):
    page = visit("/attention?step=4")
    assert signs_without_font(page, ["⧉", "✎", "⟲", "→"]) == ["✎", "⟲", "⧉"]
