"""The path in a browser: by keyboard, on a phone, continued later, and its first screen."""

import math
import re

import pytest
from playwright.sync_api import expect

from browser.equation import address_query, cell
from browser.test_accessibility import faults, faults_of_colours, show_in_theme
from browser.test_contract import FITS_ITS_WIDTH
from browser.test_hand import DRAG
from browsing import open_in_menu, resize, settle
from pages.home.lesson import minutes_of_path
from pages.path.numbers import END
from pages.shared.scene_files.screens import screens

SCREENS = screens()

AT_THE_END = """(({ scrollTop, clientHeight, scrollHeight }) => scrollTop + clientHeight > scrollHeight - 20)(
    document.querySelector('[data-testid="stMain"]'))"""


def question(page, number):
    return page.get_by_role("heading", level=1, name=SCREENS[number - 1].question)


@pytest.mark.parametrize("pause", [0, 8, 30])
def test_two_quick_presses_of_a_key_go_on_by_one_screen(visit, pause):
    page = visit("/path?screen=7&guesses=mixS", height=3000)  # every way on is in sight
    page.keyboard.press("PageDown")
    page.wait_for_timeout(pause)
    page.keyboard.press("PageDown")
    expect(question(page, 8)).to_be_visible()
    assert "screen=residual" in settle(page, quiet=400).url
    expect(question(page, 8)).to_be_visible()


SCROLLED = """document.querySelector('[data-testid="stMain"]').scrollTop"""


def test_keys_scroll_without_a_focus_and_after_a_pressed_button_is_gone(visit):
    page = visit("/path?screen=7&guesses=mixS_residualS", height=600)
    page.keyboard.press("PageDown")
    page.wait_for_function(f"{SCROLLED} > 300")
    page.get_by_role("button", name="Next", exact=True).focus()
    page.keyboard.press("Enter")
    expect(question(page, 8)).to_be_visible()
    assert settle(page).evaluate(SCROLLED) == 0
    page.keyboard.press("PageDown")
    page.wait_for_function(f"{SCROLLED} > 300")
    page.get_by_role("button", name="Ask me again").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Show me")).to_be_visible()
    settle(page).evaluate("""document.querySelector('[data-testid="stMain"]').scrollTo(0, 0)""")
    page.keyboard.press("End")
    page.wait_for_function(f"{SCROLLED} > 100")


def test_page_down_leads_from_every_answered_screen_to_the_next(visit):
    page = visit(f"/path?guesses={'_'.join(f'{screen.name}S' for screen in SCREENS)}", height=3000)
    for number in range(2, len(SCREENS) + 1):
        page.keyboard.press("PageDown")
        expect(question(page, number)).to_be_visible()
        settle(page)


def test_the_path_is_walked_by_keyboard(visit):
    page = visit("/path")
    expect(question(page, 1)).to_be_visible()
    page.keyboard.press("PageDown")  # there is no guess yet: the first answer gets the focus
    expect(page.locator(".st-key-path_options button").first).to_be_focused()
    page.keyboard.press("c")
    expect(page.get_by_text("Right.")).to_be_visible()
    settle(page)
    assert "guesses=refers3" in page.url
    expect(page.locator(".st-key-path_reveal")).to_be_focused()
    while not page.evaluate(AT_THE_END):  # until then, Page Down scrolls the page
        page.keyboard.press("PageDown")
        settle(page)
    page.keyboard.press("PageDown")
    expect(question(page, 2)).to_be_visible()
    settle(page)  # the screen is drawn, and at its top
    page.keyboard.press("PageUp")
    expect(question(page, 1)).to_be_visible()


def test_a_typed_number_is_a_guess_once_it_is_committed_and_a_wrong_one_has_a_second_try(visit):
    number = next(n for n, screen in enumerate(SCREENS, 1) if screen.typed)
    page = visit(f"/path?screen={number}")
    page.get_by_role("spinbutton").fill("2")
    page.get_by_role("spinbutton").blur()
    settle(page)
    expect(page.get_by_text("Not quite.")).to_have_count(0)
    page.get_by_role("button", name="That is my guess").click()
    expect(page.get_by_text("is the value of “cat” alone")).to_be_visible()
    expect(page.get_by_text("Try once more.")).to_be_visible()
    expect(page.locator(".st-key-path_keep")).to_have_count(0)
    page.get_by_role("spinbutton").fill("3")
    page.keyboard.press("Enter")
    expect(page.get_by_text("You said: 3.")).to_be_visible()
    page.get_by_role("button", name="Ask me again").click()
    page.get_by_role("spinbutton").fill("2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Try once more.")).to_be_visible()
    expect(page.get_by_role("spinbutton")).to_be_focused()  # so a second try needs no mouse
    page.keyboard.press("Control+a")
    page.keyboard.type("1.5")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Right.")).to_be_visible()


def test_edits_of_a_screen_cannot_be_undone_on_the_next_screen(visit):
    page = visit("/path?screen=3&guesses=query4")
    page.get_by_role("button", name="Set thirsty to 0").click()
    expect(page.get_by_text("Changed from the example.")).to_be_visible()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(question(page, 4)).to_be_visible()
    settle(page)
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    expect(page.get_by_text("Changed from the example.")).to_have_count(0)
    page.keyboard.press("b")
    expect(page.get_by_text("Right.")).to_be_visible()
    expect(page.get_by_role("button", name="Undo").first).to_have_attribute("aria-disabled", "true")


def test_a_box_that_is_pressed_shows_its_numbers(visit):
    page = visit("/path?screen=9&guesses=learned4")
    page.get_by_role("button", name=re.compile("^U ?5×6")).click()
    expect(cell(page, "summed", 4, 0)).to_have_text("1.50")
    expect(page.get_by_role("button", name=re.compile("^U ?5×6"))).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name=re.compile("^K ?⊤")).click()
    expect(cell(page, "k", 0, 0)).to_have_text("2")


def test_a_link_to_a_task_opens_at_the_task(visit):
    page = visit("/path?screen=9&guesses=learned4")
    page.get_by_role("link", name="Try it with fresh numbers").click()
    expect(page.get_by_role("heading", name="Try it")).to_be_in_viewport()


def test_the_path_continues_where_it_was_left_and_a_link_opens_its_screen(visit):
    page = visit("/path?screen=2")
    page.keyboard.press("1")
    expect(page.get_by_text("Right.")).to_be_visible()
    settle(page)
    page.goto(re.sub(r"\?.*", "", page.url))
    expect(question(settle(page), 2)).to_be_visible()
    expect(page.get_by_text("Right.")).to_be_visible()
    page.goto(re.sub(r"\?.*", "?screen=5", page.url))
    expect(question(settle(page), 5)).to_be_visible()
    assert "table1" in page.url


def test_the_browser_keeps_the_name_of_a_screen_and_reads_the_number_of_an_earlier_version(visit):
    page = visit("/path?screen=2")
    page.keyboard.press("1")
    expect(page.get_by_text("Right.")).to_be_visible()
    settle(page)
    assert page.evaluate("JSON.parse(localStorage['attention-lab.path']).screen") == "table"
    page.evaluate("localStorage['attention-lab.path'] = JSON.stringify({ screen: 16, guesses: 'table1' })")
    page.goto(re.sub(r"\?.*", "", page.url))
    number = next(n for n, screen in enumerate(SCREENS, start=1) if screen.name == "mistake")
    expect(question(settle(page), number)).to_be_visible()
    assert page.evaluate("JSON.parse(localStorage['attention-lab.path']).screen") == "mistake"


def test_back_and_forward_of_the_browser_walk_the_path(visit):
    page = visit("/path?screen=2")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(question(page, 3)).to_be_visible()
    settle(page).go_back()
    expect(question(page, 2)).to_be_visible()
    settle(page).go_forward()
    expect(question(page, 3)).to_be_visible()


def test_a_mark_of_the_bar_leads_to_its_screen(visit):
    page = visit("/path")
    page.get_by_role("button", name=re.compile("^5 of")).click()
    expect(question(page, 5)).to_be_visible()
    assert "screen=softmax" in settle(page).url
    expect(page.get_by_role("button", name=re.compile("^5 of"))).to_have_attribute("aria-current", "step")


def test_home_begins_with_what_for_whom_how_long_and_start(visit):
    page = visit("/")
    for width, height in ((1280, 800), (390, 844)):
        resize(page, width, height)
        for shown in (
            page.get_by_text(f"about {minutes_of_path()} minutes"),
            page.get_by_role("link", name="Start", exact=True),
        ):
            box = shown.bounding_box()
            assert box["y"] + box["height"] <= height
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    page.get_by_role("link", name="Start", exact=True).click()
    expect(question(page, 1)).to_be_visible()


def test_a_page_leads_back_to_its_screen_with_the_guesses(visit):
    page = visit("/path?screen=2&guesses=table1")
    open_in_menu(page, "softmax_axes")
    page.get_by_role("link", name="In the path: 5 of 20").click()
    expect(question(page, 5)).to_be_visible()
    assert address_query(settle(page)) == {"guesses": "table1", "screen": "softmax"}
    page.go_back()
    expect(page).to_have_url(re.compile("/softmax_axes$"))


def test_on_a_phone_the_bar_is_one_line_and_answers_can_be_pressed(visit):
    page = visit("/path?screen=5", width=390, height=844, touch=True)
    assert page.get_by_role("navigation", name="Chapters of the path").bounding_box()["height"] <= 50
    page.get_by_role("button", name="About 55 times").tap()
    expect(page.get_by_text("Right.")).to_be_in_viewport()


def test_an_answer_moves_when_it_is_asked_to_and_can_be_stopped(visit):
    page = visit("/path?screen=8", reduced_motion=False)
    page.keyboard.press("b")
    button = page.get_by_role("button", name=re.compile("Stop|Show the output"))
    expect(button).to_have_text(re.compile("Show the output being added"))
    expect(cell(page, "summed", 4, 0)).to_have_text("1.50")
    page.keyboard.press("r")
    expect(button).to_have_text(re.compile("Stop"))
    expect(cell(page, "summed", 4, 0)).not_to_have_text("1.50")
    page.keyboard.press("Escape")
    expect(button).to_have_text(re.compile("Show the output"))
    expect(cell(page, "summed", 4, 0)).to_have_text("1.50")
    button.click()
    expect(button).to_have_text(re.compile("Stop"))
    expect(button).to_have_text(re.compile("Show the output"))
    expect(cell(page, "summed", 4, 0)).to_have_text("1.50")


def test_with_less_motion_the_last_picture_is_shown_at_once(visit):
    page = visit("/path?screen=8")
    page.keyboard.press("2")
    expect(cell(page, "summed", 4, 0)).to_have_text("1.50")
    expect(page.get_by_role("button", name="Show the output")).to_have_count(0)


def test_an_answer_below_the_screen_is_scrolled_to(visit):
    page = visit("/path?screen=4", height=600)
    page.keyboard.press("2")
    expect(page.get_by_text("one in each direction")).to_be_in_viewport()


def test_on_a_phone_every_screen_opens_with_its_question_and_all_answers(visit):
    page = visit("/path", width=390, height=844)
    for number, screen in enumerate(SCREENS, start=1):
        expect(question(page, number)).to_be_visible()
        guess = page.locator(".st-key-path_guess")
        last = guess.get_by_role("button").nth(len(screen.options) - 1 if screen.options else -2)
        box = settle(page).evaluate("e => e.getBoundingClientRect().bottom", last.element_handle())
        assert box <= 844, screen.name
        page.get_by_role("button", name="Next", exact=True).click()


@pytest.mark.parametrize(
    ("name", "changed"), [("query", "q"), ("score", "scores"), ("mix", "output"), ("residual", "summed")]
)
def test_on_a_phone_the_changed_number_is_in_view(visit, name, changed):
    number = next(n for n, screen in enumerate(SCREENS, 1) if screen.name == name)
    page = visit(f"/path?screen={number}&guesses={name}S", width=390, height=844)
    attempt = page.locator(".st-key-path_try button").first
    attempt.scroll_into_view_if_needed()
    attempt.click()
    expect(page.locator(".st-key-place_found p")).to_be_visible()
    settle(page)
    expect(cell(page, changed, 4, 0)).to_be_in_viewport()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("query", [("x", 4, 4, -10)]),
        ("score", [("w_k", 0, 0, 20)]),
        ("mix", [("w_v", 1, 1, 60)]),
        ("residual", [("x", 4, 4, -10), ("x", 4, 5, 10)]),
    ],
)
def test_what_to_try_is_done_by_the_hand(visit, name, changes):
    screen = next(screen for screen in SCREENS if screen.name == name)
    link, found = f"/path?screen={name}&guesses={name}S", ".st-key-place_found p"
    page = visit(link)
    page.get_by_role("button", name=screen.attempt.button).click()
    expected = page.locator(found).text_content()
    page = visit(link)
    for id, row, column, tenths in changes:
        number = cell(page, id, row, column)
        number.evaluate(DRAG, [math.copysign(4, tenths), abs(tenths), False])
        number.evaluate(DRAG, [math.copysign(4, tenths), abs(tenths), True])
        settle(page)
    expect(page.locator(found)).to_have_text(expected)


# Where everything is that is on a screen before its answer, by a selector of the page and a number.
PLACES = """() => Object.fromEntries([
    "h1", ".st-key-path_way", "[class*=st-key-path_aside_]", ".st-key-place_picture_first", ".st-key-path_guess button",
    ".st-key-path_guess form", ".st-key-path_picture", ".st-key-path_onward",
  ].flatMap((selector) => [...document.querySelectorAll(selector)].map((element, i) => {
    const { left, top } = element.getBoundingClientRect()
    return [`${selector} ${i + 1}`, [left, top]]
  })))"""

FRAME = """option => {
  const mark = option.querySelector("p > .stMarkdownColoredText:last-child")
  return mark ? getComputedStyle(mark).borderTopStyle : "none"
}"""


def moved(before, after):
    """Return the names of the places that are somewhere else."""
    return [name for name in before if max(abs(a - b) for a, b in zip(before[name], after[name], strict=True)) > 0.5]


@pytest.mark.many
@pytest.mark.parametrize("screen", SCREENS, ids=[screen.name for screen in SCREENS])
def test_an_answer_moves_nothing_and_marks_the_guess_and_the_right_option(visit, screen):
    page = visit(f"/path?screen={screen.name}")
    before = page.evaluate(PLACES)
    if screen.options:
        wrong = next(n for n, option in enumerate(screen.options) if not option.right)
        right = next(n for n, option in enumerate(screen.options) if option.right)
        options = page.locator(".st-key-path_options button")
        options.nth(wrong).click()
        expect(options.nth(wrong)).to_contain_text("✗ your guess")
        expect(options.nth(right)).to_contain_text("✓ right")
        expect(options.filter(has_text=re.compile("[✓✗]"))).to_have_count(2)
        expect(page.locator(".st-key-path_options button:enabled")).to_have_count(0)
        borders = [each.evaluate(FRAME) for each in options.all()]
        assert (borders[wrong], borders[right]) == ("dashed", "solid")
        assert borders.count("none") == len(borders) - 2
    else:
        page.get_by_role("button", name="Show me").click()
    expect(page.locator(".st-key-path_keep")).to_be_visible()
    assert moved(before, settle(page).evaluate(PLACES)) == []


def test_a_number_and_its_reason_move_nothing(visit):
    page = visit("/path?screen=query")
    before = page.evaluate(PLACES)
    for number in ("5", "1"):
        page.get_by_role("spinbutton").fill(number)
        page.get_by_role("button", name="Check it").click()
        expect(page.get_by_text("Try once more." if number == "5" else "It has one unit")).to_be_visible()
        assert moved(before, settle(page).evaluate(PLACES)) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_way_on_is_the_same_button_at_the_same_place_on_every_screen(visit, width):
    page = visit("/path?guesses=refers3", width=width, height=844)
    onward = page.get_by_role("button", name="Next", exact=True)
    place, same = onward.bounding_box(), onward.element_handle()
    for number in range(2, 8):
        onward.click()
        expect(question(page, number)).to_be_visible()
        assert settle(page).evaluate("e => e.isConnected", same), number
        assert onward.bounding_box() == place, number


@pytest.mark.many
@pytest.mark.parametrize(
    "name",
    ["refers", "softmax", "mix", "learned", "next", "brings", "loss", "step", "mistake", "induction", "cause", END],
)
def test_a_screen_is_accessible_before_and_after_its_guess(visit, name):
    """Check the accessibility of one screen of the path, before and after the guess."""
    page = visit(f"/path?screen={name}", width=390, height=844)
    assert faults(page, menu=False) == []
    show = page.get_by_role("button", name="Show me")
    if show.count():
        show.click()
        settle(page)
        assert faults(page, menu=False) == []
        assert page.evaluate(FITS_ITS_WIDTH)
    resize(show_in_theme(page, "dark"), 1280, 800)
    assert faults_of_colours(page) == []
