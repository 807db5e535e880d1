"""With a round trip of 300 ms, no press is lost if it comes before the answer to the press before."""

import pytest
from playwright.sync_api import expect

from browser.equation import address_query, arithmetic, card_formula, card_place_fault, cell, type_over, until_query
from browsing import settle
from pages.shared.scene_files.screens import screens
from walks import delayed_server, ends_where_its_link_begins


@pytest.fixture(scope="module")
def slow_server(server):
    """Give the tests the server at the end of a slow connection."""
    with delayed_server(server) as far:
        yield far


def test_what_a_button_sets_survives_another_press(visit, slow_server):
    page = visit("/check_my_matrix", server=slow_server)
    area = page.get_by_role("textbox", name="Your result")
    expect(area).to_have_value("")
    page.get_by_role("button", name="wrong result").click()
    page.get_by_role("radio", name="Weights", exact=True).click()
    settle(page, quiet=600)
    expect(area).not_to_have_value("")
    assert address_query(page)["answer"] == area.input_value()
    assert address_query(page)["asked"] == "weights"


def test_a_scene_survives_another_press(visit, slow_server):
    page = visit("/attention?scene=2", server=slow_server)
    page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_role("radio", name="Columns").click()
    settle(page, quiet=600)
    until_query(page, scene="3", layout="columns")
    expect(page.get_by_role("radio", name="4 Scores")).to_be_checked()


def test_a_press_and_back_leave_the_link_as_it_was(visit, slow_server):
    page = visit("/", server=slow_server)
    page.get_by_role("radio", name="8", exact=True).click()
    page.wait_for_timeout(60)  # the server has drawn 8, and its link has not arrived yet
    page.get_by_role("radio", name="2", exact=True).click()
    settle(page, quiet=600)
    assert address_query(page) == {}
    expect(page.get_by_role("radio", name="2", exact=True)).to_be_checked()


def test_a_choice_that_is_taken_away_and_comes_back_shows_what_the_link_says(visit, slow_server):
    page = visit("/check_my_matrix", server=slow_server)
    source = page.get_by_role("radiogroup", name="What did you compute your result from?")
    asked = page.get_by_role("radiogroup", name="What should the result be?")
    for choices, choice in (
        (asked, "K"),
        (source, "My X and W"),
        (source, "My scores"),
        (source, "My X and W"),
        (asked, "Q"),
    ):
        choices.get_by_role("radio", name=choice, exact=True).click()
        page.wait_for_timeout(70)  # if scores are given, this control disappears
    settle(page, quiet=600)
    assert asked.get_by_role("radio", checked=True).inner_text().lower() == address_query(page)["asked"]


def test_an_edit_of_a_row_that_goes_away_meanwhile_draws_all_the_rest(visit, slow_server):
    page = visit("/cross_attention?look=all", server=slow_server)
    page.get_by_role("radiogroup", name="How many answer?").get_by_role("radio", name="4").click()
    type_over(cell(page, "context", 4, 0), "7")
    settle(page, quiet=600)
    expect(cell(page, "context", 3, 3)).to_have_text("1")
    expect(cell(page, "context", 4, 0)).to_have_count(0)
    expect(page.get_by_text("Cannot set properties")).to_have_count(0)
    assert "7,0,0,0,1,0" in address_query(page)["context"]


def test_a_card_stays_beside_its_cell_until_the_answer_for_the_next_one_is_there(visit, slow_server):
    page = visit("/attention?example=hand&step=4", server=slow_server)
    cell(page, "scores", 0, 0).click()
    settle(page, quiet=600)
    before = [card_formula(page), arithmetic(page).bounding_box()]
    cell(page, "scores", 2, 1).click()
    page.evaluate("dispatchEvent(new Event('resize'))")
    page.wait_for_timeout(80)
    assert [card_formula(page), arithmetic(page).bounding_box()] == before
    settle(page, quiet=600)
    assert card_formula(page) != before[0]
    assert card_place_fault(cell(page, "scores", 2, 1)) == ""


def test_fast_random_input_ends_with_the_screen_of_its_link(browser, server, slow_server):
    assert ends_where_its_link_begins(browser, server, slow_server, seed=63)


def test_a_second_press_of_next_on_the_path_does_nothing(visit, slow_server):
    page = visit("/path?screen=7", server=slow_server)
    onward = page.get_by_role("button", name="Next", exact=True)
    onward.click()
    page.wait_for_timeout(60)  # the server has turned the screen, and its link is on its way
    onward.click()
    assert f"screen={screens()[7].name}" in settle(page, quiet=600).url
    expect(page.get_by_role("heading", level=1, name=screens()[7].question)).to_be_visible()
