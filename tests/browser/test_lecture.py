"""The lecture in a browser: the whole course by one key, the presenter view, and how it gives way to other uses."""

import pytest
from playwright.sync_api import expect

from browser.equation import cell, type_over, until
from browser.test_accessibility import violations
from browsing import settled
from pages.shared.catalogue import catalogue
from pages.shared.lecture.script import focus_of, scenes_of

SCENES = [(entry, n) for entry in catalogue() for n in range(1, len(scenes_of(entry.name)) + 1)]
MOST_PRESSES = 300  # to reveal every line of every scene
HALLS = [(1280, 720), (1920, 1080)]

# Every text that is seen, with the size in which it is seen; what has no extent is there for screen readers alone.
SMALL_TEXTS = """
(least) => {
  const small = []
  const visit = (node, zoom) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const range = document.createRange()
      range.selectNodeContents(node)
      const { width, height } = range.getBoundingClientRect()
      const element = node.parentElement
      const style = getComputedStyle(element)
      const seen = node.data.trim() && width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true })
      const clipped = element.closest("h1, .katex-mathml, style, script, title")
      const size = parseFloat(style.fontSize) * (element.currentCSSZoom ?? 1)
      if (seen && !clipped && size < least - 0.01) small.push(`${size}px ${element.className}: ${node.data.trim()}`)
    }
    if (node.shadowRoot) visit(node.shadowRoot)
    node.childNodes.forEach((child) => visit(child))
  }
  visit(document.querySelector('[data-testid="stMain"]'))
  return small
}
"""


# How far what a scene is about reaches below the window or to its right, scrolled to the top.
OVERFLOW = """
(focus) => {
  document.querySelector('[data-testid="stMain"]').scrollTo(0, 0)
  const { bottom, right } = document.querySelector(focus).getBoundingClientRect()
  return Math.max(bottom - innerHeight, right - innerWidth)
}
"""
SLACK = 24  # pixels: another machine’s letters are a little higher
TOO_LONG = {("cross_attention", n) for n in (1, 2, 3, 4)}  # four matrices and more below each other, at 24 pixels


def url_of(entry, number, **more):
    page = "/" if entry.name == "home" else f"/{entry.name}"
    return f"{page}?scene={number}{''.join(f'&{name}={value}' for name, value in more.items())}"


def at(page, entry, number):
    """Wait until a scene has come."""
    title = scenes_of(entry.name)[number - 1].title.replace("$", "").split("d_k")[0]
    expect(page.locator(".st-key-scene")).to_contain_text(title[:40])
    return settled(page)


def presented(page):
    """The scene on the screen, and how much of it is still covered."""
    return page.locator(".st-key-scene p").first.inner_text(), page.locator("figure.covered").count()


def focus_selector(entry, number):
    return f".st-key-{focus_of(entry.name, number)}".replace(".equation.", "-equation-")


def reveal_all(page):
    for _ in range(page.locator("figure.covered").count()):
        if page.locator("figure.covered").count():
            page.keyboard.press("PageDown")
    expect(page.locator("figure.covered")).to_have_count(0)
    return settled(page)


def ending(page):
    return page.url.split("/", 3)[3]


def test_the_whole_course_is_walked_with_one_key(visit):
    page = visit(url_of(*SCENES[0]))
    for entry, number in SCENES[1:]:
        page.keyboard.press("PageDown")
        at(page, entry, number)
        until(page, lambda: ending(page), url_of(entry, number)[1:])
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.locator(".st-key-says")).to_be_visible()
        expect(page.locator(focus_selector(entry, number)), f"{entry.name} {number}").to_be_visible()
        if number == 1:
            expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".st-key-scene").get_by_role("button", name="Next")).to_be_disabled()
    page.keyboard.press("PageUp")
    at(page, *SCENES[-2])


@pytest.mark.parametrize("size", HALLS, ids=str)
def test_what_is_presented_can_be_read_and_fits_the_window(size, visit):
    """Nothing is smaller than 24 pixels, and what a scene is about is on the screen as a whole."""
    page = visit(url_of(*SCENES[0], view="present"), width=size[0], height=size[1])
    title, seen, cut = page.locator(".st-key-scene p").first, [], {}
    for _ in range(MOST_PRESSES):
        assert page.evaluate(SMALL_TEXTS, 24) == [], title.inner_text()
        assert "view=present" in page.url
        seen.append(title.inner_text())
        entry, number = SCENES[len(dict.fromkeys(seen)) - 1]
        if not presented(page)[1]:
            cut[entry.name, number] = page.evaluate(OVERFLOW, focus_selector(entry, number))
        if page.locator(".st-key-scene").get_by_role("button", name="Next").is_disabled():
            break
        before = presented(page)
        page.keyboard.press("PageDown")
        until(page, lambda before=before: presented(page) != before, True)
        settled(page)
    assert [title.split(" · ")[0] for title in dict.fromkeys(seen)] == [
        f"{n} of {len(scenes_of(entry.name))}" for entry, n in SCENES
    ]
    assert [title.rsplit(" · ")[-1] for title in dict.fromkeys(seen)] == [
        f"{n} of {len(SCENES)}" for n in range(1, len(SCENES) + 1)
    ]
    assert cut.keys() == {(entry.name, n) for entry, n in SCENES}
    assert {scene: by for scene, by in cut.items() if by > SLACK and scene not in TOO_LONG} == {}


@pytest.mark.parametrize("number", range(2, 7))
def test_a_presented_mistake_stands_with_the_cell_that_makes_it(number, visit):
    page = visit(f"/spot_the_bug?scene={number}&view=present", width=1280, height=720)
    lines = page.locator(".st-key-cell label").filter(has=page.locator("input"))
    reveal_all(page)
    for line in lines.all():
        expect(line).to_be_in_viewport(ratio=1)
    for result in page.locator("figure").all():
        expect(result).to_be_in_viewport(ratio=0.8)
    asked = "aid=beside" in scenes_of("spot_the_bug")[number - 1].state  # then the audience is to find the line
    expect(page.locator(".st-key-cell input:checked")).to_have_count(0 if asked else 1)


def test_a_verdict_stands_below_the_cell_where_the_line_was_picked(visit):
    page = visit("/spot_the_bug?scene=1&view=present", width=1280, height=720)
    lines = page.locator(".st-key-cell label").filter(has=page.locator("input"))
    for line, verdict in ((1, "can stay"), (3, "is wrong")):
        lines.nth(line - 1).click()
        settled(page)
        alert = page.get_by_test_id("stAlert").filter(has_text=verdict)
        expect(alert).to_be_in_viewport(ratio=1)
        assert alert.bounding_box()["y"] > lines.last.bounding_box()["y"]
    expect(page.get_by_text("keepdims=True")).to_be_in_viewport(ratio=1)


def test_what_comes_to_lie_under_a_mouse_at_rest_is_not_lit(visit):
    page = visit("/attention?scene=2&view=present", width=1280, height=720)
    reveal_all(page)
    box = cell(page, "w_q", 2, 2).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.goto("/attention?scene=1&view=present")
    settled(page)
    page.mouse.move(x, y)
    page.keyboard.press("PageDown")
    at(page, next(entry for entry in catalogue() if entry.name == "attention"), 2)
    reveal_all(page)
    expect(page.locator("td.self")).to_have_count(0)
    page.mouse.move(x + 2, y)
    expect(cell(page, "w_q", 2, 2)).to_have_class("cell self")


def test_results_wait_until_they_are_revealed(visit):
    page = visit("/attention?scene=3&view=present")
    result = cell(page, "scores", 1, 0)
    expect(cell(page, "q", 0, 0)).to_be_visible()
    expect(result).to_be_hidden()
    expect(page.locator(".st-key-says")).to_be_hidden()
    page.keyboard.press("PageDown")
    expect(result).to_be_visible()
    expect(cell(page, "scaled", 1, 0)).to_be_hidden()
    page.get_by_role("button", name="Reveal").click()
    expect(cell(page, "scaled", 1, 0)).to_be_visible()
    expect(page.locator(".st-key-says")).to_be_visible()
    assert ending(page) == "attention?scene=3&view=present"
    page.keyboard.press("PageUp")
    at(page, next(entry for entry in catalogue() if entry.name == "attention"), 2)


def test_a_way_back_from_the_presenter_view(visit):
    page = visit("/attention")
    page.get_by_text("Presenter view").click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    until(page, lambda: ending(page), "attention?view=present")
    page.get_by_role("button", name="Leave the presenter view").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    until(page, lambda: ending(page), "attention")
    page.goto("/attention?scene=4&view=present")
    settled(page)
    cell(page, "scaled", 0, 0).click()
    settled(page)
    page.keyboard.press("Escape")  # first the selection,
    settled(page)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    page.keyboard.press("Escape")  # then the view
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


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
    until(page, lambda: ending(page), "queries_keys_values?scene=1")
    page.get_by_role("button", name="Leave the scenes").click()
    expect(page.get_by_role("button", name="Scenes")).to_be_visible()
    until(page, lambda: ending(page), "queries_keys_values")


def test_keys_belong_to_what_is_typed_in_or_open(visit):
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
    settled(page)
    expect(page.locator(".st-key-scene")).to_contain_text("1 of")
    page.goto("/queries_keys_values?scene=1")
    settled(page)
    cell(page, "x", 0, 0).focus()
    page.keyboard.type("7")
    page.keyboard.press("PageDown")
    expect(cell(page, "x", 0, 0).locator("input")).to_have_value("7")
    expect(page.locator(".st-key-scene")).to_contain_text("1 of")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("link", ["/attention?scene=4", "/attention?scene=4&view=present", "/scaling?scene=4"])
def test_axe_finds_nothing_in_a_lecture(link, dark, visit):
    assert violations(visit(link, dark=dark)) == []
