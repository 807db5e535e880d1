"""The path in a browser: walked by keyboard, on a phone, gone on with later, and its first screen."""

import re

import pytest
from playwright.sync_api import expect

from browser.equation import cell
from browser.test_accessibility import faults, faults_of_colours, in_theme
from browser.test_contract import FITS_ITS_WIDTH
from browsing import resized, settled
from pages.shared.scene_files.screens import screens

SCREENS = screens()

SEES_THE_WAY_ON = """document.querySelector(".st-key-path_onward").getBoundingClientRect().top < innerHeight"""


def question(page, number):
    return page.get_by_role("heading", level=1, name=SCREENS[number - 1].question)


def test_the_path_is_walked_by_keyboard(visit):
    page = visit("/path")
    expect(question(page, 1)).to_be_visible()
    page.keyboard.press("PageDown")  # there is no guess yet: the first answer gets the focus
    expect(page.locator(".st-key-path_options button").first).to_be_focused()
    page.keyboard.press("3")
    expect(page.get_by_text("Right.")).to_be_visible()
    settled(page)
    assert "guesses=refers3" in page.url
    page.locator("h1").click()
    while not page.evaluate(SEES_THE_WAY_ON):  # until it does, Page Down scrolls as everywhere
        page.keyboard.press("PageDown")
        settled(page)
    page.keyboard.press("PageDown")
    expect(question(page, 2)).to_be_visible()
    page.keyboard.press("PageUp")
    expect(question(page, 1)).to_be_visible()


def test_a_typed_number_is_a_guess(visit):
    number = next(n for n, screen in enumerate(SCREENS, 1) if screen.typed)
    page = visit(f"/path?screen={number}")
    page.get_by_role("spinbutton").fill("2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("is the value of “cat” alone")).to_be_visible()


def test_the_browser_goes_on_where_it_was_and_a_link_opens_what_it_says(visit):
    page = visit("/path?screen=2")
    page.keyboard.press("1")
    expect(page.get_by_text("Right.")).to_be_visible()
    settled(page)
    page.goto(re.sub(r"\?.*", "", page.url))
    expect(question(settled(page), 2)).to_be_visible()
    expect(page.get_by_text("Right.")).to_be_visible()
    page.goto(re.sub(r"\?.*", "?screen=5", page.url))
    expect(question(settled(page), 5)).to_be_visible()
    assert "table1" in page.url


def test_back_and_forward_of_the_browser_walk_the_path(visit):
    page = visit("/path?screen=2")
    page.locator(".st-key-path-next button").click()
    expect(question(page, 3)).to_be_visible()
    settled(page).go_back()
    expect(question(page, 2)).to_be_visible()
    settled(page).go_forward()
    expect(question(page, 3)).to_be_visible()


def test_a_mark_of_the_bar_leads_to_its_screen(visit):
    page = visit("/path")
    page.get_by_role("button", name=re.compile("^5 of")).click()
    expect(question(page, 5)).to_be_visible()
    assert "screen=5" in settled(page).url
    expect(page.get_by_role("button", name=re.compile("^5 of"))).to_have_attribute("aria-current", "step")


def test_home_begins_with_what_for_whom_how_long_and_start(visit):
    page = visit("/")
    for width, height in ((1280, 800), (390, 844)):
        resized(page, width, height)
        for shown in (page.get_by_text("about 40 minutes"), page.get_by_role("link", name="Start", exact=True)):
            box = shown.bounding_box()
            assert box["y"] + box["height"] <= height
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    page.get_by_role("link", name="Start", exact=True).click()
    expect(question(page, 1)).to_be_visible()


def test_a_page_leads_back_to_its_screen(visit):
    page = visit("/softmax_axes")
    page.get_by_role("link", name="In the path").click()
    expect(question(page, 5)).to_be_visible()


def test_on_a_phone_the_bar_is_one_line_and_answers_can_be_pressed(visit):
    page = visit("/path?screen=5", width=390, height=844, touch=True)
    assert page.get_by_role("navigation", name="Chapters of the path").bounding_box()["height"] <= 50
    page.get_by_role("button", name="About 55 times").tap()
    expect(page.get_by_text("Right.")).to_be_in_viewport()


def test_an_answer_is_played_once_stopped_and_played_again_by_key(visit):
    page = visit("/path?screen=8", reduced_motion=False)
    page.keyboard.press("2")
    button = page.get_by_role("button", name=re.compile("Stop|Play it again"))
    expect(button).to_have_text(re.compile("Stop"))
    page.keyboard.press("Escape")
    expect(button).to_have_text(re.compile("Play it again"))
    expect(cell(page, "summed", 4, 0)).to_have_text("1.50")
    page.keyboard.press("r")
    expect(button).to_have_text(re.compile("Stop"))
    expect(cell(page, "summed", 4, 0)).not_to_have_text("1.50")
    expect(button).to_have_text(re.compile("Play it again"))
    expect(cell(page, "summed", 4, 0)).to_have_text("1.50")


def test_with_less_motion_the_end_is_there_at_once(visit):
    page = visit("/path?screen=8")
    page.keyboard.press("2")
    expect(cell(page, "summed", 4, 0)).to_have_text("1.50")
    expect(page.get_by_role("button", name="Play it again")).to_have_count(0)


def test_an_answer_below_the_screen_is_scrolled_to(visit):
    page = visit("/path?screen=4", height=600)
    page.keyboard.press("2")
    expect(page.get_by_text("A score has a direction")).to_be_in_viewport()


@pytest.mark.parametrize("number", [1, 5, 7, 9, 12, 16, 18, len(SCREENS) + 1])
def test_a_screen_can_be_read_by_all_before_its_guess_and_after(visit, number):
    """One screen of each kind of picture; the contract of pages asks the first one for more."""
    page = visit(f"/path?screen={number}", width=390, height=844)
    assert faults(page, menu=False) == []
    show = page.get_by_role("button", name="Show me")
    if show.count():
        show.click()
        settled(page)
        assert faults(page, menu=False) == []
        assert page.evaluate(FITS_ITS_WIDTH)
    resized(in_theme(page, "dark"), 1280, 800)
    assert faults_of_colours(page) == []
