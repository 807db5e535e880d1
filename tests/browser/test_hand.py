"""Test what a number in the hand does: what the browser computes, what it writes, and what it sends."""

from __future__ import annotations

import re
from random import Random
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import expect

from boards import links_of
from browser.equation import cell, numbers, type_over, until
from browser.test_equation_grid import faults_of_grid
from browsing import settle
from serving import PAGES

NUMBERS = 'globalThis[Symbol.for("attention-lab.numbers")]'
EDITABLE = "figure.editable td.cell"
CHECKED_AFTER = 400  # milliseconds: so long after the last answer, the browser has compared its formulas with it
CLOSE = 1e-9

# Matrices that stand still while a number moves. The formula of the words that are kept depends on an order. A task's
# own weights are rounded, and no number of the page changes them. Wrong gradients are computed by functions, not by
# steps with names.
STILL = {
    "next_word": {"kept", "k_kept", "v_kept"},
    "your_sentence": {"entropies_head0"},
    "training_step": {f"grad_{name}_mistake" for name in ("w_q", "w_k", "w_v")},
}


def stands_still(id, page):
    """Return whether a matrix may stand still while a number moves."""
    nothing_can_be_changed = "_task" in id or (page.name == "spot_the_bug" and "_mistake" in id)
    return nothing_can_be_changed or id in STILL.get(page.name, ())


def dead_ids(tab, page):
    """Return the ids of matrices on the page whose formula should give their numbers, but does not."""
    return [id for id in tab.evaluate(f"() => {NUMBERS}?.deadIds() ?? []") if not stands_still(id, page)]


PRESS = f"""
(cell) => {{
  cell.focus()
  cell.dispatchEvent(new KeyboardEvent("keydown", {{ key: "ArrowUp", altKey: true, bubbles: true, composed: true }}))
  return [{NUMBERS}.allRows(), {NUMBERS}.oldIds()]
}}
"""
COUNT_MESSAGES = """
() => {
  const send = WebSocket.prototype.send
  window.labMessages = 0
  WebSocket.prototype.send = function (...message) {
    window.labMessages++
    return send.apply(this, message)
  }
}
"""
# Note each cell of the page whose text is written, and each whose text is then another one.
WATCH_CELLS = """
() => {
  const WHAT = { subtree: true, characterData: true, characterDataOldValue: true, childList: true }
  window.labWritten = []
  const watch = (root) => new MutationObserver((found) => {
    for (const each of found) {
      const node = each.target
      const cell = (node.nodeType === 3 ? node.parentElement : node)?.closest?.("td.cell")
      const before = each.oldValue ?? each.removedNodes[0]?.textContent
      if (cell) window.labWritten.push([before, cell.textContent])
    }
  }).observe(root, WHAT)
  const walk = (root) => root.querySelectorAll("*").forEach((each) => {
    if (each.shadowRoot) { watch(each.shadowRoot); walk(each.shadowRoot) }
  })
  walk(document)
}
"""

STATES = [(page, link) for page in PAGES for link in links_of(page.name)]


@pytest.mark.many
@pytest.mark.parametrize(
    ("page", "link"), STATES, ids=lambda each: each.name if hasattr(each, "name") else urlencode(each)
)
def test_the_browser_computes_what_the_server_computes(visit, page, link):
    tab = visit(f"{page.url}?{urlencode(link)}")
    tab.wait_for_timeout(CHECKED_AFTER)
    draw = Random(f"{page.name} {link}")
    assert not dead_ids(tab, page)
    for _ in range(2):
        given = tab.locator(EDITABLE)
        if not given.count():
            return
        computed, old = given.nth(draw.randrange(given.count())).evaluate(PRESS)
        settle(tab)
        tab.wait_for_timeout(CHECKED_AFTER)
        served = tab.evaluate(f"() => {NUMBERS}.allRows()")
        check_equal({id: rows for id, rows in computed.items() if not (id in old or stands_still(id, page))}, served)
        assert not dead_ids(tab, page)


def check_equal(computed, served):
    """Check that the numbers of each matrix are equal, apart from 1e-9 of its greatest number."""
    for id in computed.keys() & served.keys():
        if computed[id] is None or served[id] is None:
            continue
        found, expected = np.array(computed[id], dtype=float), np.array(served[id], dtype=float)
        size = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
        np.testing.assert_allclose(found, expected, rtol=0, atol=CLOSE * size, err_msg=id)


# Press the mouse on a cell and move it, one step a frame; or let it go if `release`. Return all numbers of the page.
DRAG = """
async (cell, [step, frames, release, pointerType = "mouse"]) => {
  const { left, top, width, height } = cell.getBoundingClientRect()
  const fire = (kind, dx) => cell.dispatchEvent(new PointerEvent(`pointer${kind}`, {
    clientX: left + width / 2 + dx, clientY: top + height / 2, pointerId: 1, pointerType, bubbles: true, composed: true
  }))
  cell.setPointerCapture = () => {}
  if (release) return fire("up", step * frames)
  fire("down", 0)
  for (let frame = 1; frame <= frames; frame++) {
    fire("move", step * frame)
    await new Promise(requestAnimationFrame)
  }
  return [window.labMessages, globalThis[Symbol.for("attention-lab.numbers")].allRows()]
}
"""


def test_all_that_follows_moves_with_the_hand_and_one_message_is_sent(visit):
    page = visit("/")
    page.evaluate(COUNT_MESSAGES)
    target, before = cell(page, "x", 4, 4), numbers(page, "weights")
    shares = page.locator(".words .share").all_inner_texts()
    messages, rows = target.evaluate(DRAG, [-4, 10, False])
    assert messages == 0
    assert rows["x"][4][4] == 0
    assert np.abs(np.array(rows["weights"]) - before)[4].max() > 0.3
    assert page.locator(".words .share").all_inner_texts() != shares
    target.evaluate(DRAG, [-4, 10, True])
    settle(page)
    assert page.evaluate("labMessages") - messages <= 2  # a slow machine may rest before it lets go
    np.testing.assert_allclose(numbers(page, "weights"), rows["weights"], atol=0.0051)


def test_only_cells_that_change_are_written(visit):
    page = visit("/queries_keys_values")
    page.evaluate(WATCH_CELLS)
    target = cell(page, "x", 0, 0)
    target.evaluate(DRAG, [4, 8, False])
    written = page.evaluate("labWritten")
    target.evaluate(DRAG, [4, 8, True])
    assert written
    assert all(old != new for old, new in written), written


def test_a_key_changes_a_number_by_a_tenth_and_with_shift_by_a_hundredth(visit):
    page = visit("/queries_keys_values")
    target = cell(page, "x", 0, 0)
    target.focus()
    page.keyboard.press("Alt+ArrowUp")
    until(page, lambda: numbers(page, "x")[0, 0], 1.1)
    page.keyboard.press("Alt+Shift+ArrowDown")
    until(page, lambda: numbers(page, "x")[0, 0], 1.09)


def test_on_a_phone_a_first_edit_moves_no_number(visit):
    page = visit("/queries_keys_values", width=390, height=844)
    target = cell(page, "x", 0, 0)
    before = target.bounding_box()
    target.focus()
    page.keyboard.press("Alt+ArrowUp")
    until(page, lambda: numbers(page, "x")[0, 0], 1.1)
    settle(page)
    assert target.bounding_box() == before


def test_a_screen_reader_hears_what_followed_in_one_sentence(visit):
    page = visit("/queries_keys_values")
    cell(page, "x", 0, 0).focus()
    page.keyboard.press("Alt+ArrowUp")
    heard = "Input, row 1, column 1: 1.1. These have changed: Queries, Keys, Values."
    expect(page.locator(".equation p.said").filter(has_text=heard)).to_have_count(1)
    page = visit("/softmax_axes?look=temperature")
    page.get_by_role("slider", name="Temperature T").focus()
    page.keyboard.press("ArrowRight")
    said = page.locator(".equation p.said").filter(has_text="Temperature T: 1.1. These have changed: ")
    expect(said).to_have_count(1)


def test_a_typed_number_shows_what_follows_before_it_is_entered(visit):
    page = visit("/attention?step=3&mistake=scores_as_weights")
    before = numbers(page, "q")
    cell(page, "x", 0, 0).dblclick()
    page.keyboard.type("5")
    until(page, lambda: numbers(page, "q")[0, 3], 10.0)
    pale = page.locator(".preview").count()
    assert pale == page.locator(".equation:has(table)").count() > 1  # also in the other equations
    page.keyboard.press("Escape")
    until(page, lambda: numbers(page, "q")[0, 3], before[0, 3])
    assert page.locator(".preview").count() == 0
    assert "x=" not in page.url


def test_a_slider_moves_the_arcs_between_two_words(visit):
    page = visit("/")
    slider = page.get_by_role("slider", name="What “it” is")

    def weights() -> list[float]:
        return [float(text) for text in page.locator(".words .share").all_inner_texts()]

    assert int(np.argmax(weights())) == 0  # cat
    slider.focus()
    page.keyboard.press("Home")
    until(page, lambda: int(np.argmax(weights())), 2)  # milk
    settle(page)
    assert slider.get_attribute("aria-valuetext") == "2 sour"
    page.reload()
    settle(page)
    assert slider.get_attribute("aria-valuetext") == "2 sour"


# Return the numbers that an element covers.
COVERED = """
(over) => {
  const box = (each) => each.getBoundingClientRect()
  const [{ left, right, top, bottom }, root] = [box(over), over.getRootNode()]
  const meets = (own) => own.left < right && own.right > left && own.top < bottom && own.bottom > top
  return [...root.querySelectorAll("td.cell")].filter((cell) => meets(box(cell))).map((cell) => cell.title)
}
"""


@pytest.mark.parametrize("reduced", [True, False])
def test_the_drag_is_taught_once_and_never_with_reduced_motion(visit, reduced):
    page = visit("/queries_keys_values", reduced_motion=reduced)
    hint = page.locator(".hint")
    if reduced:
        page.wait_for_timeout(2500)
        assert hint.count() == 0
        return
    hint.wait_for(timeout=8000)
    assert hint.evaluate(COVERED) == []
    hint.wait_for(state="detached", timeout=8000)
    assert numbers(page, "x")[0, 0] == 1.0
    page.reload()
    settle(page)
    page.wait_for_timeout(2500)
    assert hint.count() == 0


def test_a_press_ends_the_hint_and_puts_its_number_back(visit):
    page = visit("/queries_keys_values", reduced_motion=False)
    before = page.locator("td.cell").all_inner_texts()
    page.locator(".hint").wait_for(timeout=8000)
    until(page, lambda: numbers(page, "x")[0, 0] > 1.1, True)
    page.get_by_role("radio", name="As arrows").click()
    settle(page)
    assert page.locator(".hint").count() == 0
    until(page, lambda: page.locator("td.cell").all_inner_texts()[: len(before)], before)
    assert faults_of_grid(page) == []


@pytest.mark.parametrize("used", ["tab", "edit"])
def test_the_hint_never_comes_to_a_page_that_is_used(used, visit):
    page = visit("/queries_keys_values", reduced_motion=False)
    if used == "tab":
        page.get_by_role("radio", name="As arrows").click()
    else:
        type_over(cell(page, "x", 0, 0), "2")
        settle(page)
        page.reload()
    settle(page)
    page.wait_for_timeout(2500)
    assert page.locator(".hint").count() == 0


def test_a_finger_drags_only_the_selected_number(visit):
    page = visit("/queries_keys_values", touch=True, width=390, height=844)
    target = cell(page, "x", 0, 0)
    target.scroll_into_view_if_needed()

    def swipe() -> None:
        target.evaluate(DRAG, [8, 5, False, "touch"])
        target.evaluate(DRAG, [8, 5, True, "touch"])

    swipe()
    assert numbers(page, "x")[0, 0] == 1.0
    target.tap()
    settle(page)
    swipe()
    until(page, lambda: numbers(page, "x")[0, 0], 2.0)


# Move a slider, and return the least opacity of the element `shown` in the next frames.
MOVE = """
async (slider, [shown, value]) => {
  slider.value = value
  slider.dispatchEvent(new Event("input", { bubbles: true }))
  let least = 1
  for (const start = performance.now(); performance.now() < start + 400; ) {
    await new Promise(requestAnimationFrame)
    least = Math.min(least, getComputedStyle(shown).opacity)
  }
  return least
}
"""
OPACITY = "(found) => Number(getComputedStyle(found).opacity)"
SENTENCES = '[data-testid="stMain"] [data-testid="stMarkdown"] p'


@pytest.mark.parametrize(
    ("path", "label", "written"),
    [
        ("/softmax_axes?look=temperature&temperature=1.5", "Temperature T", ".sign.numbered"),
        ("/next_word", "Temperature T", SENTENCES),
        ("/positional_encoding?look=rotation", "Shift Δ", '[data-testid="stVegaLiteChart"]'),
    ],
)
def test_what_only_the_server_writes_is_pale_until_it_has_answered(visit, path, label, written):
    page = visit(path)
    shown = page.locator(written).filter(visible=True)
    shown = (shown if written != SENTENCES else shown.filter(has_text=re.compile(r"\d\.\d"))).first
    assert shown.evaluate(OPACITY) == 1
    assert page.get_by_role("slider", name=label).evaluate(MOVE, [shown.element_handle(), 3]) < 1
    until(page, lambda: shown.evaluate(OPACITY), 1)


def test_a_drag_makes_only_sentences_with_numbers_pale(visit):
    page = visit("/attention?step=3")
    sentence = page.locator(SENTENCES).filter(has_text="Step 3").first
    cell(page, "x", 4, 4).evaluate(DRAG, [4, 10, False])
    assert page.locator(".older").filter(visible=True).count()
    assert sentence.evaluate(OPACITY) == 1
