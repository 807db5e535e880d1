"""Cross-attention in the browser: the first screen, the page's example, and the digits that the notebook prints.

Also training, the induction head, and the wall of heads.
"""

import re

import pytest
from playwright.sync_api import expect

from attention_core.induction.training import STEPS
from browser.equation import address_query, cell, type_over, until
from browser.test_accessibility import faults
from browsing import open_in_menu, resize, settle

# The numbers that notebook 003 prints for question 1.
SCORES = "-0.6053 -0.7374 -0.2628 0.977"
SCALED = "-0.30265 -0.3687 -0.1314 0.4885"
WEIGHTS = "0.1876594 0.17566497 0.22271181 0.41396383"
WRONG = "0.07694035 -0.00526995 0.38974566 0.45122057"
RIGHT = "0.09578694 0.14982156 0.24673243 0.38854995"


def row_of(page, id, row):
    """Return the numbers in one row of a matrix, as the page shows them."""
    cells = page.locator(f"figure[data-id='{id}']").first.locator(f"td.cell[data-row='{row}']")
    return [text.replace("−", "-") for text in cells.all_inner_texts()]


def eight_decimals(text):
    return [f"{float(number):.8f}" for number in text.split()]


def test_question_1_to_its_printed_digits(visit):
    page = visit("/cross_attention?example=context&digits=8")
    for id, text in {"scores": SCORES, "scaled": SCALED, "weights": WEIGHTS, "output": RIGHT}.items():
        assert row_of(page, id, 1) == eight_decimals(text)


def test_the_notebook_s_wrong_vector_to_its_printed_digits(visit):
    page = visit("/cross_attention?example=context&digits=8&mistake=features_weighted")
    assert row_of(page, "output_mistake", 1) == eight_decimals(WRONG)
    assert row_of(page, "output_right", 1) == eight_decimals(RIGHT)
    expect(page.get_by_text(re.compile("The output is off by up to"))).to_be_visible()


def test_the_number_of_keys_is_chosen_and_x_can_attend_to_itself(visit):
    page = visit("/cross_attention?example=context&look=all")
    page.get_by_role("radio", name="3", exact=True).click()
    expect(page.locator("figure[data-id=k]").last.locator(".shape")).to_have_text("4×3")
    page.get_by_text("Let X attend to itself").click()
    expect(page.locator("figure[data-id=scores]").last.locator(".shape")).to_have_text("2×2")
    expect(page.locator("figure[data-id=context]")).to_have_count(0)
    assert "itself=on" in settle(page).url
    assert "keys=3" in page.url


def test_an_example_with_two_inputs_opens_without_the_edits_of_the_other(visit):
    page = visit("/cross_attention?example=hand&x=5,0,0,2,0;1,0,1,0,0;0,1,0,1,1&look=all")
    page.get_by_role("button", name="See an example with two").click()
    expect(cell(page, "context", 1, 2).first).to_have_text("1")
    expect(page.get_by_text("The link")).to_have_count(0)
    assert settle(page).url.endswith("/cross_attention?look=all")


def test_question_reason_and_picture_are_in_the_first_screen_and_a_word_is_touched(visit):
    page = visit("/cross_attention", width=1280, height=800)
    takes = page.locator(".words .takes")
    for seen in (
        page.get_by_role("heading", name="How does one text attend to another?"),
        page.get_by_text("each word depends on another text"),
        page.locator(".words .picture"),
        takes,
    ):
        expect(seen).to_be_in_viewport(ratio=1)
    expect(takes).to_contain_text("“chat” attends to black with 0.66, to sleeps with 0.24")
    page.get_by_role("group", name="Choose the word that asks").get_by_text("le", exact=True).click()
    settle(page)
    expect(takes).to_contain_text("“le” attends to cat with 0.78")
    expect(page.get_by_text("“le” looks for a noun (3)")).to_be_visible()
    assert row_of(page, "weights", 0)[2] == "0.78"
    assert page.url.endswith("/cross_attention?word=0")


def test_each_page_opens_with_its_own_example(visit):
    page = visit("/attention")
    open_in_menu(page, "cross_attention")
    expect(page.locator(".words .takes")).to_contain_text("“chat” attends to black with 0.66")
    open_in_menu(page, "multi_head")
    expect(page.get_by_text("“cat”").first).to_be_visible()
    assert settle(page).url.endswith("/multi_head")
    page.go_back()
    expect(page.locator(".words .takes")).to_contain_text("“chat” attends to black with 0.66")
    assert settle(page).url.endswith("/cross_attention")


UNTIL_TRAINED = 60_000  # milliseconds, on a busy machine


def start_training(visit, seed):
    """Open the page, start a training that nobody has watched yet, and return the tab."""
    page = visit(f"/induction_head?seed={seed}")
    expect(steps(page)).to_have_count(2)
    page.get_by_role("button", name="Train it now").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    return page


def steps(page):
    """Return the options for the number of training steps."""
    return page.get_by_role("radiogroup", name="After how many steps").get_by_role("radio")


def test_a_training_is_watched_to_its_end(visit):
    page = start_training(visit, 5)
    # The charts are the curves of the training (two panels), two heads, and the curves of earlier models (two panels).
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(6)
    expect(page.get_by_role("progressbar")).to_have_count(0, timeout=UNTIL_TRAINED)
    expect(steps(page)).to_have_count(len(STEPS))
    expect(page.get_by_role("button", name="Train it now")).to_be_enabled()


def test_a_stopped_training_keeps_its_last_model(visit):
    page = start_training(visit, 4)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    page.wait_for_url("**/induction_head?seed=4&after=*")
    expect(page.get_by_role("button", name="Train it now")).to_be_enabled()


def test_the_rest_of_the_page_answers_while_it_trains(visit):
    page = start_training(visit, 3)
    page.get_by_role("radio", name="What the second head needs").click()
    expect(page.get_by_role("heading", name="What does the second head need?")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()


def test_axe_finds_nothing_while_it_trains(visit):
    page = start_training(visit, 2)
    assert faults(page) == []


OF_QUERIES = "Query weights, 6 by 4"
PAIRS = {"weights": "grad_weights", "v": "grad_v", "output": "grad_output"}


def right_edges(page, ids):
    """Return the right edge of each matrix in `ids`, in pixels, in the equation that has the weights and the values."""
    board = page.locator(".equation").filter(has=page.locator('[data-id="weights"]'))
    board = board.filter(has=page.locator('[data-id="v"]')).first
    boxes = [board.locator(f'figure[data-id="{id}"] td.bracket.right').first.bounding_box() for id in ids]
    return [box["x"] + box["width"] for box in boxes]


@pytest.mark.parametrize(
    "link",
    [
        "/training_step?look=back&step=values",
        "/training_step?look=back&step=values&taken=7&layout=columns",
        "/training_step?look=back&step=values&example=hand",
    ],
)
def test_a_gradient_stands_below_its_matrix(visit, link):
    page = visit(link)
    for above, below in zip(right_edges(page, PAIRS), right_edges(page, PAIRS.values()), strict=True):
        assert above == pytest.approx(below, abs=1.5)


@pytest.mark.parametrize("more", ["", "&example=hand"])
def test_a_gradient_stands_below_its_matrix_in_a_lecture(visit, more):
    page = visit(f"/training_step?look=back&step=values&view=present{more}", width=1280, height=720)
    page.keyboard.press("a")
    for above, below in zip(right_edges(settle(page), PAIRS), right_edges(page, PAIRS.values()), strict=True):
        assert above == pytest.approx(below, abs=1.5)


# How many controls of the lesson a visitor sees before scrolling. A choice counts once, whatever the number of options.
CONTROLS_IN_SIGHT = """() => {
  const kinds = ["ButtonGroup", "Slider", "Selectbox", "Button", "Expander"].map((kind) => `[data-testid="st${kind}"]`)
  const lesson = document.querySelector(".st-key-place_view").parentElement.parentElement
  const components = [...lesson.querySelectorAll('[data-testid="stBidiComponentIsolated"]')]
  const inPanels = components.flatMap((each) => [...each.shadowRoot.querySelectorAll(".panel > .item:not(.of-line)")])
  const controls = [...lesson.querySelectorAll(kinds), ...inPanels]
  return controls.filter((each) => each.getBoundingClientRect().top < innerHeight).length
}"""


def test_a_step_of_training_opens_with_its_picture_and_few_controls(visit):
    page = visit("/training_step")
    assert page.evaluate(CONTROLS_IN_SIGHT) <= 8
    first = page.locator("td.cell").first.bounding_box()["y"]
    assert first <= 420
    assert first < page.get_by_role("heading", name="How wrong is the output?").bounding_box()["y"]


def test_the_steps_of_the_way_back_are_shown_at_one_place(visit):
    page = visit("/training_step?look=back")
    steps = page.get_by_role("radiogroup", name="One step of the way back").get_by_role("radio")
    equation = page.locator(".equation").first.element_handle()
    place = steps.first.bounding_box()
    for number in range(1, steps.count()):
        steps.nth(number).click()
        expect(steps.nth(number)).to_be_checked()
        assert settle(page).evaluate("e => e.isConnected", equation), number
        assert steps.first.bounding_box() == place, number
    expect(page.locator('figure[data-id="grad_w_v"]')).to_be_visible()
    assert "step=w_v" in page.url


def step_button(page, name):
    """Return the button `name`, which takes steps of training. Ignore "back", whose name may contain `name`."""
    return page.get_by_role("button", name=name).filter(has_not_text="back")


def press(page, name):
    """Press a button for steps, and wait until the page no longer changes."""
    step_button(page, name).click()
    return settle(page)


def test_numbers_that_a_step_changes_are_marked(visit):
    page = visit("/training_step?look=back&step=w_q")
    assert page.locator("td.changed").count() == 0
    press(page, "One step")
    page.wait_for_url("**taken=1**")
    page.locator('figure[data-id="w_q"] td.changed').first.wait_for()
    assert page.locator('figure[data-id="x"] td.changed').count() == 0


def test_a_trained_matrix_cannot_be_edited_until_training_begins_again(visit):
    """Check that a matrix which training has changed cannot be edited until the training begins again.

    The page must not draw the matrix anew when it locks it, because the first step would then take twice as long.
    """
    page = visit("/training_step?look=back&step=w_q")
    drawn = page.locator('figure[data-id="w_q"]').first
    page.evaluate("figure => { figure.drawn = true }", drawn.element_handle())
    expect(page.get_by_role("grid", name=f"{OF_QUERIES}, editable", exact=True)).to_be_visible()
    expect(drawn.get_by_title("You can edit this matrix")).to_be_visible()
    press(page, "One step")
    expect(page.get_by_role("grid", name=OF_QUERIES, exact=True)).to_be_visible()
    expect(drawn).not_to_have_class(re.compile("editable"))
    expect(drawn.locator(".pen")).to_be_hidden()
    press(page, "Start again")
    expect(page.get_by_role("grid", name=f"{OF_QUERIES}, editable", exact=True)).to_be_visible()
    expect(drawn.get_by_title("You can edit this matrix")).to_be_visible()
    assert drawn.evaluate("figure => figure.drawn")


def test_an_entry_or_a_drag_ends_when_training_changes_its_matrix(visit):
    page = visit("/training_step?look=back&step=w_q")
    type_over(cell(page, "w_q", 0, 0), "1abc")
    expect(page.get_by_role("alert").filter(has_text="1abc")).to_be_visible()
    press_from_elsewhere(page, "One step")
    expect(page.get_by_role("alert").filter(has_text="1abc")).to_have_count(0)
    expect(page.locator("td.invalid, td.cell input")).to_have_count(0)
    until(page, lambda: cell(page, "w_q", 0, 0).inner_text(), "0")
    press(page, "Start again")
    cell(page, "w_q", 1, 1).hover()
    page.mouse.down()
    press_from_elsewhere(page, "One step")
    page.mouse.move(600, 300)
    page.mouse.up()
    settle(page)
    until(page, lambda: {*address_query(page)} - {"cell"}, {"look", "step", "taken"})


def press_from_elsewhere(page, name):
    """Press a button without moving the mouse and the focus."""
    step_button(page, name).evaluate("button => button.click()")
    settle(page)


DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def open_wall(visit, size):
    """Open "Real heads" in a window of this size. Return the tab and the wall: a picture with a map of each head."""
    page = visit("/real_heads", **size)
    wall = page.get_by_role("img", name=re.compile("The attention weights of 30 layers of 9 heads"))
    expect(wall).to_be_visible()
    return page, wall


def title_of_weights(page, head):
    """Return the title of the equation that shows the weights of a head."""
    return page.get_by_text(f"{head}: how much each token attends to each")


def press_of_wall(wall, column, row, columns):
    """Press the middle of the map in `column` and `row` of the wall, which has `columns` columns of maps."""
    width = wall.bounding_box()["width"]
    letter = 0.8 * wall.evaluate("wall => parseFloat(getComputedStyle(document.documentElement).fontSize)")
    left, top = 1.7 * letter, 1.4 * letter
    pitch = (width - left) / columns
    wall.click(position={"x": left + (column + 0.5) * pitch, "y": top + (row + 0.5) * pitch})


def test_a_press_and_a_key_choose_a_head(visit):
    page, wall = open_wall(visit, DESK)
    expect(title_of_weights(page, "L18H6")).to_be_visible()
    press_of_wall(wall, 16, 0, columns=30)
    expect(title_of_weights(page, "L16H0")).to_be_visible()
    page.wait_for_url("**/real_heads?head=16.0")
    wall.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("Layer 17, head 1 (L17H1)")).to_be_visible()
    expect(title_of_weights(page, "L16H0")).to_be_visible()  # moving over the wall does not choose a head
    page.keyboard.press("Enter")
    expect(title_of_weights(page, "L17H1")).to_be_visible()
    expect(wall).to_have_attribute("aria-label", re.compile("layer 17, head 1 is chosen"))


def test_on_a_phone_layers_stand_below_each_other(visit):
    page, wall = open_wall(visit, PHONE)
    expect(page.get_by_text("Layers 0 to 29 below each other, heads 0 to 8 side by side.")).to_be_visible()
    press_of_wall(wall, 6, 17, columns=9)
    expect(title_of_weights(page, "L17H6")).to_be_visible()
    resize(page, **DESK)
    expect(page.get_by_text("Layers 0 to 29 side by side, heads 0 to 8 below each other.")).to_be_visible()
