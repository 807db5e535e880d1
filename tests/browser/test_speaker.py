"""The speaker's window: it follows the stage, says what is covered, and takes the same keys."""

from playwright.sync_api import expect

from browser.equation import cell
from browsing import LISTENS, settle


def open_notes(page):
    """Open the speaker's window by its key, and return it."""
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    return wait_until_listening(opened.value)


def wait_until_listening(notes):
    """Wait until the speaker's window takes keys, and return the window."""
    notes.wait_for_function("window.labFollows")
    return notes


def test_notes_stand_in_a_second_window_that_follows_the_first_and_takes_its_keys(visit):
    page = visit("/?scene=1&view=present&route=20")
    notes = open_notes(page)
    title, said = notes.locator("h1"), notes.locator("body")
    expect(title).to_have_text("1 of 12 · What does “it” refer to?")
    expect(said).to_contain_text("B the milk")
    expect(said).to_contain_text("“it” attends to “cat” with 0.73")  # the audience does not see it yet
    expect(said).to_contain_text("Say: Read the sentence aloud")
    expect(said).to_contain_text("One word becomes “sour”")
    expect(said).to_contain_text("Covered" + "the sentence")
    expect(notes.locator(".time")).to_have_text("0:00 of 20:00 · Page Down starts the clock, R resets it")
    for key in ("PageDown", "ArrowRight"):
        notes.keyboard.press(key)
    expect(title).to_have_text("2 of 12 · One word becomes “sour”. What does “it” refer to now?")
    expect(page.locator(".st-key-scene")).to_contain_text("2 of 12")
    notes.keyboard.press("Space")
    expect(page.locator(".st-key-says")).to_be_visible()
    expect(said).to_contain_text("Nothing: the room sees all of it.")
    notes.keyboard.press("b")
    expect(page.get_by_role("status", name="Black screen")).to_be_visible()
    notes.keyboard.press("b")
    expect(page.get_by_role("status", name="Black screen")).to_have_count(0)
    notes.keyboard.press("q")
    expect(page.get_by_role("status", name="The code for phones")).to_be_visible()
    notes.keyboard.press("q")
    notes.keyboard.type("6")
    expect(page.locator("#lab-said")).to_have_text("Scene 6: press Enter")
    notes.keyboard.press("Enter")
    expect(title).to_have_text("6 of 12 · “drank” with “cat” scores 6. And “cat” with “drank”?")
    expect(said).to_contain_text("CoveredScores, the sentence")
    notes.close()


def test_the_second_window_follows_after_a_reload_of_either(visit):
    page = visit("/attention?scene=3&view=present&route=20")
    notes = open_notes(page)
    title = notes.locator("h1")
    expect(title).to_have_text("6 of 12 · “drank” with “cat” scores 6. And “cat” with “drank”?")
    page.reload()
    settle(page)
    page.wait_for_function(LISTENS)
    notes.keyboard.press("a")
    expect(cell(page, "scores", 1, 0)).to_be_visible()
    expect(notes.locator("body")).to_contain_text("Nothing: the room sees all of it.")
    notes.keyboard.press("PageDown")
    expect(title).to_have_text("7 of 12 · “cat” scores 6, “milk” 2. How many times its weight?")
    notes.reload()
    expect(title).to_have_text("7 of 12 · “cat” scores 6, “milk” 2. How many times its weight?")
    wait_until_listening(notes)
    notes.keyboard.press("PageUp")
    expect(title).to_have_text("6 of 12 · “drank” with “cat” scores 6. And “cat” with “drank”?")
    notes.close()
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-scene")).to_contain_text("7 of 12")
