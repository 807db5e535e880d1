"""The address: a link that is opened in a new tab restores the page, and Back and Forward lead through its states.

Also other hosts, one run at a time, and a slow connection.
"""

import shutil

import pytest
from playwright.sync_api import expect

from browser.equation import (
    address_query,
    arithmetic,
    card_formula,
    card_place_fault,
    cell,
    type_over,
    until,
    until_query,
)
from browsing import more_tools, new_tab, open_in_menu, record_problems, settle
from pages.shared.scene_files.screens import screens
from serving import ROOT, serve
from walks import delayed_server, ends_where_its_link_begins

X = "1,0,0,2,0;1,5,1,0,0;0,1,0,1,1"  # “hand” with 5 in the second row


def test_a_cold_link_restores_every_kind_of_setting(visit, fresh_server):
    page = visit(
        "/softmax_axes?source=array&axis=columns&base=2&temperature=2&look=temperature&constant=10&subtract=off&digits=4"
        "&mistake=softmax_twice"
        "&scores=1,2,3,4;5,6,7,8;9,10,11,12&cell=weights_columns.0.1",
        server=fresh_server(),
    )
    axis = page.get_by_role("radiogroup", name="What adds up to 1")
    expect(axis.get_by_role("radio", name="Each column", exact=True)).to_be_checked()
    expect(page.get_by_role("slider", name="Temperature T")).to_have_attribute("aria-valuetext", "2")
    expect(cell(page, "weights_columns", 0, 1)).to_have_class("cell self selected")
    expect(cell(page, "weights_mistake", 0, 0)).to_be_visible()


def test_nonsense_is_left_out_with_a_notice_and_the_rest_is_kept(visit):
    page = visit("/attention?example=book&step=99&scale=root&x=1,2;3&colour=red")
    page.locator(".st-key-notice").get_by_role("button", name="2 more").click()
    expect(page.get_by_text("The link")).to_have_count(3)
    for named in ("step", "x", "colour"):
        expect(page.locator("code", has_text=named).first).to_be_visible()
    expect(page.get_by_role("radio", name="1 Input")).to_be_checked()
    assert "example=book" in page.url
    assert "scale=root" in page.url
    assert "step" not in page.url


def edit(page, row, column, number):
    """Type a number into a cell of X, and wait until the page no longer changes."""
    cell(page, "x", row, column).focus()
    page.keyboard.type(number)
    page.keyboard.press("Enter")
    settle(page)


def test_back_and_forward_walk_through_edits_and_pages(visit):
    page = visit("/")
    open_in_menu(page, "queries_keys_values")
    expect(cell(page, "w_q", 0, 0)).to_be_visible()
    settle(page)
    edit(page, 1, 1, "5")
    edit(page, 1, 2, "7")
    page.go_back()
    expect(cell(page, "x", 1, 2)).to_have_text("1")
    expect(cell(page, "x", 1, 1)).to_have_text("5")
    page.go_back()
    expect(cell(page, "x", 1, 1)).to_have_text("0")
    page.go_forward()
    expect(cell(page, "x", 1, 1)).to_have_text("5")
    page.go_back()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("What does “it” refer to?")


def test_back_leaves_a_page_that_was_reached_with_edits(visit):
    page = visit("/queries_keys_values")
    edit(page, 1, 1, "5")
    open_in_menu(page, "attention")
    expect(page.get_by_role("heading", level=1)).to_contain_text("step by step")
    expect(cell(page, "x", 1, 1)).to_have_text("5")
    settle(page)
    page.go_back()  # from the address with the edits to the one without, which shows the same
    settle(page)
    expect(cell(page, "x", 1, 1)).to_have_text("5")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("queries, keys and values")
    expect(cell(page, "x", 1, 1)).to_have_text("5")


def test_an_edit_reaches_every_part_of_the_page(visit):
    page = visit("/queries_keys_values?example=hand&look=look_up")
    edit(page, 2, 0, "9")
    looked_up, projected = page.locator("figure[data-id=q]").all()
    first = "td[data-row='2'][data-column='1']"
    expect(looked_up.locator(first)).to_have_text(projected.locator(first).inner_text())
    expect(projected.locator(first)).to_have_text("7")
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    assert "x=1%2C0%2C0%2C2%2C0%3B1%2C0%2C1%2C0%2C0%3B9%2C1%2C0%2C1%2C1" in page.url


def test_the_shared_link_opens_the_same_state(visit, fresh_server):
    page = visit("/attention?example=hand&step=3")
    edit(page, 1, 1, "5")
    page.get_by_role("button", name="Share").click()
    link = page.get_by_role("dialog").locator("code")
    expect(link).to_contain_text(f"/attention?example=hand&x={X}&step=3")
    shared = visit(link.inner_text()[len(page.url.split("/attention")[0]) :], server=fresh_server())
    expect(cell(shared, "x", 1, 1)).to_have_text("5")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(cell(page, "x", 1, 1)).to_have_text("5")


@pytest.mark.parametrize("setting", ["constant=710", "constant=-1000", "constant=1000&base=3"])
def test_an_overflow_is_shown_and_breaks_nothing(setting, visit):
    page = visit(f"/softmax_axes?subtract=off&{setting}")
    expect(page.get_by_text("No weight is left.")).to_be_visible()
    expect(cell(page, "powers_rows", 0, 0)).to_have_text("0" if "-" in setting else "∞")
    expect(page.get_by_text("SyntaxError")).to_have_count(0)
    expect(cell(page, "weights_rows", 0, 0)).to_have_count(0)
    page.get_by_role("button", name="Subtract the maximum first").click()
    expect(cell(page, "weights_rows", 4, 0)).to_have_text("0.73" if "base" not in setting else "0.77")


REQUESTS = {
    "fetched.example": "fetch('https://fetched.example').catch(() => {})",
    "beacon.example": "navigator.sendBeacon('https://beacon.example', 'statistics')",
    "192.0.2.1": "new Image().src = 'http://192.0.2.1/picture'",
    "framed.example": "document.body.append(Object.assign(document.createElement('iframe'), "
    "{ src: 'https://framed.example' }))",
    "socket.example": "new WebSocket('wss://socket.example')",
}


def test_a_request_to_another_machine_is_noticed(browser, server):
    page = new_tab(browser, server.url)
    problems = record_problems(page)
    page.goto("/")
    settle(page)
    assert problems == []
    for host, script in REQUESTS.items():
        page.evaluate(f"() => {{ {script} }}")
        until(page, lambda host=host: host in " ".join(problems), True)
    page.context.close()


COUNTS_ITS_RUNS = """
import time

import streamlit as st

state = st.session_state
state.now = state.get("now", 0) + 1
state.most = max(state.get("most", 0), state.now)
try:
    st.button("Press")
    time.sleep(0.3)
    st.write(f"At most {state.most} at a time")
finally:
    state.now -= 1
"""


@pytest.fixture(scope="module")
def counting_app(tmp_path_factory):
    """Give the tests a server for a page that counts its runs, with the project's configuration."""
    folder = tmp_path_factory.mktemp("counting")
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
    script = folder / "app.py"
    script.write_text(COUNTS_ITS_RUNS)
    with serve(script) as server:
        yield server


def test_the_runs_of_one_visitor_follow_each_other(visit, counting_app):
    page = visit("/", server=counting_app)
    for _ in range(3):
        page.get_by_role("button", name="Press").click()
    expect(settle(page).get_by_text("At most 1 at a time")).to_be_visible()


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
    more_tools(page).get_by_role("radio", name="Columns").click()
    settle(page, quiet=600)
    until_query(page, scene="3", layout="columns")
    expect(page.get_by_role("radio", name="4 Scores")).to_be_checked()


def test_a_press_and_back_leave_the_link_as_it_was(visit, slow_server):
    page = visit("/", server=slow_server)
    more_tools(page).get_by_role("radio", name="8", exact=True).click()
    page.wait_for_timeout(60)  # the server has drawn 8, and its link has not arrived yet
    more_tools(page).get_by_role("radio", name="2", exact=True).click()
    settle(page, quiet=600)
    assert address_query(page) == {}
    expect(more_tools(page).get_by_role("radio", name="2", exact=True)).to_be_checked()


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
