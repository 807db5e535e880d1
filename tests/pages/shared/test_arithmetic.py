"""What the browser gets to write the arithmetic of the selected cell: the server's text with holes, and its terms."""

import re
from typing import Any

import numpy as np
import pytest

from attention_core.arithmetic.attention_rules import softmax_rules
from attention_core.arithmetic.terms import CellCalculations
from attention_core.examples import example
from attention_core.softmax import softmax_steps
from pages.shared.equation.arithmetic import arithmetic_as_data
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import attention_matrices, head_matrices
from pages.shared.equation.model import Line, Matrix
from pages.shared.notation.derivation import derivation, derivation_of, filled

HAND = example("hand")
ONE = attention_matrices(HAND, HAND.attention())
HEADS = head_matrices(example("story"), example("story").multi_head())


def sent(matrix, row, column, *, columns=False, digits=2) -> Any:
    return arithmetic_as_data([Line((matrix,))], (matrix.id, row, column), columns=columns, digits=digits)


@pytest.mark.parametrize("name", ["q", "k", "v", "scores", "scaled", "weights", "output"])
def test_the_lines_filled_with_the_numbers_of_the_terms_are_what_the_card_says(name):
    cell = ONE[name].cell(1, 0)
    assert cell
    made, data = derivation_of(cell), sent(ONE[name], 1, 0)
    assert data["lines"] == made.lines
    for line in data["lines"]:
        assert filled(line, made.terms, 4) in derivation(cell)


def test_a_term_names_the_cell_of_the_page_that_it_reads():
    terms = sent(ONE["scores"], 1, 2)["terms"]
    read = {tuple(term[1:4]) for term in terms if isinstance(term, list) and term[0] == "@"}
    width = HAND.attention().q.shape[-1]
    own = {("scores", 1, 2)}
    assert read == own | {("q", 1, n) for n in range(width)} | {("k", 2, n) for n in range(width)}


def test_with_tokens_as_columns_the_names_turn_and_the_cells_stay():
    turned, plain = sent(ONE["scores"], 1, 2, columns=True), sent(ONE["scores"], 1, 2)
    assert turned["terms"] == plain["terms"]
    assert (plain["left"], turned["left"]) == ("S_{2,3}", "S_{3,2}")


def test_a_cell_of_a_head_is_read_in_the_matrix_of_its_head():
    terms = sent(HEADS["shares.1"], 2, 1)["terms"]
    assert {term[1] for term in terms if isinstance(term, list) and term[0] == "@"} == {"heads.1", "w_o", "shares.1"}


def test_each_operation_comes_after_its_terms():
    for place, term in enumerate(sent(ONE["weights"], 0, 0)["terms"]):
        if isinstance(term, list) and term[0] not in ("@", ":"):
            assert max(term[1:]) < place


@pytest.mark.parametrize(("temperature", "is_one"), [(1.0, True), (2.0, False)])
def test_a_factor_that_is_left_out_is_named(temperature, is_one):
    trace = softmax_steps(np.array([[3.0, -1.0]]), temperature=temperature)
    powers = Matrix.named("powers", trace.powers)
    data = sent(powers.with_computation(Computation(CellCalculations(softmax_rules(trace)))), 0, 0)
    assert data["neutral"] == {"temperature": (1, is_one)}
    assert any(term[:2] == [":", 2.0] for term in data["terms"] if isinstance(term, list)) != is_one


def test_products_by_name_have_holes():
    story = example("story")
    shown = attention_matrices(story, story.attention())["q"]
    named = sent(shown, 0, 0)["named"]
    assert all(re.fullmatch(r"\$.+\$ \*.+\* × \$.+\$ \*.+\*", text) for _, text in named["products"])


def test_nothing_is_sent_for_a_cell_that_the_lines_do_not_show():
    assert arithmetic_as_data([Line((ONE["q"],))], ("k", 0, 0), columns=False, digits=2) is None
    assert arithmetic_as_data([Line((ONE["q"],))], None, columns=False, digits=2) is None
