"""The card with the arithmetic follows while a number moves: before the server answers, it has the server's text."""

import re

import pytest
from playwright.sync_api import Page

from browser.equation import arithmetic, figure, type_over
from browsing import NEXT_FRAME, settle

# Returns the card's formula as LaTeX and as it is drawn, its products by name, and how it is marked.
CARD = """
(card) => {
  const moved = card.querySelector("span.lab-moved")
  const formula = moved ?? card
  const named = card.querySelector("p.lab-moved") ?? card.querySelector(".katex-display ~ p")
  return {
    moves: Boolean(moved),
    old: card.hasAttribute("data-old"),
    latex: formula.querySelector(".katex-display annotation").textContent,
    drawn: formula.querySelector(".katex-display").outerHTML,
    named: named?.outerHTML ?? "",
  }
}
"""
SMALL = r' style=""| class="lab-moved"'  # React leaves an empty style where a style was


def shown(page: Page) -> dict[str, str | bool]:
    """Return what the card shows, without what no eye sees."""
    read = arithmetic(page).last.evaluate(CARD)
    drawn = {
        name: re.sub(SMALL, "", re.sub(r"([:;]) *", r"\1", read[name])).replace(';"', '"')
        for name in ("drawn", "named")
    }
    return read | drawn


def hold(page: Page, name: str, number: int, by: int) -> None:
    """Drag a given number sideways, and hold it."""
    target = page.locator(f'figure.editable[data-id="{name}"]').first.locator("td.cell").nth(number)
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by / 2, y)
    page.mouse.move(x + by, y)
    page.evaluate(NEXT_FRAME)


def select(page: Page, name: str, number: int) -> None:
    """Select a cell, so that the card shows its arithmetic."""
    figure(page, name).last.locator("td.cell").nth(number).click()
    settle(page)


CASES = {
    "dot product": ("/queries_keys_values", "q", 0, "x", 0, -55),
    "product by name": ("/queries_keys_values", "q", 0, "x", 1, 63),
    "dot product of keys": ("/attention?step=3&example=hand", "k", 1, "w_k", 5, -90),
    "scores": ("/", "scores", 16, "x", 16, 70),
    "weight": ("/", "weights", 16, "x", 16, 70),
    "output": ("/", "output", 1, "x", 16, -46),
    "softmax": ("/softmax_axes?source=array", "weights_rows", 1, "scores", 1, -70),
    "base and temperature": ("/softmax_axes?source=array&temperature=2&base=2", "powers_rows", 0, "scores", 0, -36),
    "position": ("/positional_encoding", "positioned", 0, "x", 0, 48),
    "gradient": ("/training_step?look=back", "grad_w_q", 1, "x", 16, 50),
    "output of all heads": ("/multi_head?look=shares", "output", 1, "w_o", 1, -50),
    "share of a head": ("/multi_head?look=shares", "shares.0", 1, "w_o", 1, 50),
    "logit": ("/next_word", "logits", 0, "vocabulary", 1, 44),
    "chance": ("/next_word", "chances", 0, "vocabulary", 1, 44),
}


@pytest.mark.parametrize("kind", CASES)
def test_the_card_follows_a_dragged_number_and_nothing_changes_when_the_server_answers(kind, visit):
    address, name, number, given, place, by = CASES[kind]
    page = visit(address)
    select(page, name, number)
    before = shown(page)
    hold(page, given, place, by)
    moving = shown(page)
    page.mouse.up()
    settle(page)
    after = shown(page)
    assert (moving["moves"], moving["old"], after["moves"]) == (True, False, False)
    assert before["latex"] != moving["latex"] == after["latex"]
    assert (moving["drawn"], moving["named"]) == (after["drawn"], after["named"])


def test_the_card_follows_a_typed_number_and_keys(visit):
    page = visit("/attention?step=3&example=hand")
    select(page, "k", 1)
    target = figure(page, "w_k").first.locator("td.cell").nth(5)
    target.focus()
    page.keyboard.press("Alt+ArrowUp")
    moving = shown(page)
    settle(page)
    assert moving["moves"]
    assert moving["latex"] == shown(page)["latex"]
    type_over(target, "-3")
    moving = shown(page)
    settle(page)
    assert moving["moves"]
    assert moving["latex"] == shown(page)["latex"]


def test_a_card_that_cannot_follow_is_marked_as_old_until_the_server_answers(visit):
    page = visit("/positional_encoding")
    select(page, "shuffled_placed", 4)
    hold(page, "x", 1, 48)
    assert (shown(page)["old"], shown(page)["moves"]) == (True, False)
    page.mouse.up()
    settle(page)
    assert not shown(page)["old"]
