"""A scene looks the same whatever the visitor pointed at, focused, touched or selected before. A start begins anew."""

import re

from playwright.sync_api import expect

from browser.equation import cell
from browsing import LISTENS, settle

HOME = "/?scene={}&view=present&route=20"
FOCUSED = """() => {
  let at = document.activeElement
  while (at?.shadowRoot) at = at.shadowRoot.activeElement
  return at?.className ?? ""
}"""


def word(page, name):
    """Return the button of a word in the picture."""
    return page.get_by_role("button", name=re.compile(f"^{name}: "))


def press_on_to_title(page, title):
    """Press Page Down, wait for the scene with this title, and uncover everything in it."""
    settle(page)
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-scene")).to_contain_text(title)
    settle(page)
    page.keyboard.press("a")
    expect(page.locator(".st-key-says")).to_be_visible()


def test_words_that_were_pointed_at_touched_or_focused_are_not_chosen_in_the_next_scene(visit):
    page = visit(HOME.format(1))
    page.keyboard.press("a")
    asking = page.locator(".asking")
    for disturb in ("hover", "click", "focus"):
        drank = word(page, "drank")
        getattr(drank, disturb)()
        expect(asking).to_have_text(re.compile("drank"))
        press_on_to_title(page, "One word becomes “sour”")
        expect(asking).to_have_text(re.compile("it$"))
        expect(page.locator(".takes")).to_contain_text("attends to milk with 0.73")
        assert "asks" not in page.evaluate(FOCUSED)
        page.mouse.move(5, 700)
        page.keyboard.press("PageUp")
        page.keyboard.press("PageUp")
        expect(page.locator(".st-key-scene")).to_contain_text("1 of 12")
        settle(page)
        expect(asking).to_have_text(re.compile("it$"))
        page.keyboard.press("a")
    word(page, "drank").hover()
    word(page, "milk").hover()  # the mouse works again when it moves in this scene
    expect(asking).to_have_text(re.compile("milk$"))


def test_a_number_that_was_selected_is_not_selected_in_the_next_scene(visit):
    page = visit("/attention?scene=3&view=present&route=20")
    page.keyboard.press("a")
    cell(page, "scores", 1, 0).click()
    expect(page.locator("td.selected")).not_to_have_count(0)
    expect(page.locator(".st-key-arithmetic")).to_be_visible()
    press_on_to_title(page, "How many times its weight?")
    expect(page.locator("td.selected, td.self, td.read")).to_have_count(0)
    expect(page.locator(".st-key-arithmetic").locator("visible=true")).to_have_count(0)
    assert "cell" not in page.evaluate(FOCUSED)
    expect(page.locator("td.spoken")).not_to_have_count(0)  # the numbers that the sentence says are marked


def begin_lecture(page):
    page.get_by_role("button", name="Scenes", exact=True).click()
    page.get_by_role("button", name=re.compile("^20 minutes")).click()
    expect(page.locator(".st-key-scene")).to_contain_text("1 of 12")
    settle(page)


def expect_a_start(page):
    """Check that the clock is at 0:00, and that the results are covered."""
    clock = page.locator("#lab-clock")
    expect(clock).to_have_text("0:00 of 20:00 · Page Down starts the clock, R resets it")
    expect(page.locator(".st-key-says")).to_be_hidden()
    expect(page.locator(".words .share").first).to_be_hidden()


def test_every_start_covers_all_and_sets_the_clock_to_0(visit):
    page = visit("/")
    begin_lecture(page)
    expect_a_start(page)
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-says")).to_be_visible()
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-scene")).to_contain_text("5 of 12")
    settle(page)
    page.keyboard.press("a")
    expect(page.locator("figure.covered")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Scenes", exact=True)).to_be_visible()
    settle(page)
    begin_lecture(page)  # a second time in the same tab
    expect_a_start(page)
    page.keyboard.press("a")
    expect(page.locator(".st-key-says")).to_be_visible()
    page.goto(HOME.format(1))  # by a link
    page.wait_for_function(LISTENS)
    settle(page)
    expect_a_start(page)
    page.goto("/attention?scene=3&view=present&route=20")
    settle(page)
    expect(page.locator("figure.covered")).not_to_have_count(0)


def test_a_typed_number_is_shown_and_one_that_does_not_exist_is_refused_with_its_reason(visit):
    page = visit(HOME.format(1))
    said = page.locator("#lab-said")
    page.keyboard.type("99")
    expect(said).to_have_text("Scene 99: press Enter")
    page.keyboard.press("Backspace")
    expect(said).to_have_text("Scene 9: press Enter")
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    expect(said).to_have_text("There is no scene 99: this lecture has 12.")
    page.keyboard.press("b")
    page.keyboard.type("4")  # this key ends the black screen and is the first digit
    expect(page.locator("#lab-black")).to_have_count(0)
    expect(said).to_have_text("Scene 4: press Enter")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-scene")).to_contain_text("4 of 12")
    expect(said).to_have_text("")
    settle(page)
    page.keyboard.press("End")
    expect(page.locator(".st-key-scene")).to_contain_text("12 of 12")
    settle(page)
    page.keyboard.press("a")
    page.keyboard.press("PageDown")
    expect(said).to_have_text("This is the last scene.")


def test_a_link_to_a_scene_that_its_page_does_not_have_says_so_on_the_stage(visit):
    page = visit("/?scene=9&route=45&view=present")
    refused = page.get_by_text("must be a scene of this page, 1 to 6, but it is")
    expect(refused).to_be_in_viewport(ratio=1)
    page.keyboard.press("Home")
    expect(page.locator(".st-key-scene")).to_contain_text("1 of ")
