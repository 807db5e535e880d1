"""Notices in a browser: one box that can be closed, an error at its cell, a missing page by its name."""

import pytest
from playwright.sync_api import expect

from browser.equation import cell
from browsing import settle

WRONG_LINK = "/softmax_axes?axis=x&base=zz&temperature=q&digits=99"


def test_the_notices_of_a_link_are_one_low_box_that_can_be_closed(visit):
    page = visit(WRONG_LINK)
    box = page.locator(".st-key-notice")
    assert box.bounding_box()["height"] <= 70
    expect(box.get_by_text("must be")).to_have_count(1)
    box.get_by_role("button", name="more").click()
    expect(page.get_by_role("listitem").filter(has_text="must be")).not_to_have_count(0)
    page.keyboard.press("Escape")
    box.get_by_role("button", name="Close").click()
    expect(box).to_have_count(0)
    cell(page, "scaled", 0, 0).click()
    expect(settle(page).locator(".st-key-notice")).to_have_count(0)


def test_a_missing_page_is_named(visit):
    page = visit("/nosuchpage")
    expect(page.get_by_text("There is no page nosuchpage in this app.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("heading", level=1, name="What does “it” refer to?")).to_be_visible()


@pytest.mark.parametrize(("width", "column"), [(1280, 2), (390, 5)])
def test_what_is_wrong_with_an_entry_stands_below_its_cell(visit, width, column):
    page = visit("/queries_keys_values", width=width, height=844)
    entry = cell(page, "x", 3, column)
    entry.dblclick()
    page.keyboard.type("much")
    page.keyboard.press("Enter")
    message = page.get_by_role("alert").filter(has_text="much")
    expect(message).to_be_visible()
    here, there = entry.bounding_box(), message.bounding_box()
    assert here is not None
    assert there is not None
    assert here["y"] + here["height"] <= there["y"] <= here["y"] + here["height"] + 12
    assert there["x"] <= here["x"] + 1
    assert there["x"] + there["width"] <= width
    assert there["x"] == pytest.approx(here["x"], abs=1) or there["x"] + there["width"] >= width - 10


def test_the_keys_of_a_lecture_are_a_table(visit):
    page = visit("/softmax_axes")
    page.get_by_role("button", name="Scenes").click()
    keys = page.get_by_role("dialog").get_by_role("row").filter(has_text="uncover, then go on")
    expect(keys.get_by_role("cell")).to_have_text(["Page Down, →, Space", "uncover, then go on"])
