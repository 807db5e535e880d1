"""“Your sentence” in the browser: typed markup stays text everywhere, and the page shows the digits of the notebook.

Also the words of a sentence, and the plane of arrows.
"""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from browser.equation import cell, until, until_query
from browser.test_contract import FITS_ITS_WIDTH, LATE_CHARTS, PHONE
from browsing import resize, settle

MARKUP = "<b>bold</b> **x** $y$ [a](b) :material/home: ` :smile: | -> <img src=x>"
# The numbers that notebook 004 prints.
QUERIES = """
1.5508 1.0782 0.9614 1.2697; 1.5947 0.9295 1.1165 1.4145; 1.8072 1.1587 1.0088 1.0838; 0.7328 1.1613 0.3807 1.1279;
1.7788 0.8101 1.2817 1.4500
"""
KEYS = """
1.4139 0.7521 0.7219 0.9764; 1.3193 0.6156 0.5840 1.1054; 1.4285 0.9095 0.9033 0.8424; 1.0649 0.2019 0.4302 0.8388;
1.5394 0.9606 0.6920 1.1284
"""
VALUES = """
1.2509 0.6133 0.6430 1.2622; 1.0767 0.6502 0.6013 1.0473; 1.1663 0.6591 0.8125 1.5585; 1.0087 0.4440 0.2790 0.8554
"""


def sentence_box(page):
    """Return the field for the sentence."""
    return page.get_by_role("textbox", name="Your sentence")


def test_a_typed_sentence_has_weights_and_is_restored_by_its_link(visit, fresh_server):
    page = visit("/your_sentence?source=typed")
    sentence_box(page).fill("猫 saw the dog")
    sentence_box(page).press("Enter")
    expect(page.locator("figure[data-id=weights] .shape").first).to_have_text("4×4")
    settle(page)
    again = visit(page.url[page.url.index("/your") :], server=fresh_server())
    expect(sentence_box(again)).to_have_value("猫 saw the dog")
    labels = again.locator("figure[data-id=weights]").first.get_by_role("rowheader").all_text_contents()
    assert labels == ["猫", "saw", "the", "dog"]
    sentence_box(again).fill("")
    sentence_box(again).press("Enter")
    expect(again.get_by_text("There is nothing to look at yet")).to_be_visible()
    assert settle(again).url.endswith("?source=typed&text=+")


@pytest.mark.parametrize("token", [0, 8, 12, 20])
def test_markup_stays_text_in_words_and_arithmetic(token, visit):
    page = visit(f"/your_sentence?look=computed&text={quote(MARKUP)}&cell=scores.{token}.0")
    shown = [text.strip() for text in page.locator(".st-key-arithmetic code").all_text_contents()]
    words = page.locator(".words .word .text").all_inner_texts()
    assert shown == [words[token], "<"]


def test_a_word_has_no_line_to_a_word_that_the_mask_hides(visit):
    page = visit("/your_sentence")
    expect(page.locator(".words .picture path")).to_have_count(6)
    expect(page.locator(".words .takes")).to_contain_text("to itself with 0.02. Later words are hidden.")
    page.locator(".words .asks").last.click()
    expect(page.locator(".words .takes")).not_to_contain_text("hidden")


def test_markup_makes_no_elements(visit):
    page = visit(f"/your_sentence?text={quote(MARKUP)}&heads=2")
    main = page.get_by_test_id("stMain")
    words = " ".join(main.locator(".words .word .text").all_inner_texts())
    assert "< b > bold < / b > * * x * * $ y $ [ a ] ( b ) : material" in words
    for made in ("p b", "p img", "p a[href='b']", "p code .katex"):
        expect(main.locator(made)).to_have_count(0)
    expect(main.locator("[data-testid=stIconMaterial]", has_text="home")).to_have_count(0)


def test_the_notebook_s_queries_keys_and_values_to_their_printed_digits(visit):
    page = visit("/your_sentence?digits=4&look=computed")
    page.get_by_role("radio", name="The course notebook’s").click()
    expect(page.locator("figure[data-id=q] .shape").first).to_have_text("5×4")
    settle(page)
    for id, text in {"q": QUERIES, "k": KEYS, "v": VALUES}.items():
        for row, numbers in enumerate(text.split(";")):
            cells = page.locator(f"figure[data-id={id}]").first.locator(f"td.cell[data-row='{row}']")
            assert cells.all_inner_texts() == numbers.split(), (id, row)


@pytest.mark.parametrize("text", ["a" * 400, " ".join(["wörter"] * 24)], ids=["a long word", "a long sentence"])
def test_a_long_text_fits_a_phone(text, visit):
    page = visit(f"/your_sentence?text={quote(text)}&cell=scores.0.0&heads=1&look=computed", **PHONE)
    page.wait_for_function(FITS_ITS_WIDTH, timeout=LATE_CHARTS)


@pytest.mark.parametrize(("layout", "dark"), [("rows", False), ("columns", True)])
def test_twenty_four_words_stand_beside_their_rows_and_above_their_columns(layout, dark, visit):
    words = ["the", *(f"word{i}" for i in range(2, 24)), "the"]
    page = visit(f"/your_sentence?text={quote(' '.join(words))}&layout={layout}", dark=dark)
    weights = page.locator("figure[data-id=weights]")
    canvas = weights.locator("canvas").bounding_box()
    for side, axis, length in ((".beside", "y", "height"), (".above", "x", "width")):
        labels = weights.locator(f"{side} > span")
        assert labels.all_text_contents() == words
        boxes = [label.bounding_box() for label in labels.all()]
        for place, box in enumerate(boxes):
            middle = canvas[axis] + (place + 0.5) / len(words) * canvas[length]
            assert abs(box[axis] + box[length] / 2 - middle) < 3, (side, place)
            assert box[length] >= 13
    assert canvas["x"] + canvas["width"] < 1280


def test_the_picture_names_both_words_and_the_value(visit):
    words = ["the", *(f"word{i}" for i in range(2, 24)), "the"]
    page = visit(f"/your_sentence?text={quote(' '.join(words))}")
    weights = page.locator("figure[data-id=weights]")
    canvas, readout = weights.locator("canvas"), weights.locator("output")
    box = canvas.bounding_box()
    canvas.hover(position={"x": 2.5 / 24 * box["width"], "y": 3.5 / 24 * box["height"]})
    expect(readout).to_have_text(re.compile(r"^word4, word3: 0\.\d{4}$"))
    assert weights.locator("span.at").all_text_contents() == ["word3", "word4"]
    canvas.focus()
    for _ in range(24):
        page.keyboard.press("ArrowRight")
    expect(readout).to_have_text(re.compile(r"^word4, the \(24\): 0\.\d{4}$"))


def test_on_a_phone_the_picture_scrolls_inside_itself_and_keeps_its_rows_names(visit):
    page = visit(f"/your_sentence?text={quote(' '.join(f'word{i}' for i in range(24)))}", **PHONE)
    page.wait_for_function(FITS_ITS_WIDTH, timeout=LATE_CHARTS)
    scroll = page.locator("figure[data-id=weights] .scroll")
    assert scroll.evaluate("e => e.scrollWidth > e.clientWidth")
    scroll.evaluate("e => { e.scrollLeft = 1000 }")
    label = page.locator("figure[data-id=weights] .beside span").first
    assert label.bounding_box()["x"] >= 0


def test_nothing_on_the_page_can_be_edited(visit):
    page = visit("/your_sentence?look=computed")
    expect(page.locator("figure.editable")).to_have_count(0)
    cell(page, "x", 0, 0).focus()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    assert "x=" not in settle(page).url


def test_a_switch_of_the_row_goes_back_with_the_browser(visit):
    page = visit("/your_sentence?source=typed")
    mask, scaling = (page.get_by_role("button", name=name) for name in ("Causal mask", "Divide by"))
    expect(scaling).to_have_attribute("aria-pressed", "true")
    mask.click()
    until_query(page, source="typed", causal="on")
    expect(mask).to_have_attribute("aria-pressed", "true")
    page.go_back()
    settle(page)
    expect(mask).to_have_attribute("aria-pressed", "false")
    expect(scaling).to_have_attribute("aria-pressed", "true")


def test_a_row_of_switches_wraps_on_a_phone(visit):
    page = visit("/your_sentence?source=typed", **PHONE)
    row = page.get_by_role("group", name="On or off")
    assert row.evaluate("row => row.scrollWidth <= row.clientWidth")


def words(page):
    """Return the picture of words."""
    return page.locator(".words")


def taken_text(page):
    """Return the text that says what a word takes from the others."""
    return words(page).get_by_role("status")


def word(page, text, nth=0):
    """Return the button of a word in the picture. If the word comes several times, `nth` counts from 0."""
    return words(page).get_by_role("button", name=re.compile(rf"^{text}: ")).nth(nth)


def test_moving_onto_a_word_shows_its_lines_alone_without_asking_the_server(visit):
    page = visit("/your_sentence?source=typed")
    expect(taken_text(page)).to_contain_text("“cat” attends to")
    lines = words(page).locator("svg path")
    chosen = lines.first.get_attribute("d")
    sent = page.evaluate("window.labTimes.sent")
    word(page, "saw").hover()
    expect(taken_text(page)).to_contain_text("“saw” attends to The with 0.20")
    assert lines.count() == 6
    assert lines.first.get_attribute("d") != chosen
    expect(word(page, "cat", 1)).to_have_attribute("aria-pressed", "true")  # this word stays chosen
    page.mouse.move(5, 5)
    expect(taken_text(page)).to_contain_text("“cat” attends to")
    assert lines.first.get_attribute("d") == chosen
    assert page.evaluate("window.labTimes.sent") == sent


def test_the_keyboard_moves_onto_words_as_well_and_enter_keeps_one(visit):
    page = visit("/your_sentence?source=typed")
    word(page, "The").focus()
    expect(taken_text(page)).to_contain_text("“The” attends to itself with 0.35")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(word(page, "saw")).to_be_focused()
    expect(taken_text(page)).to_contain_text("“saw” attends to")
    assert "word=" not in page.url
    page.keyboard.press("Enter")
    until_query(page, source="typed", word="2")
    page.get_by_role("textbox", name="Your sentence").focus()
    expect(taken_text(page)).to_contain_text("“saw” attends to")
    expect(page.get_by_text("attends most to").first).to_contain_text("saw")


def test_the_picture_and_what_is_said_of_it_stand_in_the_first_screen(visit):
    page = visit("/your_sentence")
    for shown in (word(page, "cat"), page.get_by_text("This is a trained model")):
        assert shown.bounding_box()["y"] < 620
    assert page.locator("figure").first.bounding_box()["y"] < 750


ARROWS = "/queries_keys_values?look=arrows"


def tip(page, name):
    """Return the element at the end of the arrow `name`: it is a slider, and dragging it changes the arrow."""
    return page.get_by_role("slider", name=name, exact=True)


def tip_place(page, name):
    """Return the two coordinates of the tip of an arrow."""
    return [
        float(n.replace("−", "-")) for n in re.findall(r": ([−\d.]+)", tip(page, name).get_attribute("aria-valuetext"))
    ]


def middle_of_tip(page, name):
    """Return where the middle of a tip is on the screen, in pixels."""
    box = tip(page, name).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, name, onto, *, release=True):
    """Drag the tip of the arrow `name` onto the tip of the arrow `onto`. If `release` is false, do not let go."""
    tip(page, name).scroll_into_view_if_needed()
    (x, y), (to_x, to_y) = middle_of_tip(page, name), middle_of_tip(page, onto)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + to_x) / 2, (y + to_y) / 2, steps=4)
    page.mouse.move(to_x, to_y, steps=4)
    if release:
        page.mouse.up()


def test_dragging_the_query_onto_another_key_changes_its_matrix_and_its_best_key(visit):
    page = visit(ARROWS)
    assert tip_place(page, "Query of it") == [3, 1]
    drag(page, "Query of it", "Key of milk", release=False)
    assert tip_place(page, "Query of it") == [0, 2]  # at once, before the server answers
    expect(cell(page, "q", 4, 1)).to_have_text("2")
    assert "w_q" not in page.url  # the link does not change during a drag
    page.mouse.up()
    until(page, lambda: "w_q=" in page.url, True)
    expect(cell(page, "w_q", 3, 0)).to_have_text("−0.5")
    expect(cell(page, "w_q", 4, 0)).to_have_text("0.5")
    expect(cell(page, "w_q", 2, 0)).to_have_text("3")  # “it” is no action, so nothing changes there
    expect(page.get_by_text("“it” and “milk”:")).to_be_visible()
    page.locator(".plane").get_by_role("button", name="Undo").click()
    until(page, lambda: "w_q=" in page.url, False)
    until(page, lambda: tip_place(page, "Query of it"), [3, 1])


def test_keys_move_a_tip_in_steps_and_control_z_takes_them_back(visit):
    page = visit(ARROWS)
    tip(page, "Key of cat").focus()
    page.keyboard.press("ArrowUp")
    assert tip_place(page, "Key of cat") == [2, 0.5]
    page.keyboard.press("Shift+ArrowLeft")
    assert tip_place(page, "Key of cat") == [1.9, 0.5]
    expect(cell(page, "w_k", 0, 1)).to_have_text("0.5")
    expect(page.locator(".plane").get_by_role("status")).to_have_text(re.compile(r"is somebody: 1\.90, .*: 0\.50"))
    expect(tip(page, "Key of cat")).to_be_focused()
    page.keyboard.press("Control+z")
    until(page, lambda: tip_place(page, "Key of cat"), [2, 0.5])
    settle(page)
    page.keyboard.press("Control+z")
    until(page, lambda: tip_place(page, "Key of cat"), [2, 0])
    until(page, lambda: "w_k=" in page.url, False)


def test_tokens_with_the_same_feature_move_together(visit):
    page = visit(ARROWS)
    tip(page, "Key of because").focus()
    page.keyboard.press("ArrowRight")
    assert tip_place(page, "Key of because") == tip_place(page, "Key of it") == [0.5, 0]
    tip(page, "Key of it").focus()  # it is thirsty as well, so half of the change is made in each of two rows
    page.keyboard.press("ArrowUp")
    assert tip_place(page, "Key of it") == [0.5, 0.5]
    assert tip_place(page, "Key of because") == [0.5, 0.25]


def test_every_tip_is_reached_by_tab(visit):
    page = visit(ARROWS)
    tip(page, "Key of cat").focus()
    for name in ("Key of drank", "Key of milk", "Key of because", "Key of it", "Query of it"):
        page.keyboard.press("Tab")
        expect(tip(page, name)).to_be_focused()


def test_an_example_that_cannot_be_edited_has_no_tips_and_says_so(visit):
    page = visit("/queries_keys_values?look=arrows&example=wide")
    expect(page.get_by_text("these are too large to be edited")).to_be_visible()
    expect(page.locator(".plane").get_by_role("slider")).to_have_count(0)
    expect(page.locator(".plane").get_by_role("button")).to_have_count(0)


def test_the_picture_keeps_within_its_page_and_its_letters_their_size(visit):
    page = visit(ARROWS, width=390, height=844)
    picture = page.locator(".plane svg")
    for width, height in ((390, 844), (1280, 800), (1920, 1080)):
        resize(page, width, height)
        box = picture.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        for name in picture.locator("text").all():
            own = name.bounding_box()
            if own["width"]:
                assert box["x"] - 1 <= own["x"]
                assert own["x"] + own["width"] <= box["x"] + box["width"] + 1, name.text_content()
                assert own["height"] >= 12


def test_question_reason_and_first_equation_are_in_the_first_screen(visit):
    page = visit("/queries_keys_values", width=1280, height=800)
    for shown in (page.get_by_role("heading", level=1), page.get_by_text("What a word means depends")):
        expect(shown).to_be_in_viewport(ratio=1)
    for id in ("x", "w_q", "q"):
        expect(page.locator(f"figure[data-id='{id}']").first).to_be_in_viewport(ratio=1)
