"""A lecturer's own lecture: changed from a shipped one, saved, opened elsewhere, presented, and read by a phone."""

import io

import numpy as np
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from browser.test_presenting import open_own_course
from browsing import settle, stage_faults


def test_a_shipped_lecture_is_changed_saved_opened_elsewhere_presented_and_read_by_a_phone(visit, tmp_path):
    page = visit("/", width=1280, height=720)
    dialog = open_own_course(page)
    dialog.get_by_role("button", name="Begin with “20 minutes”").click()
    expect(dialog.get_by_role("textbox", name="12. Title", exact=True)).to_be_visible()
    settle(page)
    dialog.locator("[class*='st-key-own-Take-out-1'] button").first.click()
    expect(dialog.get_by_role("textbox", name="12. Title", exact=True)).to_have_count(0)
    settle(page)
    dialog.locator(".st-key-own-Up-1 button").click()  # the table moves up, before the sentence
    title = dialog.get_by_role("textbox", name="1. Title", exact=True)
    expect(title).to_have_attribute("placeholder", "“cat” becomes “lamp”. Which rows of the table change?")
    settle(page)
    title.fill("Which rows change?")
    title.press("Enter")
    settle(page)
    with page.expect_download() as saved:
        dialog.get_by_role("button", name="Save this course").click()
    saved.value.save_as(tmp_path / "course.json")

    stage = visit("/", width=1280, height=720)
    dialog = open_own_course(stage)
    dialog.locator("input[type=file]").set_input_files(tmp_path / "course.json")
    dialog.get_by_role("button", name="Present it: 11 scenes").click()
    heading = stage.locator(".st-key-scene p").first
    expect(heading).to_have_text("1 of 11 · Which rows change?")
    settle(stage)
    expect(stage.locator(".st-key-says p").first).to_be_hidden()
    assert stage_faults(stage) == []
    stage.keyboard.press("PageDown")
    expect(stage.locator(".st-key-says")).to_contain_text("To keep: Before attention")  # as in the app’s scene
    stage.keyboard.press("q")
    expect(stage.get_by_role("status", name="The code for phones")).to_be_visible()
    picture = np.asarray(Image.open(io.BytesIO(stage.screenshot())).convert("L"))
    (code,) = zxingcpp.read_barcodes(picture)
    stage.keyboard.press("PageDown")
    expect(heading).to_have_text("2 of 11 · What does “it” refer to?")

    phone = visit("/attention" + code.text.partition("/attention")[2], width=390, height=844, touch=True)
    offered = phone.locator(".st-key-guesses button")
    expect(offered).to_have_text(["Show the results"])
    expect(phone.locator(".st-key-says")).to_have_count(0)
    offered.first.click()
    expect(phone.locator(".st-key-says")).to_contain_text("Only the first row.")
