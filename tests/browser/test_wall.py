"""The wall, a picture with a map of each head: a press or a key chooses a head, and a line says which head it is."""

import re

from playwright.sync_api import expect

from browsing import resize

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def open_wall(visit, size):
    """Open "Real heads" in a window of this size. Return the tab and the wall: a picture with a map of each head."""
    page = visit("/real_heads", **size)
    wall = page.get_by_role("img", name=re.compile("The attention weights of 30 layers of 9 heads"))
    expect(wall).to_be_visible()
    return page, wall


def title_of_weights(page, head):
    """Return the title of the equation that shows the weights of a head."""
    return page.get_by_text(f"{head}: how much each token attends to each")


def press(wall, column, row, columns):
    """Press the middle of the map in `column` and `row` of the wall, which has `columns` columns of maps."""
    width = wall.bounding_box()["width"]
    letter = 0.8 * wall.evaluate("wall => parseFloat(getComputedStyle(document.documentElement).fontSize)")
    left, top = 1.7 * letter, 1.4 * letter
    pitch = (width - left) / columns
    wall.click(position={"x": left + (column + 0.5) * pitch, "y": top + (row + 0.5) * pitch})


def test_a_press_and_a_key_choose_a_head(visit):
    page, wall = open_wall(visit, DESK)
    expect(title_of_weights(page, "L18H6")).to_be_visible()
    press(wall, 16, 0, columns=30)
    expect(title_of_weights(page, "L16H0")).to_be_visible()
    page.wait_for_url("**/real_heads?head=16.0")
    wall.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("Layer 17, head 1 (L17H1)")).to_be_visible()
    expect(title_of_weights(page, "L16H0")).to_be_visible()  # moving over the wall does not choose a head
    page.keyboard.press("Enter")
    expect(title_of_weights(page, "L17H1")).to_be_visible()
    expect(wall).to_have_attribute("aria-label", re.compile("layer 17, head 1 is chosen"))


def test_on_a_phone_layers_stand_below_each_other(visit):
    page, wall = open_wall(visit, PHONE)
    expect(page.get_by_text("Layers 0 to 29 below each other, heads 0 to 8 side by side.")).to_be_visible()
    press(wall, 6, 17, columns=9)
    expect(title_of_weights(page, "L17H6")).to_be_visible()
    resize(page, **DESK)
    expect(page.get_by_text("Layers 0 to 29 side by side, heads 0 to 8 below each other.")).to_be_visible()
