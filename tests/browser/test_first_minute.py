"""The home page in a browser: touching a word changes the picture, the matrices, the link and the tools.

Also the dialog “Share”.
"""

import io
import re

import numpy as np
import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from browser.equation import cell
from browsing import download_state, more_tools, resize, settle, share, upload_state


def words(page):
    """Return the picture of words that take information from each other."""
    return page.locator(".words")


def word(page, text):
    """Return the button of a word in the picture."""
    return words(page).get_by_role("button", name=re.compile(rf"^{text}: "))


def thickness(page):
    """Return how thick the line to each word is, in the order of the words."""
    strokes = words(page).locator("svg path").evaluate_all("paths => paths.map(path => path.style.strokeWidth)")
    return [float(stroke.removesuffix("px")) for stroke in strokes]


def test_the_word_it_attends_to_cat_until_the_last_word_is_changed(visit):
    page = visit("/")
    expect(words(page).get_by_role("status")).to_contain_text("“it” attends to cat with 0.73")
    assert thickness(page).index(max(thickness(page))) == 0
    word(page, "thirsty").click()
    expect(words(page).get_by_role("status")).to_contain_text("“it” attends to milk with 0.73")
    expect(word(page, "sour")).to_be_focused()
    settle(page)
    assert thickness(page).index(max(thickness(page))) == 2
    expect(cell(page, "x", 4, 5)).to_contain_text("1")
    assert "x=" in page.url
    page.get_by_role("button", name="Undo").click()
    expect(words(page).get_by_role("status")).to_contain_text("“it” attends to cat with 0.73")


def test_another_word_can_be_chosen_by_mouse_and_keyboard(visit):
    page = visit("/")
    word(page, "drank").click()
    expect(word(page, "drank")).to_have_attribute("aria-pressed", "true")
    expect(word(page, "it")).to_have_attribute("aria-pressed", "false")
    expect(word(page, "cat")).to_have_accessible_name("cat: “drank” attends to it with 0.47")
    expect(word(page, "drank")).to_have_accessible_name(re.compile("attends to itself with 0.02$"))
    assert settle(page).url.endswith("?word=1")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(word(page, "milk")).to_have_attribute("aria-pressed", "true")
    assert settle(page).url.endswith("?word=2")


def test_two_inputs_stand_in_two_lines(visit):
    page = visit("/?example=context")
    expect(words(page).get_by_role("button")).to_have_count(2)
    expect(words(page).locator(".answers .word")).to_have_count(4)
    expect(words(page).get_by_role("status")).to_contain_text("“decoder 1” attends to translation with 0.41")


def test_question_and_picture_stand_in_the_first_screen(visit):
    page = visit("/", width=390, height=844)
    for width, height in ((390, 844), (1280, 800)):
        resize(page, width, height)
        for shown in (page.get_by_role("heading", level=1), word(page, "thirsty"), words(page).get_by_role("status")):
            box = shown.bounding_box()
            assert box["y"] + box["height"] <= height
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width


# --- the map ---


def the_map(page):
    return page.get_by_role("navigation", name="The way from tokens to the next word")


def test_the_map_leads_through_the_pages_and_takes_edits_along(visit):
    page = visit("/?x=1,0,0,0,0,0;0,0,1,0,0,0;0,1,0,0,0,0;0,0,0,1,0,0;0,0,0,1,0,1")
    page.evaluate("window.stays = true")
    the_map(page).get_by_role("link", name="Mix values").click()
    expect(page.get_by_role("radio", name=re.compile("^8 "))).to_be_checked()
    assert re.search("/attention.*x=.*step=8", settle(page).url)
    expect(the_map(page)).to_have_count(0)  # the steps of this page are its map
    page.go_back()  # to the address without parameters, which shows the same
    settle(page).go_back()
    here = the_map(settle(page)).locator("[aria-current]")
    the_map(page).get_by_role("link", name="Softmax").focus()
    page.keyboard.press("Enter")
    expect(here).to_have_text("Softmax")
    the_map(page).get_by_role("link", name="Scale").click()
    expect(here).to_have_text("Scale")
    assert "x=" in settle(page).url
    page.go_back()
    settle(page).go_back()
    expect(here).to_have_text("Softmax")
    assert page.evaluate("window.stays"), "nothing was loaded anew"


def test_an_address_on_the_map_says_the_state_that_a_new_tab_needs(visit):
    page = visit("/?digits=4")
    link = the_map(page).get_by_role("link", name="Scores")
    expect(link).to_have_attribute("href", "attention?step=4")
    word(page, "thirsty").click()
    expect(link).to_have_attribute("href", re.compile(r"^attention\?x=[^&]*&step=4$"))


def test_the_map_marks_the_station_of_a_scene(visit):
    page = visit("/scaling?scene=1")
    expect(the_map(page).locator("[aria-current]")).to_have_text("Scale")


def test_the_map_is_one_low_line_and_no_part_of_the_presenter_view(visit):
    page = visit("/scaling")
    box = the_map(page).bounding_box()
    assert box["height"] <= 40
    assert the_map(page).locator("ol").evaluate("list => list.scrollWidth <= list.clientWidth")
    expect(the_map(visit("/scaling?view=present"))).to_be_hidden()


@pytest.mark.parametrize("path", ["/scaling", "/multi_head?look=attentions", "/multi_head?look=shares"])
def test_on_a_phone_the_map_is_scrolled_to_the_present_page(visit, path):
    page = visit(path, width=390, height=844, touch=True)
    box = the_map(page).locator("[aria-current]").bounding_box()
    assert 0 <= box["x"]
    assert box["x"] + box["width"] <= 390
    assert the_map(page).bounding_box()["height"] <= 40


def test_the_tools_are_one_press_away(visit):
    page = visit("/scaling")
    more_tools(page).get_by_role("radio", name="4", exact=True).click()
    assert "digits=4" in settle(page).url
    more_tools(page).get_by_role("button", name="Symbols").click()
    expect(page.get_by_role("dialog")).to_contain_text("On the screen")


def test_on_a_phone_the_bar_is_scrolled_and_pressed(visit):
    page = visit("/scaling", width=390, height=844, touch=True)
    page.get_by_role("button", name="Scenes", exact=True).tap()
    expect(page.get_by_role("dialog").get_by_role("button", name=re.compile("^45 minutes"))).to_be_visible()


@pytest.mark.parametrize("path", ["/softmax_axes", "/path", "/lecturers"])
def test_on_a_phone_nothing_that_is_scrolled_stands_beside_the_button_of_the_menu(path, visit):
    page = visit(path, width=390, height=844, touch=True)
    on_top = "x => !document.elementFromPoint(x, 24).closest('[data-testid=stHeader]')"
    assert page.evaluate(on_top, 200), "the question or the tools are beside the button"
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 300)")
    assert not any(page.evaluate(on_top, x) for x in (10, 30, 200, 380))


SQUARE_OR_LOW = """buttons => buttons.filter((each) => {
  const { borderBottomLeftRadius, borderTopRightRadius } = getComputedStyle(each)
  const { width, height } = each.getBoundingClientRect()
  return [borderBottomLeftRadius, borderTopRightRadius].includes("0px") || Math.min(width, height) < 44
}).map(each => each.textContent)"""


def test_on_a_phone_options_and_tools_are_buttons_as_large_as_a_thumb(visit):
    page = visit("/attention", width=390, height=844)
    steps = page.get_by_role("radiogroup", name="Step").get_by_role("radio")
    expect(steps).to_have_count(10)
    assert steps.evaluate_all(SQUARE_OR_LOW) == []
    assert page.locator(".st-key-bar button").evaluate_all(SQUARE_OR_LOW) == []


def test_the_links_to_the_pages_before_and_after_stand_on_one_line(visit):
    page = visit("/softmax_axes")
    before, after = page.locator(".stPageLink").all()[-2:]
    assert before.bounding_box()["y"] == pytest.approx(after.bounding_box()["y"], abs=0.5)


STATE = "/attention?example=book&x=1,0,1,0;0,2,0,2;1,5,1,1&cell=weights.0.1&step=5"


@pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 390)])
def test_the_qr_code_holds_the_link(dark, width, visit):
    page = visit(STATE, dark=dark, width=width)
    dialog = share(page)
    picture = dialog.get_by_role("img", name="QR code").screenshot()
    (code,) = zxingcpp.read_barcodes(np.asarray(Image.open(io.BytesIO(picture)).convert("L")))
    assert code.text == dialog.locator("code").first.inner_text()
    assert code.text.endswith(STATE)


def test_a_state_is_downloaded_and_opened_on_another_page(visit, tmp_path):
    page = visit(STATE)
    assert download_state(page, tmp_path / "state.json") == "attention_book.json"
    elsewhere = visit("/scaling?example=cat")
    upload_state(elsewhere, tmp_path / "state.json")
    expect(elsewhere.get_by_role("heading", level=1)).to_contain_text("step by step")
    expect(elsewhere.get_by_role("dialog")).to_have_count(0)
    assert "step=5" in settle(elsewhere).url
    expect(elsewhere.get_by_role("radio", name="5 Softmax")).to_be_checked()
    expect(elsewhere.get_by_text("Changed from the example.")).to_be_visible()


def test_a_state_is_opened_on_its_own_page(visit, tmp_path):
    (tmp_path / "plain.json").write_text(
        '{"format": "attention lab state", "version": 1, "page": "attention", "state": {}}'
    )
    page = visit(STATE)
    upload_state(page, tmp_path / "plain.json")
    expect(page.get_by_role("radio", name="1 Input")).to_be_checked()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("Changed from the example.")).to_have_count(0)


def test_a_file_without_a_state_is_refused_with_its_reason_and_changes_nothing(visit, tmp_path):
    (tmp_path / "grades.json").write_text('{"version": 1}')
    page = visit(STATE)
    dialog = share(page)
    dialog.locator('input[type="file"]').set_input_files(tmp_path / "grades.json")
    expect(dialog.get_by_role("alert")).to_contain_text(
        "format must be “attention lab state”, but it is missing. Choose a file"
    )
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(cell(page, "weights", 0, 1)).to_have_class("cell self selected")


def test_a_state_too_long_for_a_link_says_so_and_offers_the_file(visit):
    row = ",".join(["1.2345678901234567e-05"] * 4)
    edits = {name: ";".join([row] * rows) for name, rows in {"x": 3, "w_q": 4, "w_k": 4, "w_v": 4, "w_o": 4}.items()}
    edits |= dict.fromkeys(("b_q", "b_k", "b_v"), row)
    page = visit("/attention?example=columns&" + "&".join(f"{name}={text}" for name, text in edits.items()))
    dialog = share(page)
    expect(dialog.get_by_text("A link can have 2,000 characters, but this state needs")).to_be_visible()
    expect(dialog.get_by_role("img", name="QR code")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Download this state")).to_be_visible()
