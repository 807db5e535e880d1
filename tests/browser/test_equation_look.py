"""Equations can be read in light and dark, have names for screen readers, and do not move if nobody wants motion."""

import pytest
from playwright.sync_api import Page, expect

from browser.contrast import Text, texts
from browser.equation import cell, figure, type_over, until
from browser.test_accessibility import show_in_theme
from browser.test_palette import THEMES
from browsing import settle

STRENGTHS = "cells => Math.max(...cells.map((cell) => Number(cell.style.getPropertyValue('--strength'))))"


def test_every_text_stands_out_even_on_the_strongest_tint(visit):
    page = visit("/attention?example=hand&step=3&w_q=-9,9,1,1;1,1,1,1;1,1,1,1;1,1,1,1;1,1,1,1&cell=q.0.0")
    type_over(cell(page, "x", 0, 0), "1x", last="Tab")  # this leaves an error message on the page
    strongest = {
        "negative": page.locator(".signed td.cell.negative").evaluate_all(STRENGTHS),
        "positive": page.locator(".signed td.cell:not(.negative)").evaluate_all(STRENGTHS),
    }
    assert strongest == {"negative": 1, "positive": 1}
    signed = texts_in_both_themes(page)
    assert len([text for text in signed if text.name.startswith("p problem")]) == 2
    assert len([text for text in signed if text.name.startswith("td cell")]) > 100
    assert [text for text in signed if text.is_faint] == []


def test_every_weight_can_be_read_even_on_the_strongest_tint(visit):
    page = visit("/softmax_axes")
    assert page.locator(".weight td.cell").evaluate_all(STRENGTHS) == 1
    weights = texts_in_both_themes(page)
    assert len([text for text in weights if text.name.startswith("td cell")]) > 100
    assert [text for text in weights if text.is_faint] == []


def texts_in_both_themes(page: Page) -> list[Text]:
    """Return the texts of a page with their contrast, in the light theme and in the dark one."""
    return [text for theme in THEMES for text in texts(show_in_theme(page, theme))]


def test_a_screen_reader_hears_a_table_with_its_headers_and_numbers(visit):
    page = visit("/attention?example=hand&step=3")
    x, q = figure(page, "x").first, figure(page, "q")
    grid = x.get_by_role("grid", name="Input, 3 by 5, editable")
    expect(grid).to_have_count(1)
    assert grid.get_by_role("rowheader").all_text_contents() == ["cats", "chase", "mice"]
    assert grid.get_by_role("columnheader").all_text_contents() == ["1", "2", "3", "4", "5"]
    assert grid.get_by_role("row").count() == 4
    assert grid.get_by_role("gridcell").all_text_contents() == list("100201010001011")
    expect(q.get_by_role("grid", name="Queries, 3 by 4", exact=True)).to_have_count(1)  # not editable
    expect(x.get_by_label("Copy Input")).to_have_count(1)

    cell(page, "x", 1, 2).focus()
    page.keyboard.press("Enter")
    expect(x.get_by_role("gridcell", selected=True)).to_have_count(1)
    page.keyboard.press("F2")
    expect(x.get_by_role("textbox", name="Input, row 2, column 3")).to_be_focused()


def test_a_transposed_matrix_and_its_sums_are_read_the_way_they_stand(visit):
    page = visit("/attention?example=hand&step=4")
    keys = figure(page, "k").get_by_role("grid", name="Keys, 4 by 3")
    assert keys.get_by_role("columnheader").all_text_contents() == ["cats", "chase", "mice"]
    assert keys.get_by_role("rowheader").all_text_contents() == ["1", "2", "3", "4"]
    page.goto("/attention?example=hand&step=5")
    sums = figure(settle(page), "weights").get_by_role("grid").locator(".sum.right")
    assert sums.all_text_contents() == ["1", "1", "1"]


@pytest.mark.parametrize(("reduced", "animation"), [(True, "none"), (False, "ripple")], ids=["reduced", "full"])
def test_a_change_glows_only_where_motion_is_wanted(reduced, animation, visit):
    page = visit("/attention?example=hand&step=3", reduced_motion=reduced)
    type_over(cell(page, "x", 0, 0), "4")
    expect(figure(page, "k").locator(".changed")).not_to_have_count(0)
    names = page.locator("td.changed").evaluate_all(
        "cells => cells.map((cell) => getComputedStyle(cell).animationName)"
    )
    assert set(names) == {animation}
    until(page, lambda: cell(page, "k", 0, 1).get_attribute("title"), "cats\nK = 10\nwas 4")


def test_a_number_that_rounds_to_0_has_no_sign(visit):
    page = visit("/positional_encoding?look=bag")
    shown = figure(page, "difference_bag").first.locator("td.cell").all_text_contents()
    assert "0.00" in shown
    assert "\u22120.00" not in shown
    page = visit("/queries_keys_values?example=hand&x=-0.001,-0.5,0,0,0;0,0,0,0,0;0,0,0,0,0")
    shown = figure(page, "x").first.locator("td.cell").all_text_contents()
    assert shown[:2] == ["0.00", "\u22120.50"]
