"""The presenter view can be read from the last row of a hall, fits the window, and shows what a scene is about.

Also boards that are presented.
"""

import re

import pytest
from playwright.sync_api import expect

from browser.equation import cell, until
from browser.test_lecture import SCENES, focus_selector, path_and_query, url_of, wait_for_scene
from browsing import LISTENS, resize, settle, stage_faults
from pages.shared.scene_files.scene import scenes_of
from pages.shared.site.page import catalogue
from serving import PAGES

FIRST = {"real_heads": "canvas"}  # the first picture of a page that begins with no equation
HALLS = [(1280, 720), (1024, 768), (1366, 768), (1920, 1080)]  # letters grow with the width, so the halls are alike
OTHERS = 3  # every third scene is also shown in another hall
LEAST = {1024: 18.5}  # pixels of the smallest text, as 24 of a window 1280 wide; lines and edges do not shrink

# Every visible text that is too small, with its size. Texts without width or height are for screen readers only.
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
# Names that are cut, and powers that are broken into lines.
BROKEN = """
(focus) => {
  const roots = [...document.querySelectorAll(`${focus} *`)].flatMap((each) => each.shadowRoot ?? [])
  const found = (selector, broken) => roots.flatMap((root) => [...root.querySelectorAll(selector)]).filter(broken)
  const cut = found("tbody th, thead span", (name) => name.scrollWidth > name.clientWidth + 1)
  const broken = found(".sign sup", (power) => power.getClientRects().length > 1)
  return [...cut, ...broken].map((each) => each.textContent)
}
"""
# The controls of a page, except the lines of code that can be picked.
CONTROLS = ", ".join(
    f'[data-testid="stMain"] [data-testid="{kind}"]:not(.st-key-scene *, .st-key-cell *)'
    for kind in ("stButtonGroup", "stSlider", "stSelectbox", "stCheckbox", "stTextArea", "stTextInput", "stButton")
)
CONTROLS += ", .panel"
PARTS = 3  # the scenes of all pages are tested in 3 parts
# Scenes with two or three equations, and the size of their smallest text in pixels.
TIGHT = {("softmax_axes", 1): 23, ("next_word", 5): 21, ("next_word", 6): 20, ("home", 5): 17.5}
TOP = "element => element.getBoundingClientRect().top"


def reveal_all(page):
    """Uncover everything in a scene, and return the tab."""
    page.keyboard.press("a")
    expect(page.locator("figure.covered")).to_have_count(0)
    if page.locator(".st-key-scene p").count():
        expect(page.locator(".st-key-says")).to_be_visible()
    return settle(page, quiet=40)


def faults_in_halls(page, focus, halls, tight=24):
    """Return what is cut off or covered in the shown scene, for windows of several sizes.

    Fail if a text or a chart is too small. `focus` is the CSS selector of the scene's equation or picture. `halls`
    holds the widths and heights of the windows, and `tight` is the least size of a text, all in pixels.
    """
    found = []
    for width, height in halls:
        if page.viewport_size != {"width": width, "height": height}:
            resize(page, width, height, quiet=50)
            if page.locator(f"{focus} [data-testid='stVegaLiteChart']").count():
                page.reload()  # a chart keeps the size of its letters
                page.wait_for_function(LISTENS)
                reveal_all(settle(page))
        assert page.evaluate(SMALL_TEXTS, min(tight, LEAST.get(width, 24))) == [], (width, height)
        for drawn in page.locator(f"{focus} .mark-group.role-frame > g > .background").all():
            box = drawn.bounding_box()
            assert box["width"] > width / 2, (focus, width)
            assert box["height"] > 90, (focus, width)
        found += [f"{width}: {each}" for each in stage_faults(page)]
    return found


def hides_answer(page, scene, focus):
    """Return whether the scene still hides its answer: a result, the shares of words, or the lines of a chart.

    `focus` is the CSS selector of the scene's equation or picture. If it has matrices, all matrices that the
    sentence of the scene mentions must be covered.
    """
    if page.locator(f"{focus} figure").count():
        read = re.findall(r"[a-z]\w*(?:\.\d+)?(?=\[)", scene.say)
        of_these = [f'figure[data-id="{name}"]' for name in read] or ["figure.covered"]
        shown = page.locator(", ".join(f"{focus} {each}" for each in of_these))
        return shown.count() > 0 and shown.and_(page.locator(":not(.covered)")).count() == 0
    answers = page.locator(f"{focus} :is(.share, .role-mark)")
    return answers.count() > 0 and answers.locator("visible=true").count() == 0


@pytest.mark.many
@pytest.mark.parametrize("part", range(PARTS))
def test_presented_scenes_can_be_read_and_fit_the_window(part, visit):
    """Check that no text of a scene is too small, and that all that the scene is about is on the screen."""
    places = range(part * len(SCENES) // PARTS, (part + 1) * len(SCENES) // PARTS)
    page = visit(url_of(*SCENES[places[0]], view="present"), width=HALLS[0][0], height=HALLS[0][1])
    on = page.locator(".st-key-scene").get_by_role("button", name="Next")
    cut = {}
    for place in range(places[0] + 1, places[-1] + 2):
        entry, number = SCENES[place - 1]
        wait_for_scene(page, entry, number)
        until(page, lambda: path_and_query(page), url_of(entry, number, view="present")[1:])
        assert page.locator(".st-key-scene p").first.inner_text().startswith(f"{place} of {len(SCENES)} · ")
        scene = scenes_of(entry.name)[number - 1]
        gives_away = scene.options and not hides_answer(page, scene, focus_selector(entry, number))
        assert not gives_away, f"{entry.name} {number} gives its answer away"
        cut[entry.name, number] = stage_faults(settle(page, quiet=60))  # it is fitted once the page before has left
        focus = page.locator(focus_selector(entry, number)).first
        top = focus.evaluate(TOP)
        reveal_all(page)
        assert not scene.options or abs(focus.evaluate(TOP) - top) < 1, f"{entry.name} {number} moves"
        assert page.evaluate(BROKEN, focus_selector(entry, number)) == [], f"{entry.name} {number}"
        other = [HALLS[1 + place // OTHERS % 3]] if place % OTHERS == 0 else []
        expect(page.locator(CONTROLS).locator("visible=true"), f"{entry.name} {number}").to_have_count(0)
        tight = TIGHT.get((entry.name, number), 24)
        cut[entry.name, number] += faults_in_halls(page, focus_selector(entry, number), [*other, HALLS[0]], tight)
        if place < len(SCENES):
            page.keyboard.press("PageDown")
    expect(on).to_be_disabled() if part == PARTS - 1 else wait_for_scene(page, *SCENES[places[-1] + 1])
    assert {scene: found for scene, found in cut.items() if found} == {}


@pytest.mark.many
@pytest.mark.parametrize("number", range(2, 7))
def test_a_presented_mistake_stands_with_the_cell_that_makes_it(number, visit):
    page = visit(f"/spot_the_bug?scene={number}&view=present", width=1280, height=720)
    lines = page.locator(".st-key-cell label").filter(has=page.locator("input"))
    reveal_all(page)
    for line in lines.all():
        expect(line).to_be_in_viewport(ratio=1)
    for result in page.locator("figure").all():
        expect(result).to_be_in_viewport(ratio=0.8)
    asked = "aid=beside" in scenes_of("spot_the_bug")[number - 1].state  # then the audience has to find the wrong line
    expect(page.locator(".st-key-cell input:checked")).to_have_count(0 if asked else 1)


def test_a_verdict_stands_below_the_cell_where_the_line_was_picked(visit):
    page = visit("/spot_the_bug?scene=1&view=present", width=1280, height=720)
    lines = page.locator(".st-key-cell label").filter(has=page.locator("input"))
    for line, verdict in ((1, "is right"), (3, "is wrong")):
        lines.nth(line - 1).click()
        settle(page)
        alert = page.get_by_test_id("stAlert").filter(has_text=verdict)
        expect(alert).to_be_in_viewport(ratio=1)
        assert alert.evaluate(TOP) > lines.last.evaluate(TOP)
    expect(page.get_by_text("keepdims=True")).to_be_in_viewport(ratio=1)


def test_a_cell_that_appears_under_a_resting_mouse_is_not_lit(visit):
    attention = next(entry for entry in catalogue() if entry.name == "attention")
    page = reveal_all(visit("/attention?scene=2&view=present", width=1280, height=720))
    pointed = cell(page, "w_q", 2, 2)
    pointed.hover()
    expect(pointed).to_have_class("cell self")
    press_like_a_clicker(page, "Back")
    wait_for_scene(page, attention, 1)
    press_like_a_clicker(page, "Next")
    reveal_all(wait_for_scene(page, attention, 2))
    expect(page.locator("td.self")).to_have_count(0)
    pointed.hover(position={"x": 4, "y": 4})
    expect(pointed).to_have_class("cell self")


def press_like_a_clicker(page, name):
    """Press a button of the scene without moving the mouse, as the remote control of a presenter does."""
    page.locator(".st-key-scene").get_by_role("button", name=name).evaluate("button => button.click()")


# Every third page is enough, because the walk above has shown all scenes. The path has no presenter view.
@pytest.mark.many
@pytest.mark.parametrize("page_file", [p for p in PAGES[1::3] if p.name != "path"], ids=lambda page: page.name)
def test_without_a_scene_a_page_is_presented_as_well(page_file, visit):
    page = visit(f"{page_file.url}?view=present", width=1280, height=720)
    first = page.locator(FIRST.get(page_file.name, "[role=grid]")).first
    expect(first).to_be_visible()
    assert first.bounding_box()["y"] < 720
    expect(
        page.locator('[data-testid="stExpander"], [data-testid="stPageLink"]').locator("visible=true")
    ).to_have_count(0)


PADDING = "sum => getComputedStyle(sum).paddingRight"


def open_presented(visit, page, scene, width=1280, height=720):
    """Open a scene in the presenter view, uncover everything, and return the tab."""
    return reveal_all(visit(f"/{page}?scene={scene}&view=present", width=width, height=height))


@pytest.mark.parametrize(
    ("page", "width", "height"),
    [("softmax_axes", 1024, 768), ("training_step", 1280, 720)],
)
def test_where_a_board_has_room_all_of_its_matrices_keep_their_column_names(page, width, height, visit):
    names = open_presented(visit, page, 4, width, height).locator("figure:visible thead span")
    heights = names.evaluate_all("all => all.map((name) => name.offsetHeight)")
    assert len(heights) > 2
    assert min(heights) > 19


def test_the_softmax_of_a_whole_matrix_shows_that_all_of_it_sums_to_one_below_the_sums_of_rows(visit):
    page = open_presented(visit, "softmax_axes", 4)
    total = page.locator("td.sum.all").locator("visible=true")
    expect(total).to_have_text(["1"])
    assert total.evaluate(PADDING) == page.locator("tr:has(td.cell) td.sum").first.evaluate(PADDING)


@pytest.mark.parametrize(("page", "scene"), [("softmax_axes", 3), ("softmax_axes", 4), ("induction_head", 1)])
def test_equations_side_by_side_fit_a_window_of_4_to_3(page, scene, visit):
    assert stage_faults(open_presented(visit, page, scene, width=1024, height=768)) == []


def test_the_label_of_an_enlarged_equation_is_no_larger_than_the_question(visit):
    page = open_presented(visit, "attention", 1)
    zoom = "text.getBoundingClientRect().height / text.offsetHeight"
    height = f"text => {zoom} * parseFloat(getComputedStyle(text).fontSize)"
    question, label = page.locator(".st-key-scene p").first, page.locator(".presented .label:visible").first
    assert label.evaluate(height) <= question.evaluate(height) + 0.1


def test_wrong_numbers_stand_above_the_right_ones_in_a_small_window_too(visit):
    page = open_presented(visit, "training_step", 7, width=800, height=600)
    board = page.locator(".presented.aligned").locator("visible=true")
    expect(board).to_have_count(1)
    assert stage_faults(page) == []
