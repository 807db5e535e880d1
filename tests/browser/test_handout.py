"""The handout of a lecture: made in the browser from its pictures, with answers and without, and printed."""

import re

from playwright.sync_api import expect

from browsing import settle

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
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert "view=" not in settle(page).url


def test_a_phone_says_that_a_handout_needs_a_wider_window(visit):
    page = visit("/", width=390, height=844)
    page.get_by_role("button", name="Scenes", exact=True).click()
    page.get_by_role("dialog").locator(".st-key-handout-20 button").click()
    sheet = page.get_by_role("dialog", name="Handout")
    expect(sheet).to_contain_text("make it in a window at least 700 pixels wide")
    sheet.get_by_role("button", name="Close").click()
    expect(sheet).to_have_count(0)
