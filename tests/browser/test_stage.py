"""A scene looks the same whatever the visitor pointed at, focused, touched or selected before. A start begins anew.

Also the speaker's window, halls, and what covers the stage.
"""

import re

import pytest
from playwright.sync_api import expect

from browser.equation import cell, cells, figure, until
from browser.test_lecture import SCENES, path_and_query, url_of, wait_for_scene
from browsing import LISTENS, more_tools, settle, stage_faults
from measure.presses import press_at_random
from pages.shared.scene_files.scene import routes
from pages.shared.site.page import catalogue

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


CHARTS_LATE = 3000  # milliseconds
HALLS = [(1024, 768), (1280, 720), (1366, 768), (1920, 1080)]
LONGEST = max(routes(), key=lambda route: len(route.stops))  # it has every scene of the others


def faults_that_stay(page):
    """Return the faults of a scene. A chart is too wide for a moment, until it knows how much it is enlarged."""
    for _ in range(CHARTS_LATE // 100):
        if not stage_faults(settle(page, quiet=60)):
            return []
        page.wait_for_timeout(100)
    return stage_faults(page)


@pytest.mark.many
@pytest.mark.parametrize(("width", "height"), HALLS)
def test_every_scene_of_every_lecture_fits_the_hall_before_and_after_its_answer(width, height, visit):
    page = visit(f"/?scene=1&view=present&route={LONGEST.name}", width=width, height=height)
    last, found = len(LONGEST.stops), {}
    for number in range(1, last + 1):
        expect(page.locator(".st-key-scene p").first).to_contain_text(f"{number} of {last} ")
        found[f"{number} asks"] = faults_that_stay(page)
        page.keyboard.press("a")
        found[f"{number} answers"] = faults_that_stay(page)
        page.keyboard.press("PageDown")
    assert {scene: errors for scene, errors in found.items() if errors} == {}


def test_after_any_presses_stage_and_notes_agree(visit):
    page = visit("/?scene=1&view=present&route=20", width=1280, height=720)
    assert press_at_random(page, presses=60, every=12, seed=3) == []


DISPLAYS = "elements => elements.map((element) => getComputedStyle(element).display)"


def test_results_are_covered_until_they_are_revealed(visit):
    page = visit("/attention?scene=8&view=present")
    result = cell(page, "concat", 1, 0)
    expect(cell(page, "heads.0", 0, 0)).to_be_visible()
    expect(result).to_be_hidden()
    expect(page.locator(".st-key-says")).to_be_hidden()
    page.keyboard.press("PageDown")
    expect(result).to_be_visible()
    expect(cell(page, "output", 1, 0)).to_be_hidden()
    page.get_by_role("button", name="Reveal").click()
    expect(cell(page, "output", 1, 0)).to_be_visible()
    expect(page.locator(".st-key-says")).to_be_visible()
    assert path_and_query(page) == "attention?scene=8&view=present"
    page.keyboard.press("PageUp")
    expect(cell(page, "output", 1, 0)).to_be_hidden()
    expect(page.locator(".st-key-says")).to_be_hidden()
    expect(result).to_be_visible()
    page.keyboard.press("PageUp")
    expect(result).to_be_hidden()
    page.keyboard.press("PageUp")
    wait_for_scene(page, next(entry for entry in catalogue() if entry.name == "attention"), 7)


def test_gradients_are_covered_as_well(visit):
    page = visit("/training_step?scene=6&view=present")

    def shown(*names):
        return [name for name in names if cells(page, name, 1, 2).locator("visible=true").count()]

    arrives, forwards, back = "grad_weights", "weights", "grad_scaled"
    for revealed in ([arrives], [forwards, arrives], [forwards, back, arrives]):
        until(page, lambda: shown(forwards, back, arrives), revealed)
        expect(page.locator(".st-key-says")).to_be_visible(visible=back in revealed)
        page.keyboard.press("PageDown")
    wait_for_scene(page, next(entry for entry in catalogue() if entry.name == "training_step"), 7)


def test_one_press_uncovers_everything_in_a_scene(visit):
    """Press a key once, and check that it uncovers all that a scene has covered.

    The scene also covers the letters beside the question, because they are the guesses of the model.
    """
    page = visit("/induction_head?scene=1&view=present")
    expect(page.locator("figure.covered")).to_have_count(2)
    guessed = figure(page, "guesses").locator("th.guess").last
    expect(guessed).to_be_hidden()
    expect(page.locator(".st-key-options")).to_be_visible()
    page.keyboard.press("PageDown")
    expect(page.locator("figure.covered")).to_have_count(0)
    expect(guessed).to_have_text("→ R")
    expect(guessed).to_be_visible()
    expect(page.locator(".st-key-says")).to_be_visible()


def test_a_chart_is_covered_together_with_its_table(visit):
    page = visit("/attention?scene=10&view=present")
    line = page.locator(".st-key-cost .role-mark path").first
    toolbar = page.locator(".st-key-cost").get_by_test_id("stElementToolbar")
    expect(line).to_be_hidden()
    assert toolbar.evaluate_all(DISPLAYS) in ([], ["none"])
    page.keyboard.press("PageDown")
    expect(line).to_be_visible()
    assert toolbar.evaluate_all(DISPLAYS) not in ([], ["none"])


def test_what_was_uncovered_stays_so_after_a_reload_and_a_way_back(visit):
    page = visit("/attention?scene=3&view=present")
    page.keyboard.press("a")
    expect(page.locator(".st-key-says")).to_be_visible()
    page.reload()
    page.wait_for_function(LISTENS)
    settle(page)
    expect(page.locator("figure.covered")).to_have_count(0)
    expect(page.locator(".st-key-says")).to_be_visible()
    page.keyboard.press("Escape")
    settle(page)
    more_tools(page).get_by_text("Presenter view", exact=True).click()
    settle(page)
    expect(page.locator("figure.covered")).to_have_count(0)
    page.keyboard.press("Home")  # at the beginning, everything is covered again
    wait_for_scene(page, SCENES[0][0], 1)
    page.keyboard.type("14")
    page.keyboard.press("Enter")
    wait_for_scene(page, *SCENES[13])
    until(page, lambda: path_and_query(page), url_of(*SCENES[13], view="present")[1:])


def test_a_picture_of_words_is_covered_until_the_class_has_answered(visit):
    page = visit("/?scene=1&view=present&route=20")
    share = page.locator(".words .share").first
    expect(share).to_be_hidden()
    expect(page.locator(".st-key-options")).to_contain_text("A the cat · B the milk")
    expect(page.locator(".st-key-says")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(share).to_be_visible()
    expect(page.locator(".st-key-says")).to_be_visible()
    expect(page.locator(".st-key-options")).to_be_hidden()
    page.keyboard.press("Space")
    wait_for_scene(page, SCENES[0][0], 2)
    assert "route=20" in page.url
