"""The address: a link that is opened in a new tab restores the page, and Back and Forward lead through its states."""

import pytest
from playwright.sync_api import expect

from browser.equation import cell
from browsing import settle

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
    expect(page.get_by_role("slider").first).to_have_attribute("aria-valuetext", "2.00")
    expect(cell(page, "weights_columns", 0, 1)).to_have_class("cell self selected")
    expect(cell(page, "weights_mistake", 0, 0)).to_be_visible()


def test_nonsense_is_left_out_with_a_notice_and_the_rest_is_kept(visit):
    page = visit("/attention?example=book&step=99&scale=root&x=1,2;3&colour=red")
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
    page.get_by_test_id("stSidebar").get_by_text("Queries, keys, values").click()
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
    page.get_by_test_id("stSidebar").get_by_text("Attention, step by step").click()
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
