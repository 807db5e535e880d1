"""What a presenter does by keys: go through scenes, black screen, clock, notes, the QR code for phones.

Also a lecturer's own course.
"""

import io
import re

import numpy as np
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from browser.equation import cell, until
from browser.test_lecture import path_and_query
from browsing import open_in_menu, settle, stage_faults
from pages.shared.site.page import catalogue

RUNNING = re.compile(r"^1:\d\d of 45:00 · this scene until 2:00$")


def test_presses_that_come_faster_than_the_page_are_done_one_after_the_other(visit):
    page = visit("/attention?scene=1&view=present&route=attention")
    attention = next(entry for entry in catalogue() if entry.name == "attention")
    for _ in range(10):
        page.keyboard.press("PageDown")
        page.wait_for_timeout(30)
    reached = scene_after_slow_presses(page, attention)
    expect(page.locator(".st-key-scene")).to_contain_text(f"{reached} of 11")
    until(page, lambda: f"scene={reached}&" in page.url, True)


def test_a_key_right_after_a_click_acts_on_the_scene_that_comes(visit):
    page = visit("/?scene=1&view=present&route=20")
    page.keyboard.press("a")
    page.locator(".st-key-scene").get_by_role("button", name="Next").click()
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-scene")).to_contain_text("2 of 12")
    expect(page.locator(".st-key-says")).to_be_visible()  # the key has uncovered it
    settle(page, quiet=400)
    expect(page.locator(".st-key-scene")).to_contain_text("2 of 12")


def scene_after_slow_presses(page, entry):
    """Press Page Down ten times in a new tab, each time after the page has become still. Return the scene's number."""
    other = page.context.new_page()
    other.set_viewport_size(page.viewport_size)
    other.goto(page.url.split("?")[0] + "?scene=1&view=present&route=attention")
    other.evaluate("sessionStorage.clear()")
    for _ in range(10):
        settle(other, quiet=200)
        other.keyboard.press("PageDown")
    settle(other, quiet=200)
    number = int(other.locator(".st-key-scene p").first.inner_text().split(" ")[0])
    other.close()
    return number


def test_any_key_ends_the_black_screen(visit):
    page = visit("/attention?scene=3&view=present")
    black = page.get_by_role("status", name="Black screen")
    page.keyboard.press("b")
    expect(black).to_be_visible()
    page.keyboard.press("b")
    expect(black).to_have_count(0)
    page.keyboard.press(".")
    expect(black).to_be_visible()
    expect(cell(page, "scores", 1, 0)).to_be_hidden()
    page.keyboard.press("PageDown")  # this key ends the black screen and still does its usual work
    expect(black).to_have_count(0)
    expect(cell(page, "scores", 1, 0)).to_be_visible()


def test_a_clock_tells_elapsed_and_planned_time(visit):
    visit("/")  # other tests use this tab later, and a clock that was set stays in its tab
    page = visit("/?scene=1&view=present&route=45")
    clock = page.locator("#lab-clock")
    expect(clock).to_have_text("0:00 of 45:00 · Page Down starts the clock, R resets it")
    page.clock.install()
    page.keyboard.press("PageDown")
    page.clock.fast_forward(61_000)
    expect(clock).to_have_text(RUNNING)
    page.keyboard.press("c")
    expect(clock).to_have_text("")
    page.keyboard.press("c")
    expect(clock).to_have_text(RUNNING)
    page.keyboard.press("r")
    expect(clock).to_have_text("0:00 of 45:00 · Page Down starts the clock, R resets it")


def test_a_course_of_ones_own_is_made_saved_opened_elsewhere_and_played(visit, tmp_path):
    page = visit("/attention?step=4&example=hand")
    dialog = open_own_course(page)
    dialog.get_by_role("button", name="Add what the page shows now").click()
    title = dialog.get_by_role("textbox", name="1. Title")
    expect(title).to_have_value("Attention, step by step")
    title.fill("By hand")
    title.press("Enter")
    settle(page)
    page.keyboard.press("Escape")
    open_in_menu(page, "scaling")
    settle(page)
    dialog = open_own_course(page)
    expect(dialog.get_by_role("textbox", name="1. Title")).to_have_value("By hand")
    dialog.get_by_role("button", name="Add what the page shows now").click()
    expect(dialog.get_by_role("textbox", name="2. Title")).to_be_visible()
    with page.expect_download() as saved:
        dialog.get_by_role("button", name="Save this course").click()
    saved.value.save_as(tmp_path / "course.json")
    other = visit("/")
    dialog = open_own_course(other)
    dialog.locator("input[type=file]").set_input_files(tmp_path / "course.json")
    expect(dialog.get_by_role("textbox", name="2. Title")).to_be_visible()  # the scene is in the course at once
    dialog.get_by_role("button", name="Present it: 2 scenes").click()
    expect(other.locator(".st-key-scene")).to_contain_text("1 of 2 · By hand")
    expect(dialog).to_have_count(0)
    settle(other)
    expect(other.locator("#lab-clock")).to_have_text("0:00 of 4:00 · Page Down starts the clock, R resets it")
    other.keyboard.press("a")
    expect(cell(other, "scaled", 0, 0)).to_be_visible()
    assert stage_faults(other) == []
    other.keyboard.press("q")
    code = other.get_by_role("status", name="The code for phones").locator("p").first
    expect(code).to_have_text(re.compile(r"/attention\?scene=1&route=own&view=guess&course=\S+$"))
    other.keyboard.press("q")
    other.keyboard.press("PageDown")
    expect(other.locator(".st-key-scene")).to_contain_text("2 of 2 · Scaling")
    settle(other)
    assert path_and_query(other).startswith("scaling?scene=2&route=own&view=present&course=")
    other.reload()
    expect(other.locator(".st-key-scene")).to_contain_text("2 of 2 · Scaling")


def open_own_course(page):
    """Open the dialog in which a lecturer makes a course, and return it."""
    page.get_by_role("button", name="Scenes", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("A course of your own").click()
    return dialog


def test_a_shipped_lecture_is_changed_saved_opened_elsewhere_presented_and_read_by_a_phone(visit, tmp_path):
    page = visit("/", width=1280, height=720)
    dialog = open_own_course(page)
    dialog.get_by_role("button", name="Begin with “20 minutes”").click()
    expect(dialog.get_by_role("textbox", name="12. Title", exact=True)).to_be_visible()
    settle(page)
    dialog.locator(".st-key-own-take_out-1 button").first.click()
    expect(dialog.get_by_role("textbox", name="12. Title", exact=True)).to_have_count(0)
    settle(page)
    dialog.locator(".st-key-own-up-1 button").click()  # the table moves up, before the sentence
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
