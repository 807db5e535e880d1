"""A lecture in a browser: all scenes by one key, the presenter view, and how a lecture ends when the page is used.

Also handouts, and the page for lecturers.
"""

import functools
import html
import http.server
import re
import threading

import pytest
from playwright.sync_api import expect

from browser.equation import cell, type_over, until
from browser.test_accessibility import faults_in_both_themes
from browsing import LISTENS, more_tools, settle
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
    more_tools(page).get_by_text("Presenter view", exact=True).click()
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    until(page, lambda: path_and_query(page), "attention?view=present")
    page.get_by_role("button", name="Leave the presenter view").click()
    expect(page.get_by_test_id("stHeader")).to_be_visible()
    until(page, lambda: path_and_query(page), "attention")
    page.goto("/attention?scene=4&view=present")
    settle(page)
    cell(page, "scaled", 0, 0).click()
    settle(page)
    page.keyboard.press("Escape")  # this removes the selection
    settle(page)
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    page.keyboard.press("Escape")  # this leaves the presenter view
    expect(page.get_by_test_id("stHeader")).to_be_visible()
    assert page.get_by_test_id("stTooltipHoverTarget").locator("svg:visible").first.bounding_box()["width"] < 20


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


SCENES_OF_20 = 12


def make_handout(page, lecture):
    page.get_by_role("button", name="Scenes", exact=True).click()
    page.get_by_role("dialog").locator(f".st-key-handout-{lecture} button").click()
    sheet = page.get_by_role("dialog", name="Handout")
    expect(sheet.get_by_role("button", name="Print, or save as PDF")).to_be_visible(timeout=90_000)
    return sheet


def open_saved_handout(page, sheet, folder):
    """Save the handout in the dialog `sheet` as a file in `folder`, open the file in a new tab, and return the tab."""
    with page.expect_download() as download:
        sheet.get_by_role("button", name="Save as a web page").click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    paper = page.context.new_page()
    paper.goto(file.as_uri())
    return paper


def test_a_handout_has_each_scene_with_its_picture_and_prints_with_answers_and_without(visit, tmp_path):
    page = visit("/", width=1280, height=720)
    sheet = make_handout(page, "20")
    paper = open_saved_handout(page, sheet, tmp_path)
    expect(paper.locator("section")).to_have_count(SCENES_OF_20)
    first, last = paper.locator("section").first, paper.locator("section").last
    expect(first.locator("h2")).to_have_text("1 of 12 · What does “it” refer to?")
    expect(first).to_contain_text("“it” attends to “cat” with 0.73")
    expect(first).to_contain_text("To keep: What a word means")
    expect(last.get_by_alt_text("QR code")).to_be_visible()
    scores = paper.locator("figure[data-id=scores] td.cell")
    expect(scores.locator("visible=true").first).to_be_visible()
    assert all(picture["height"] > 30 for picture in picture_boxes(paper))
    pdf = paper.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    assert 5 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= SCENES_OF_20
    paper.close()
    sheet.get_by_label("With answers").uncheck()
    paper = open_saved_handout(page, sheet, tmp_path)
    expect(paper.locator("section")).to_have_count(SCENES_OF_20)
    expect(paper.locator("body")).not_to_contain_text("To keep:")
    expect(paper.locator(".words .share, figure.covered td.cell").locator("visible=true")).to_have_count(0)
    expect(paper.locator("section").first).to_contain_text("A the cat · B the milk · C one cannot know")
    paper.close()
    sheet.get_by_role("button", name="Close").click()
    expect(sheet).to_have_count(0)
    assert "view=" not in settle(page).url


NUMBER = re.compile(r"(?<![\d.])\d\.\d\d(?!\d)")


def numbers_in(paper):
    """Return for each scene of a handout the set of numbers with decimals in its HTML, even if they are not shown."""
    sections = re.findall(r"<section>.*?</section>", paper, re.DOTALL)
    bare = [re.sub(r"<style>.*?</style>|data:[^\"]*", "", section, flags=re.DOTALL) for section in sections]
    return [{*NUMBER.findall(section)} - {"0.00"} for section in bare]  # 0.00 replaces every covered number


def test_without_answers_a_handout_does_not_hold_them_and_its_pictures_are_light_in_a_dark_window_too(visit, tmp_path):
    page = visit("/", width=1280, height=720, dark=True)
    sheet = make_handout(page, "20")
    assert luminance(page.get_by_test_id("stApp")) < 0.3, "the app is dark again"
    sources = []
    for answers in (True, False):
        sheet.get_by_label("With answers").set_checked(answers)
        paper = open_saved_handout(page, sheet, tmp_path)
        assert all(luminance(picture) > 0.9 for picture in paper.locator(".handout-picture").all())
        sources.append((tmp_path / paper.url.rpartition("/")[2]).read_text("utf-8"))
        paper.close()
    told, asked = map(numbers_in, sources)
    assert asked[0] == set()
    assert "0.73" in told[0]
    covered = [there - here for there, here in zip(told, asked, strict=True)]
    assert sum(bool(numbers) for numbers in covered) >= 5
    assert "attends to it with" not in sources[1]


def luminance(element):
    """Return how light the background of an element is, from 0 to 1."""
    ground = element.evaluate("element => getComputedStyle(element).backgroundColor")
    return min(map(int, re.findall(r"\d+", ground)[:3])) / 255


def picture_boxes(paper):
    """Return the position and the size of each picture in a handout."""
    return [picture.bounding_box() for picture in paper.locator(".handout-picture").all()]


def test_a_handout_can_be_stopped(visit):
    page = visit("/", width=1280, height=720)
    page.get_by_role("button", name="Scenes", exact=True).click()
    page.get_by_role("dialog").locator(".st-key-handout-60 button").click()
    sheet = page.get_by_role("dialog", name="Handout")
    expect(sheet).to_contain_text("scene 2 of 36", timeout=20_000)
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(page.get_by_test_id("stHeader")).to_be_visible()
    assert "view=" not in settle(page).url


def test_a_phone_says_that_a_handout_needs_a_wider_window(visit):
    page = visit("/", width=390, height=844)
    page.get_by_role("button", name="Scenes", exact=True).click()
    page.get_by_role("dialog").locator(".st-key-handout-20 button").click()
    sheet = page.get_by_role("dialog", name="Handout")
    expect(sheet).to_contain_text("make it in a window at least 700 pixels wide")
    sheet.get_by_role("button", name="Close").click()
    expect(sheet).to_have_count(0)


@pytest.fixture
def slides(tmp_path):
    """Give the test a folder, and the address of another site that serves the files in it."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield tmp_path, f"http://127.0.0.1:{site.server_address[1]}"
    site.shutdown()
    site.server_close()


def test_the_page_opens_with_how_to_prepare_and_folds_the_rest(visit):
    page = visit("/")
    page.get_by_role("link", name="For lecturers").last.click()
    expect(page.get_by_role("heading", name="Prepare in five minutes")).to_be_visible()
    expect(page.get_by_text("Students need a browser")).to_be_hidden()
    page.get_by_text("What students need").click()
    expect(page.get_by_text("Students need a browser")).to_be_visible()


def test_a_scene_in_a_slide_is_shown_alone_and_uncovered_by_a_key(visit, slides):
    folder, site = slides
    page = visit("/lecturers")
    page.get_by_text("A scene in your slides").click()
    frame = page.get_by_test_id("stCode").inner_text()
    assert "embed=true" in html.unescape(frame)
    (folder / "slide.html").write_text(f"<!doctype html><title>Slide</title><h1>My slide</h1>{frame}", "utf-8")
    (folder / "favicon.ico").write_bytes(b"")
    page.goto(f"{site}/slide.html")
    scene = page.frame_locator("iframe")
    weight = scene.locator("figure[data-id='weights'] td.cell").first
    expect(scene.locator(".st-key-scene p").first).to_contain_text("Which words does each word attend to?")
    expect(scene.get_by_test_id("stHeader")).to_be_hidden()
    expect(weight).to_be_hidden()
    scene.locator(".st-key-scene p").first.click()
    page.keyboard.press("PageDown")
    expect(weight).to_be_visible()
