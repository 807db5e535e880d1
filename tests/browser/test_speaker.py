"""The speaker's window: it follows the stage, says what is covered, and takes the same keys."""

from playwright.sync_api import expect

from browser.equation import cell
from browsing import LISTENS, settled


def opened_notes(page):
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    return listening(opened.value)


def listening(notes):
    """Wait until the window takes keys, which its script does a moment after its text has come."""
    notes.wait_for_function("window.labFollows")
    return notes


def test_notes_stand_in_a_second_window_that_follows_the_first_and_takes_its_keys(visit):
    page = visit("/?scene=1&view=present&route=20")
    notes = opened_notes(page)
    title, said = notes.locator("h1"), notes.locator("body")
    expect(title).to_have_text("1 of 9 · Whom does “it” mean?")
    expect(said).to_contain_text("B the milk")
    expect(said).to_contain_text("0.73 of it goes to “cat”")  # though the room does not see it yet
    expect(said).to_contain_text("Read the sentence aloud.")
    expect(said).to_contain_text("One word says “sour”")
    expect(said).to_contain_text("Covered" + "the sentence")
    expect(notes.locator(".time")).to_have_text("0:00 of 20:00 · Page Down starts the clock, R resets it")
    for key in ("PageDown", "ArrowRight"):
        notes.keyboard.press(key)
    expect(title).to_have_text("2 of 9 · One word says “sour”: whom does “it” mean now?")
    expect(page.locator(".st-key-scene")).to_contain_text("2 of 9")
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
    notes.keyboard.type("5")
    expect(page.locator("#lab-said")).to_have_text("Scene 5: press Enter")
    notes.keyboard.press("Enter")
    expect(title).to_have_text("5 of 9 · Who matches whom, and is it mutual?")
    expect(said).to_contain_text("CoveredScores, Scaled scores, the sentence")
    notes.close()


def test_the_second_window_follows_after_a_reload_of_either(visit):
    page = visit("/attention?scene=3&view=present&route=20")
    notes = opened_notes(page)
    title = notes.locator("h1")
    expect(title).to_have_text("5 of 9 · Who matches whom, and is it mutual?")
    page.reload()
    settled(page)
    page.wait_for_function(LISTENS)
    notes.keyboard.press("a")
    expect(cell(page, "scores", 1, 0)).to_be_visible()
    expect(notes.locator("body")).to_contain_text("Nothing: the room sees all of it.")
    notes.keyboard.press("PageDown")
    expect(title).to_have_text("6 of 9 · How much does each take from each?")
    notes.reload()
    expect(title).to_have_text("6 of 9 · How much does each take from each?")
    listening(notes)
    notes.keyboard.press("PageUp")
    expect(title).to_have_text("5 of 9 · Who matches whom, and is it mutual?")
    notes.close()
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-scene")).to_contain_text("6 of 9")
