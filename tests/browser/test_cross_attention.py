"""Cross-attention in the browser: the first screen, the page's example, and the digits that the notebook prints."""

import re

from playwright.sync_api import expect

from browser.equation import cell
from browsing import settle

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
    menu = page.get_by_test_id("stSidebarNav")
    menu.get_by_role("link", name="Cross-attention").click()
    expect(page.locator(".words .takes")).to_contain_text("“chat” attends to black with 0.66")
    menu.get_by_role("link", name="Multi-head").click()
    expect(page.get_by_text("“cat”").first).to_be_visible()
    assert settle(page).url.endswith("/multi_head")
    page.go_back()
    expect(page.locator(".words .takes")).to_contain_text("“chat” attends to black with 0.66")
    assert settle(page).url.endswith("/cross_attention")
