"""The card with the arithmetic follows while a number moves: before the server answers, it has the server's text."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page

from browser.equation import figure, type_over
from browsing import NEXT_FRAME, settle

# Notes in each frame what the card shows: its formula as LaTeX and as it is drawn, its products by name, and its marks.
RECORD = """
() => {
  const read = (card) => {
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
  const frames = (globalThis.labFrames = [])
  const note = () => {
    const now = read([...document.querySelectorAll(".st-key-arithmetic")].at(-1))
    const before = frames.at(-1)
    if (!before || ["moves", "old", "latex"].some((name) => now[name] !== before[name])) frames.push(now)
    if (globalThis.labFrames === frames) requestAnimationFrame(note)
  }
  note()
}
"""
SMALL = r' style=""| class="lab-moved"'  # React leaves an empty style where a style was


def frames(page: Page) -> list[dict[str, Any]]:
    """Return what the card has shown, each time that it changed, without what no eye sees."""
    return [frame | {name: _tidy(frame[name]) for name in ("drawn", "named")} for frame in page.evaluate("labFrames")]


def _tidy(html: str) -> str:
    return re.sub(SMALL, "", re.sub(r"([:;]) *", r"\1", html)).replace(';"', '"')


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
    """Select a cell, and note from now on what its card shows."""
    figure(page, name).first.locator("td.cell").nth(number).click()
    settle(page)
    page.evaluate(RECORD)


CASES = {
    "dot product": ("/queries_keys_values", "q", 0, "x", 0, -55),
    "product by name": ("/queries_keys_values", "q", 0, "x", 1, 63),
    "dot product of keys": ("/attention?step=3&example=hand", "k", 1, "w_k", 5, -90),
    "scores": ("/", "scores", 16, "x", 6, 70),
    "weight": ("/", "weights", 16, "x", 6, 70),
    "output": ("/", "output", 7, "x", 6, -46),
    "softmax": ("/softmax_axes?source=array", "weights_rows", 1, "scores", 1, -70),
    "base and temperature": ("/softmax_axes?source=array&temperature=2&base=2", "powers_rows", 0, "scores", 0, -36),
    "position": ("/positional_encoding", "positioned", 0, "x", 0, 48),
    "gradient": ("/training_step?look=back", "grad_w_q", 1, "x", 16, 50),
    "output of all heads": ("/multi_head?look=shares", "output", 1, "w_o", 1, -50),
    "share of a head": ("/multi_head?look=shares", "shares.0", 1, "w_o", 1, 50),
    "logit": ("/next_word", "logits", 1, "vocabulary", 1, 44),
    "chance": ("/next_word", "chances", 0, "vocabulary", 1, 44),
}


@pytest.mark.parametrize("kind", CASES)
def test_the_card_follows_a_dragged_number_and_nothing_changes_when_the_server_answers(kind, visit):
    address, name, number, given, place, by = CASES[kind]
    page = visit(address)
    select(page, name, number)
    hold(page, given, place, by)
    page.mouse.up()
    settle(page)
    check_that_it_followed(frames(page))


def check_that_it_followed(seen: list[dict[str, Any]]) -> None:
    """Check that a card moved, that it never went back, and that the server then drew what was there already."""
    before, moving, after = seen[0], [frame for frame in seen if frame["moves"]], seen[-1]
    assert moving
    assert not after["moves"]
    assert not any(frame["old"] for frame in seen)
    assert before["latex"] not in [frame["latex"] for frame in seen[1:]]
    assert moving[-1]["latex"] == after["latex"]
    assert (moving[-1]["drawn"], moving[-1]["named"]) == (after["drawn"], after["named"])


def test_the_card_follows_keys_and_a_typed_number(visit):
    page = visit("/attention?step=3&example=hand")
    select(page, "k", 1)
    target = figure(page, "w_k").first.locator("td.cell").nth(5)
    target.focus()
    page.keyboard.press("Alt+ArrowUp")
    settle(page)
    check_that_it_followed(frames(page))
    page.evaluate(RECORD)
    type_over(target, "-3")
    settle(page)
    check_that_it_followed(frames(page))


def test_a_card_that_cannot_follow_is_marked_as_old_until_the_server_answers(visit):
    page = visit("/positional_encoding")
    select(page, "shuffled_placed", 4)
    hold(page, "x", 1, 48)
    page.mouse.up()
    settle(page)
    seen = frames(page)
    assert any(frame["old"] for frame in seen)
    assert not any(frame["moves"] for frame in seen)
    assert not seen[-1]["old"]
