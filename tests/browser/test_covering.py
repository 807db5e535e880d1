"""In the presenter view, results, gradients and pictures are covered until the presenter uncovers them."""

from playwright.sync_api import expect

from browser.equation import cell, cells, figure, until
from browser.test_lecture import SCENES, path_and_query, url_of, wait_for_scene
from browsing import LISTENS, settle
from pages.shared.site.page import catalogue

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
    page.get_by_text("Presenter view", exact=True).click()
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
