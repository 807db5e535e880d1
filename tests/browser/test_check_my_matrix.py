"""“Check my matrix” in a real browser: a pasted matrix gets the name of its mistake, and the link keeps the matrix.

Also “Spot the bug”, and the numbers of the notebooks.
"""

import re
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core.diagnosis.pasted import problem_of, wrong_result_to_try
from attention_core.examples import example
from attention_core.museum import EXHIBITS
from attention_core.reading.matrix_text import write_matrix
from browser.equation import figure
from browser.test_accessibility import faults_in_both_themes
from browser.test_contract import FITS_ITS_WIDTH, LATE_CHARTS, PHONE
from browsing import settle
from notebooks import notebook_values


def wrong_result():
    """Return a wrong result of an example, as a text to paste."""
    found = wrong_result_to_try(problem_of(example("hand"), "output"))
    assert found is not None
    return write_matrix(found[0])


def test_a_result_is_typed_named_and_restored_by_its_link(visit):
    page = visit("/check_my_matrix?example=hand")
    area = page.get_by_role("textbox", name="Your result")
    area.focus()
    page.keyboard.insert_text(wrong_result())
    page.keyboard.press("Control+Enter")
    named = page.get_by_text("The softmax runs over the whole matrix.")
    expect(named).to_be_visible()
    settle(page).reload()  # the link is written last
    settle(page)
    expect(area).to_have_value(wrong_result())
    expect(named).to_be_visible()


def test_a_press_checks_what_was_typed(visit):
    page = visit("/check_my_matrix?example=hand")
    page.get_by_role("textbox", name="Your result").focus()
    page.keyboard.insert_text(wrong_result())
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_text("The softmax runs over the whole matrix.")).to_be_visible()


def test_an_unreadable_text_shows_its_place_and_the_page_is_accessible(visit):
    page = visit(f"/check_my_matrix?steps=on&answer={quote('[[1, 2], [3 x]]')}")
    expect(page.get_by_text("Line 1, column 13")).to_be_visible()
    assert faults_in_both_themes(page) == []


def test_a_verdict_can_be_read_by_all(visit):
    page = visit(f"/check_my_matrix?example=hand&answer={quote(wrong_result())}")
    expect(page.get_by_role("heading", name="One known mistake gives these numbers")).to_be_visible()
    assert faults_in_both_themes(page) == []


def test_a_verdict_fits_a_phone(visit):
    page = visit(f"/check_my_matrix?example=hand&answer={quote(wrong_result())}", width=390, height=844, dark=True)
    expect(page.get_by_role("heading", name="One known mistake gives these numbers")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_a_text_that_is_too_long_is_refused_and_said_before_it_is_sent(visit):
    page = visit("/check_my_matrix")
    area = page.get_by_role("textbox", name="Your result")
    area.focus()
    page.keyboard.insert_text("1 2")
    page.keyboard.insert_text("x" * 200_000)
    said = page.get_by_text("A text may have 200,000 characters; this would have 200,003, so nothing was changed")
    expect(said).to_be_visible()
    expect(area).to_have_value("1 2")
    assert faults_in_both_themes(page) == []
    page.keyboard.insert_text(" 3")
    expect(said).to_have_count(0)
    page.keyboard.press("Control+Enter")
    settle(page)
    expect(area).to_have_value("1 2 3")


FIRST, SECOND = EXHIBITS[:2]


def test_an_exhibit_is_solved_by_keyboard_alone(visit, fresh_server):
    page = visit("/spot_the_bug")
    lines = page.get_by_role("radio", name=FIRST.lines[0])
    expect(page.get_by_role("radiogroup", name="Which line is wrong?")).to_be_visible()
    for _ in range(60):
        page.keyboard.press("Tab")
        if lines.evaluate("radio => radio === document.activeElement"):
            break
    page.keyboard.press("Space")
    expect(page.get_by_text("line 1 is right")).to_be_visible()
    settle(page)
    for _ in range(FIRST.wrong_line - 1):
        page.keyboard.press("ArrowDown")
        settle(page)
    expect(page.get_by_text(f"Right: line {FIRST.wrong_line} is wrong.")).to_be_visible()
    expect(page.get_by_text("1 of 28")).to_be_visible()
    again = visit(page.url[page.url.index("/spot") :], server=fresh_server())
    expect(again.get_by_text(f"Right: line {FIRST.wrong_line} is wrong.")).to_be_visible()
    following = page.get_by_role("button", name="Next exhibit")
    following.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"2. {SECOND.title}")).to_be_visible()
    assert settle(page).url.endswith(f"?exhibit={SECOND.name}")
    expect(page.locator(".st-key-cell").get_by_role("radio", checked=True)).to_have_count(0)


def test_back_returns_to_the_exhibit_before(visit):
    page = visit(f"/spot_the_bug?exhibit={SECOND.name}")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name=f"3. {EXHIBITS[2].title}")).to_be_visible()
    settle(page).go_back()
    expect(page.get_by_role("heading", name=f"2. {SECOND.title}")).to_be_visible()


def test_a_line_keeps_its_indent_and_has_a_monospaced_font(visit):
    page = visit("/spot_the_bug?exhibit=two_loops")
    last = page.locator(".st-key-cell code").last
    assert last.inner_text() == "5          output[i] += weight * v[i]"
    family, space = last.evaluate("code => [getComputedStyle(code).fontFamily, getComputedStyle(code).whiteSpace]")
    assert "mono" in family.lower()
    assert space == "pre-wrap"


@pytest.mark.parametrize("state", ["exhibit=two_heads.2", "exhibit=two_heads.3", "exhibit=no_loop&aid=answer"])
def test_axe_finds_nothing_once_it_is_answered(state, visit):
    assert faults_in_both_themes(visit(f"/spot_the_bug?{state}")) == []


@pytest.mark.parametrize(
    "exhibit", [each for each in EXHIBITS if max(map(len, each.lines)) > 60], ids=lambda exhibit: exhibit.name
)
def test_long_lines_and_answers_fit_a_phone(exhibit, visit):
    page = visit(f"/spot_the_bug?exhibit={exhibit.name}.{exhibit.wrong_line}", **PHONE)
    page.wait_for_function(FITS_ITS_WIDTH, timeout=LATE_CHARTS)
    cell = page.locator(".st-key-cell")
    assert cell.evaluate("cell => cell.scrollWidth - cell.clientWidth") == 0


BOOK, COLUMNS = "/attention?example=book&digits=8", "/attention?example=columns&digits=8"
HEADS = "/multi_head?example=translation&digits=8"

SHOWN = [  # where, the step, the matrix, the path of its numbers, whether the notebook has them transposed
    *((BOOK, 3, name, f"0/step3_qkv/{name.upper()}", False) for name in "qkv"),
    (BOOK, 4, "scores", "0/step4_scores_k_d_1/scores", False),
    (BOOK, 5, "weights", "0/step5_weights_unscaled/attention", False),
    (BOOK, 5, "weights_root", "0/right_scaled_sqrt3/attention", False),
    (BOOK, 8, "output", "0/right_output_unscaled/output", False),
    (BOOK, 8, "output_root", "0/right_scaled_sqrt3/output", False),
    ("/softmax_axes?source=array&digits=8", None, "weights_rows", "0/softmax_side_note/axis1", False),
    ("/softmax_axes?source=array&digits=8", None, "weights_columns", "0/softmax_side_note/axis0", False),
    ("/softmax_axes?source=array&digits=8", None, "weights_whole", "0/softmax_side_note/all", False),
    (COLUMNS, 3, "q", "2/qkv_columns/Q", True),
    (f"{COLUMNS}&scale=none", 5, "weights", "2/right_unscaled/attention_columns_sum_to_1", True),
    (f"{COLUMNS}&scale=none", 8, "output", "2/right_unscaled/X_prime", True),
    (COLUMNS, 5, "weights", "2/right_scaled/attention", True),
    (COLUMNS, 8, "output", "2/right_scaled/X_prime", True),
    (HEADS, None, "heads.0", "3/q3_right/head1/head", False),
    (HEADS, None, "heads.1", "3/q3_right/head2/head", False),
    (f"{HEADS}&look=attentions", None, "weights.0", "3/q3_right/head1/attention", False),
    (f"{HEADS}&look=shares", None, "concat", "3/q3_right/concat", False),
]


def shown_numbers(page, name):
    """Return the numbers in a matrix's cells, rounded as they are shown, with tokens as rows."""
    cells = figure(page, name).first.locator("td.cell")
    expect(cells.first).not_to_be_empty()
    texts = cells.evaluate_all(
        "cells => cells.map(({ dataset, textContent }) => [dataset.row, dataset.column, textContent])"
    )
    numbers = {(int(row), int(column)): float(text.replace("−", "-")) for row, column, text in texts}
    rows, columns = (1 + max(place) for place in zip(*numbers, strict=True))
    return np.array([[numbers[i, j] for j in range(columns)] for i in range(rows)])


@pytest.mark.parametrize("path", dict.fromkeys(path for path, *_ in SHOWN))
def test_a_notebooks_numbers_stand_on_the_page(path, visit):
    page = visit(path)
    for _, step, matrix, printed, transposed in (shown for shown in SHOWN if shown[0] == path):
        if step:
            page.get_by_role("radio", name=re.compile(f"^{step} ")).click()
            settle(page)
        expected = notebook_values(printed).T if transposed else notebook_values(printed)
        np.testing.assert_allclose(shown_numbers(page, matrix), expected, rtol=0, atol=5.001e-9, err_msg=matrix)


def test_the_notebooks_encoding_stands_beside_the_papers(visit):
    page = visit("/positional_encoding?look=formulas")
    row = page.get_by_role("row").filter(has_text="cosine of positions 2 and 10").get_by_role("cell")
    _, paper, doubled, _ = row.all_inner_texts()
    for text, name in ((paper, "right"), (doubled, "wrong")):
        assert text == f"{notebook_values(f'1/positional_encoding/cosine_2_10_{name}'):.5f}"
