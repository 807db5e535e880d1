"""A lecture in a browser: all scenes by one key, the presenter view, and how a lecture ends when the page is used."""

import pytest
from playwright.sync_api import expect

from browser.equation import cell, type_over, until
from browser.test_accessibility import faults_in_both_themes
from browsing import LISTENS, settle
from pages.shared.scene_files.scene import scenes_of
from pages.shared.site.page import catalogue

SCENES = [(entry, n) for entry in catalogue() for n in range(1, len(scenes_of(entry.name)) + 1)]


def url_of(entry, number, **more):
    """Return the address of scene `number` of a page. `more` holds further parameters of the address."""
    page = "/" if entry.name == "home" else f"/{entry.name}"
    return f"{page}?scene={number}{''.join(f'&{name}={value}' for name, value in more.items())}"


def wait_for_scene(page, entry, number):
    """Wait until the page shows scene `number` of the catalogue's page `entry`, and return the tab."""
    settle(page, quiet=40)
    before_a_formula = scenes_of(entry.name)[number - 1].title.split("$")[0]
    expect(page.locator(".st-key-scene")).to_contain_text(f" · {before_a_formula}"[:35].rstrip())
    return settle(page, quiet=40)


def focus_selector(entry, number):
    """Return the CSS selector of the equation or picture that scene `number` of the page `entry` is about."""
    return "." + f"st-key-{scenes_of(entry.name)[number - 1].focus}".replace(".", "-")


def path_and_query(page):
    """Return the path and the parameters of the page's address, without the first “/”."""
    return page.url.split("/", 3)[3]


def test_one_key_leads_through_the_scenes_of_the_pages(visit):
    """Walk with one key from the first scene to the third page, and to the last scene.

    `test_presenter.py` walks through all scenes.
    """
    third_page = next(i for i, (entry, _) in enumerate(SCENES) if entry == list(catalogue())[2])
    page = visit(url_of(*SCENES[0]))
    for entry, number in SCENES[1 : third_page + 1]:
        press_on_to(page, entry, number)
    page.goto(url_of(*SCENES[-2]))
    settle(page)
    press_on_to(page, *SCENES[-1])
    expect(page.locator(".st-key-scene").get_by_role("button", name="Next")).to_be_disabled()
    page.keyboard.press("PageUp")
    wait_for_scene(page, *SCENES[-2])


def press_on_to(page, entry, number):
    """Press Page Down, and check that scene `number` of the page `entry` opens.

    Its sentence and its equation or picture must be visible.
    """
    page.wait_for_function(LISTENS)
    page.keyboard.press("PageDown")
    wait_for_scene(page, entry, number)
    until(page, lambda: path_and_query(page), url_of(entry, number)[1:])
    expect(page.locator(".st-key-says")).to_be_visible()
    expect(page.locator(focus_selector(entry, number)), f"{entry.name} {number}").to_be_visible()
    if number == 1:
        expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_the_presenter_view_can_be_left(visit):
    page = visit("/attention")
    page.get_by_text("Presenter view", exact=True).click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    until(page, lambda: path_and_query(page), "attention?view=present")
    page.get_by_role("button", name="Leave the presenter view").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    until(page, lambda: path_and_query(page), "attention")
    page.goto("/attention?scene=4&view=present")
    settle(page)
    cell(page, "scaled", 0, 0).click()
    settle(page)
    page.keyboard.press("Escape")  # this removes the selection
    settle(page)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    page.keyboard.press("Escape")  # this leaves the presenter view
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert page.get_by_test_id("stTooltipHoverTarget").locator("svg").first.bounding_box()["width"] < 20


def test_a_phone_gets_the_page_as_usual_from_the_same_link(visit):
    page = visit("/attention?scene=4&view=present", width=390, height=844)
    expect(cell(page, "weights", 0, 0)).to_be_visible()
    expect(page.get_by_role("button", name="Reveal")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("Step 5, Softmax")).to_be_visible()
    assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") == 17


def test_an_edit_leaves_the_scene_and_a_button_comes_back(visit):
    page = visit("/queries_keys_values?scene=1")
    type_over(cell(page, "x", 0, 0), "7")
    expect(page.get_by_role("button", name="Back to the scene")).to_be_visible()
    expect(page.locator(".st-key-says")).to_have_count(0)
    until(page, lambda: "scene=1" in page.url and "x=7" in page.url, True)
    page.get_by_role("button", name="Back to the scene").click()
    expect(page.locator(".st-key-says")).to_be_visible()
    expect(cell(page, "x", 0, 0)).to_have_text("1")
    until(page, lambda: path_and_query(page), "queries_keys_values?scene=1")
    page.get_by_role("button", name="Leave the scenes").click()
    expect(page.get_by_role("button", name="Scenes", exact=True)).to_be_visible()
    until(page, lambda: path_and_query(page), "queries_keys_values")


def test_keys_in_a_field_or_a_dialog_do_not_move_the_lecture(visit):
    page = visit("/your_sentence?scene=1")
    page.get_by_role("textbox").focus()
    page.keyboard.press("PageDown")
    page.get_by_role("slider").first.focus()
    page.keyboard.press("PageUp")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("PageDown")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    settle(page)
    expect(page.locator(".st-key-scene")).to_contain_text("1 of")
    page.goto("/queries_keys_values?scene=1")
    settle(page)
    cell(page, "x", 0, 0).focus()
    page.keyboard.type("7")
    page.keyboard.press("PageDown")
    expect(cell(page, "x", 0, 0).locator("input")).to_have_value("7")
    expect(page.locator(".st-key-scene")).to_contain_text("1 of")


@pytest.mark.parametrize("link", ["/attention?scene=4", "/attention?scene=4&view=present", "/scaling?scene=4"])
def test_axe_finds_nothing_in_a_lecture(link, visit):
    assert faults_in_both_themes(visit(link)) == []
