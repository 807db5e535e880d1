"""The picture of words: pointing at a word shows only the lines of this word, without asking the server."""

import re

from playwright.sync_api import expect

from browser.equation import until_query


def words(page):
    """Return the picture of words."""
    return page.locator(".words")


def taken_text(page):
    """Return the text that says what a word takes from the others."""
    return words(page).get_by_role("status")


def word(page, text, nth=0):
    """Return the button of a word in the picture. If the word comes several times, `nth` counts from 0."""
    return words(page).get_by_role("button", name=re.compile(rf"^{text}: ")).nth(nth)


def test_moving_onto_a_word_shows_its_lines_alone_without_asking_the_server(visit):
    page = visit("/your_sentence?source=typed")
    expect(taken_text(page)).to_contain_text("“cat” attends to")
    lines = words(page).locator("svg path")
    chosen = lines.first.get_attribute("d")
    sent = page.evaluate("window.labTimes.sent")
    word(page, "saw").hover()
    expect(taken_text(page)).to_contain_text("“saw” attends to The with 0.20")
    assert lines.count() == 6
    assert lines.first.get_attribute("d") != chosen
    expect(word(page, "cat", 1)).to_have_attribute("aria-pressed", "true")  # this word stays chosen
    page.mouse.move(5, 5)
    expect(taken_text(page)).to_contain_text("“cat” attends to")
    assert lines.first.get_attribute("d") == chosen
    assert page.evaluate("window.labTimes.sent") == sent


def test_the_keyboard_moves_onto_words_as_well_and_enter_keeps_one(visit):
    page = visit("/your_sentence?source=typed")
    word(page, "The").focus()
    expect(taken_text(page)).to_contain_text("“The” attends to itself with 0.35")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(word(page, "saw")).to_be_focused()
    expect(taken_text(page)).to_contain_text("“saw” attends to")
    assert "word=" not in page.url
    page.keyboard.press("Enter")
    until_query(page, source="typed", word="2")
    page.get_by_role("textbox", name="Your sentence").focus()
    expect(taken_text(page)).to_contain_text("“saw” attends to")
    expect(page.get_by_text("attends most to").first).to_contain_text("saw")


def test_the_picture_and_what_is_said_of_it_stand_in_the_first_screen(visit):
    page = visit("/your_sentence")
    for shown in (word(page, "cat"), page.get_by_text("This is a trained model")):
        assert shown.bounding_box()["y"] < 620
    assert page.locator("figure").first.bounding_box()["y"] < 750
