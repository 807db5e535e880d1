"""A selected cell shows its arithmetic with its real numbers, in LaTeX and in words. The link keeps the selection."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from attention_core.examples import example
from browser.equation import (
    address_query,
    arithmetic,
    card_formula,
    cell,
    cells,
    expected_lights,
    lights_of_cells,
    until,
    until_query,
)
from browsing import settle

HINT = "Press any number"
HAND = example("hand").attention()


def expect_the_hint(page):
    """Check that the page shows the hint and no arithmetic."""
    expect(page.get_by_text(HINT)).to_be_visible()
    expect(arithmetic(page)).to_have_count(0)


def product(row, column) -> str:
    r"""Return the dot product of a row and a column in LaTeX, as the card writes it: 0 \cdot 2 + (-1) \cdot 2."""

    def bracketed(value: float) -> str:
        return f"({value:g})" if value < 0 else f"{value:g}"

    return " + ".join(rf"{bracketed(a)} \cdot {bracketed(b)}" for a, b in zip(row, column, strict=True))


def test_a_click_writes_the_arithmetic_and_a_second_takes_it_back(visit):
    page = visit("/attention?example=hand&step=4")
    expect_the_hint(page)
    cell(page, "scores", 0, 1).click()
    expect(arithmetic(page)).to_contain_text(re.compile("query of cats .* key of chase"))
    until_query(page, example="hand", step="4", cell="scores.0.1")
    assert product(HAND.q[0], HAND.k[1]) in card_formula(page)
    assert rf"&= {HAND.scores[0, 1]:g} \end" in card_formula(page)
    assert card_formula(page).startswith(r"\begin{aligned} S_{1,2} &= Q_{1,1} \, K_{2,1} +")

    page.mouse.move(2, 2)
    expected = expected_lights(
        page, ("scores", 0, 1), lambda name, r, c: (name == "q" and r == 0) or (name == "k" and r == 1)
    )
    until(page, lambda: lights_of_cells(page), expected)  # the sources of the selected cell stay lit
    for drawing in cells(page, "scores", 0, 1).all():
        expect(drawing).to_have_attribute("aria-selected", "true")
    assert page.locator("td.selected").count() == cells(page, "scores", 0, 1).count()

    cell(page, "scores", 0, 1).click()
    expect_the_hint(page)
    until_query(page, example="hand", step="4")
    assert page.locator("td.selected, td[aria-selected]").count() == 0


def test_enter_selects_and_escape_takes_it_back(visit):
    page = visit("/attention?example=hand&step=8")
    cell(page, "output", 2, 1).focus()
    page.keyboard.press("Enter")
    expect(arithmetic(page)).to_contain_text(re.compile("feature 2 .* mice"))
    until_query(page, example="hand", step="8", cell="output.2.1")
    written = [
        float(number) for number in re.findall(r"-?\d+\.?\d*", re.split(r"&(?:=|\\approx)", card_formula(page))[-1])
    ]
    np.testing.assert_allclose(written, [HAND.output[2, 1]], rtol=1e-3)
    page.keyboard.press("Escape")
    until_query(page, example="hand", step="8")
    expect_the_hint(page)


@pytest.mark.parametrize(
    ("path", "words", "numbers"),
    [
        ("/attention?example=hand&step=2&cell=w_q.1.3", "given, not computed", r"W^Q_{2,4}"),
        ("/softmax_axes?source=array&cell=powers_rows.0.3", "Powers", r"e^{3 - 3}"),
        ("/attention?example=hand&step=9&cell=heads.1.2.0", "Output of head 2", r"(\text{head}_2)_{3,1}"),
    ],
)
def test_a_link_to_a_cell_opens_with_its_arithmetic(path, words, numbers, visit):
    page = visit(path)
    expect(arithmetic(page)).to_contain_text(words)
    assert numbers in card_formula(page)
    name, row, column = address_query(page)["cell"].rsplit(".", 2)
    expect(cell(page, name, int(row), int(column))).to_have_attribute("aria-selected", "true")


def test_a_selection_follows_an_edit_of_what_it_reads(visit):
    page = visit("/attention?example=hand&step=3&cell=q.0.0")
    x = example("hand").x.copy()
    cell(page, "x", 0, 4).focus()
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    x[0, 4] = 9
    expect(arithmetic(page).locator("annotation")).to_contain_text(product(x[0], example("hand").w_q[:, 0]))
    assert rf"&= {(x @ example('hand').w_q)[0, 0]:g} \end" in card_formula(settle(page))
