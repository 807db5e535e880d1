"""The picture of arrows: a visitor drags the tip of an arrow or moves it by keys, and the matrix behind it changes."""

import re

from playwright.sync_api import expect

from browser.equation import cell, until
from browsing import resize, settle

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
