"""Sliders and bars whose numbers stand in the arithmetic: all that follows moves with the hand, and the link has the
number when the hand rests.
"""

from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core import shift_pair, softmax_steps
from attention_core.examples import example
from attention_core.experiments.scores import WIDTHS, growing_scores
from attention_core.experiments.training import Aim, train
from attention_core.mistakes import naive_softmax_steps
from browser.equation import address_query, arithmetic, cell, figure, numbers, until, until_numbers, until_query
from browsing import settle

SCORES = example("story").attention().scaled
TWELVE = np.array([[1, 0.5, 0.2, 3], [1, -1, 7, 3], [2, 12, 13, 3]])
WARM = "/softmax_axes?look=temperature"
REST = 150  # milliseconds without a move, after which the server hears of it
# Counts the messages of the tab. For each move of a slider it notes their number, the time, and, once the page has
# followed, the numbers of a matrix.
RECORD = """
(id) => {
  const send = WebSocket.prototype.send
  window.recorded = { sent: 0, moves: [] }
  WebSocket.prototype.send = function (...message) {
    window.recorded.sent++
    return send.apply(this, message)
  }
  const { rowsOf } = globalThis[Symbol.for("attention-lab.numbers")]
  const note = () => {
    const [sent, at] = [window.recorded.sent, performance.now()]
    const follow = () => window.recorded.moves.push([sent, at, rowsOf(id)])
    requestAnimationFrame(() => requestAnimationFrame(follow))
  }
  addEventListener("input", note, true)
}
"""
# Notes the number of a slider in each frame.
WATCH = """
(slider) => {
  window.watched = []
  const watch = () => {
    window.watched.push(Number(slider.value))
    requestAnimationFrame(watch)
  }
  watch()
}
"""
SENT = "window.recorded.sent"


def slider_of(page, label):
    return page.get_by_role("slider", name=label)


def drag(page, slider, pixels, *, up=0):
    """Take a slider, or the top of a bar, in the middle of its thumb, and move it without letting it go."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    part = slider.evaluate("({ type, value, min, max }) => (type === 'range' ? (value - min) / (max - min) : 0.5)")
    x, y = box["x"] + 9 + part * (box["width"] - 18), box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + pixels, y - up, steps=12)


def moves(page):
    """Return each move: how many messages were sent until then, its time, and the matrix that followed."""
    return [(sent, at, np.array(rows, dtype=float)) for sent, at, rows in page.evaluate("window.recorded.moves")]


def tempered(value: float) -> np.ndarray:
    return softmax_steps(SCORES, temperature=value).powers


def raised(value: float) -> np.ndarray:
    return naive_softmax_steps(SCORES + value).powers


def shifted(value: float) -> np.ndarray:
    return shift_pair(2, int(value), 0, 8, 10000.0, n_positions=3 + int(value)).after


def stepped(value: float) -> np.ndarray:
    losses = train(example("story"), Aim(token=4, target=1), lr=value, steps=1).losses
    return losses[1:, None]


@pytest.mark.parametrize(
    ("path", "label", "name", "id", "expected"),
    [
        (WARM, "Temperature T", "temperature", "powers_rows", tempered),
        ("/softmax_axes?look=powers&subtract=off", "Add to every score", "constant", "powers_rows", raised),
        ("/positional_encoding?look=rotation", "Shift Δ", "shift", "after", shifted),
        ("/training_step?look=losses", "Learning rate", "rate", "loss_next", stepped),
    ],
)
def test_what_follows_moves_with_the_slider_and_the_server_hears_once(path, label, name, id, expected, visit):
    page = visit(path)
    slider = slider_of(page, label)
    page.evaluate(RECORD, id)
    before = numbers(page, id)
    drag(page, slider, 80)
    until(page, lambda: len(moves(page)) > 3, True)
    found = moves(page)
    rests = [later > sent for (sent, _, _), (later, _, _) in pairwise(found)]
    pauses = [at - last >= REST for (_, last, _), (_, at, _) in pairwise(found)]  # a busy machine moves with pauses
    assert found[0][0] == 0
    assert all(pause or not rest for rest, pause in zip(rests, pauses, strict=True))
    assert len({rows.tobytes() for _, _, rows in found}) > 3
    assert not np.allclose(found[-1][2], before)
    page.mouse.up()
    value = float(slider.input_value())
    until(page, lambda: address_query(page).get(name), f"{value:g}")
    settle(page)
    assert 1 <= page.evaluate(SENT) <= 1 + sum(pauses)
    scale = np.abs(expected(value)).max()
    np.testing.assert_allclose(moves(page)[-1][2] / scale, expected(value) / scale, rtol=0, atol=1e-9)
    np.testing.assert_allclose(numbers(page, id) / scale, expected(value) / scale, rtol=0, atol=1e-9)


def test_a_slider_with_steps_moves_what_follows_from_its_place(visit):
    page = visit("/scaling?look=draws")
    slider = slider_of(page, "Width of a key")
    drag(page, slider, -120)
    place = int(slider.input_value())
    assert place < WIDTHS.index(64)
    scores = growing_scores("normal", 4, WIDTHS, np.random.default_rng(0))[[place]]
    until_numbers(page, "weights_drawn_root", softmax_steps(scores / WIDTHS[place] ** 0.5).weights)
    page.mouse.up()
    until_query(page, look="draws", d_k=str(WIDTHS[place]))
    settle(page)
    until_numbers(page, "drawn", scores)


def test_the_number_is_in_the_link_and_a_reload_keeps_it(visit):
    page = visit(WARM)
    slider = slider_of(page, "Temperature T")
    drag(page, slider, 40)
    page.mouse.up()
    value = slider.input_value()
    assert float(value) > 1
    until_query(page, look="temperature", temperature=value)
    page.reload()
    settle(page)
    expect(slider).to_have_value(value)
    expect(slider).to_have_attribute("aria-valuetext", value)
    until_numbers(page, "powers_rows", tempered(float(value)))


def test_keys_move_a_slider(visit):
    page = visit(WARM)
    slider = slider_of(page, "Temperature T")
    for key, value in (("ArrowRight", 1.1), ("ArrowUp", 1.2), ("ArrowLeft", 1.1), ("End", 10), ("Home", 0.1)):
        slider.press(key)
        expect(slider).to_have_value(f"{value:g}")
        until_query(page, look="temperature", temperature=f"{value:g}")
        until_numbers(page, "weights_rows", softmax_steps(SCORES, temperature=value).weights)
    expect(slider).to_be_focused()


def test_an_older_answer_does_not_push_the_slider_back(visit):
    page = visit(WARM)
    slider = slider_of(page, "Temperature T")
    slider.evaluate(WATCH)
    slider.focus()
    page.evaluate(RECORD, "powers_rows")
    for presses in range(1, 4):
        page.keyboard.press("ArrowRight")
        until(page, lambda: page.evaluate(SENT), presses)
    until_query(page, look="temperature", temperature="1.3")
    settle(page)
    watched = page.evaluate("window.watched")
    assert watched == sorted(watched)
    assert watched[-1] == 1.3


def test_a_probability_that_the_browser_cannot_know_is_marked_as_old(visit):
    page = visit("/next_word?top_p=0.5")
    kept = figure(page, "kept")
    before = numbers(page, "kept")
    drag(page, slider_of(page, "Temperature T"), 160)
    until(
        page, lambda: "old" in str(kept.get_attribute("class")) or not np.allclose(numbers(page, "kept"), before), True
    )
    page.mouse.up()
    until(page, lambda: not np.allclose(numbers(page, "kept"), before), True)
    assert "old" not in str(kept.get_attribute("class")).split()


def test_help_is_shown_beside_the_label(visit):
    page = visit(WARM)
    help = page.get_by_role("tooltip").filter(has_text="The scores are divided by the temperature.")
    expect(help).to_be_hidden()
    page.locator(".item.live").get_by_role("button", name="Help").focus()
    expect(help).to_be_visible()
    expect(slider_of(page, "Temperature T")).to_have_accessible_description(
        "The scores are divided by the temperature. Above 1, the weights become more even; below 1, less even."
    )


def test_a_finger_finds_the_sliders(visit):
    page = visit("/softmax_axes?look=powers&source=array", touch=True, width=390, height=844)
    for slider in page.get_by_role("slider").all():
        box = slider.bounding_box()
        assert min(box["width"], box["height"]) >= 44


# --- bars ---


def test_a_bar_is_dragged_by_its_top_and_the_weights_follow(visit):
    page = visit("/softmax_axes?source=array")
    top = slider_of(page, "Score of column 4")
    expect(top).to_have_attribute("aria-valuetext", "3, weight 0.02")
    drag(page, top, 0, up=30)
    until(page, lambda: float(top.get_attribute("aria-valuenow")) > 5, True)
    page.mouse.up()
    settle(page)
    value = float(top.get_attribute("aria-valuenow"))
    scores = TWELVE.copy()
    scores[1, 3] = value
    until_numbers(page, "scores", scores)
    until_numbers(page, "weights_rows", softmax_steps(scores).weights)
    weight = softmax_steps(scores).weights[1, 3]
    expect(top).to_have_attribute("aria-valuetext", f"{value:g}, weight {weight:.2f}")
    page.get_by_role("button", name="Undo").click()  # the whole move is one edit
    expect(top).to_have_attribute("aria-valuenow", "3")
    until_numbers(page, "scores", TWELVE)


def test_keys_move_a_bar_and_take_it_back(visit):
    page = visit("/softmax_axes?source=array")
    top = slider_of(page, "Score of column 1")
    for key, value in (("ArrowUp", "1.1"), ("Shift+ArrowDown", "1.09"), ("PageUp", "2.09"), ("Control+z", "1.09")):
        top.press(key)
        expect(top).to_have_attribute("aria-valuenow", value)
        settle(page)
    until(page, lambda: numbers(page, "scores")[1, 0], 1.09)


def test_bars_are_those_of_the_row_with_the_selected_number(visit):
    page = visit("/softmax_axes")
    group = page.locator(".bars").get_by_role("group")
    expect(group).to_have_accessible_name("it")  # its row has the greatest weight
    expect(page.locator(".bars").get_by_role("slider")).to_have_count(0)  # the scores of an example are computed
    cell(page, "weights_rows", 1, 0).click()
    expect(arithmetic(page)).to_be_visible()
    expect(group).to_have_accessible_name("drank")
    page = visit("/softmax_axes?look=shares&axis=columns")
    expect(page.locator(".bars").get_by_role("group")).to_have_count(5)


def test_bars_follow_a_slider(visit):
    page = visit(WARM)
    weight = page.locator(".bars .column .area:last-child .number").first
    expect(weight).to_have_text("0.73")
    drag(page, slider_of(page, "Temperature T"), 40)
    expect(weight).not_to_have_text("0.73")
    page.mouse.up()
    value = float(slider_of(page, "Temperature T").input_value())
    expect(weight).to_have_text(f"{softmax_steps(SCORES, temperature=value).weights[4, 0]:.2f}")
