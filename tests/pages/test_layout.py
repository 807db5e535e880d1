"""Test the two layouts, tokens as rows and tokens as columns: all is transposed, and no number changes."""

import numpy as np
import pytest

from attention_core.arithmetic import evaluate, explain, operands
from attention_core.examples import example
from attention_core.mistakes import HEAD_MISTAKES, ONE_HEAD_MISTAKES
from attention_core.museum import EXHIBITS
from pages.attention.lesson import STEPS, Case
from pages.shared.notation.latex import cell_with_tokens_as_columns, turn_words, turned_formula
from simulating import equations, matrices, open_page, shown_values, visit_of, with_edit

STATES = [
    *(("attention", {"example": name, "step": str(step)}) for name in ("hand", "columns") for step in range(1, 11)),
    ("attention", {"example": "context", "step": "4", "mask": "causal", "mistake": "scores_as_weights"}),
    *(("cross_attention", {"example": name}) for name in ("columns", "context")),
    ("cross_attention", {"queries": "2", "keys": "1"}),
    ("cross_attention", {"example": "context", "itself": "on", "mistake": "scores_as_weights"}),
    ("home", {}),
    *(("spot_the_bug", {"exhibit": each.name, "aid": "beside"}) for each in EXHIBITS),
    *(
        ("positional_encoding", {"look": look})
        for look in ("bag", "numbering", "encoding", "rotation", "distance", "rope", "alibi")
    ),
    ("positional_encoding", {"look": "rotation", "position": "7", "shift": "20", "pair": "3"}),
    ("positional_encoding", {"example": "columns", "look": "rope", "pairing": "neighbours"}),
    *(("your_sentence", {"look": "computed", "heads": heads, "positions": "on"}) for heads in ("1", "4")),
    ("your_sentence", {"look": "computed", "source": "cat"}),
    ("queries_keys_values", {"example": "columns", "token": "1"}),
    *(("multi_head", {"look": look}) for look in ("blocks", "attentions")),
    ("multi_head", {"example": "columns", "heads": "4", "sharing": "all", "off": "0.2", "mistake": "heads_averaged"}),
    *(("scaling", {"example": name, "mistake": "divided_by_d_k"}) for name in ("hand", "context", "wide")),
    *(("training_step", {"look": look, "example": "columns"}) for look in ("row", "back", "jacobian", "check")),
    ("training_step", {"wrong": "keys_transposed", "mask": "causal", "token": "1", "taken": "2"}),
    ("softmax_axes", {"mistake": "softmax_twice"}),
    *(("next_word", {"look": look}) for look in ("draw", "head", "block", "rows", "cache", "loss")),
    ("check_my_matrix", {"answer": "1 2\n3 4\n5 6"}),
    ("check_my_matrix", {"source": "queries", "own_q": "1", "own_k": "3", "own_v": "5", "answer": "6"}),
]


def lines_with_products(app):
    """Yield each line of the page that says product = result, or sum of products = result, as a list of its items."""
    for lines in equations(app).values():
        for line in lines:
            texts = [item.get("text") for item in line["items"]]
            if "=" in texts and "·" in texts and set(texts) <= {None, "·", "+", "="}:
                yield line["items"]


def value_of_side(items):
    """Return the matrix that one side of an equation gives: products of its matrices, added up.

    `items` holds the matrices and signs of this side.
    """
    cut = next((i for i, item in enumerate(items) if item.get("text") == "+"), None)
    if cut is not None:
        return value_of_side(items[:cut]) + value_of_side(items[cut + 1 :])
    product, *factors = [shown_values(item) for item in items if "values" in item]
    for factor in factors:
        product = product @ factor
    return product


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize(("page", "link"), STATES, ids=str)
def test_every_equation_is_true_as_it_stands(page, link, layout):
    app = open_page(page, **link, layout=layout)
    assert not app.exception
    for items in lines_with_products(app):
        equals = next(i for i, item in enumerate(items) if item.get("text") == "=")
        np.testing.assert_allclose(value_of_side(items[:equals]), value_of_side(items[equals + 1 :]), atol=1e-9)


def shapes(app):
    """Return the shape of each matrix on the page, by id."""
    return {name: shown_values(item).shape for name, item in matrices(app).items()}


def test_tokens_as_columns_stand_side_by_side():
    rows, columns = (
        shapes(open_page("attention", example="hand", step="3", layout=layout)) for layout in ("rows", "columns")
    )
    assert rows["x"] == (3, 5)
    assert columns == {name: shape[::-1] for name, shape in rows.items()}


def test_the_example_of_columns_opens_that_way():
    assert shapes(open_page("attention", example="columns"))["x"] == (4, 3)


def test_an_edit_keeps_the_layout():
    app = open_page("attention", layout="columns")
    app = with_edit(app, {"kind": "edit", "id": "x", "cells": [[0, 0, 9.0]], "done": True})
    assert visit_of(app).workspace.tokens_are == "columns"
    assert visit_of(app).workspace.edits["x"][0][0] == 9


def test_a_link_can_ask_for_the_other_layout():
    assert shapes(open_page("attention", example="columns", layout="rows"))["x"] == (3, 4)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Each row sums to 1.", "Each column sums to 1."),
        ("Softmax down the columns", "Softmax across the rows"),
        ("Rows, columns; Columns, rows", "Columns, rows; Rows, columns"),
        ("arrows, rowing, columnist", "arrows, rowing, columnist"),
    ],
)
def test_words_that_name_directions_are_swapped(text, other):
    assert turn_words(text) == other
    assert turn_words(other) == text


CASES = (Case(), Case(scaled=False, masked=True), Case(masked=True, biases=("q", "k", "v"), context=True))
FORMULAS = [step.formula(case) for step in STEPS for case in CASES] + [
    mistake.formula for mistake in (*ONE_HEAD_MISTAKES, *HEAD_MISTAKES)
]


@pytest.mark.parametrize("latex", FORMULAS)
def test_a_formula_transposed_twice_is_itself(latex):
    assert turned_formula(turned_formula(latex)) == latex


@pytest.mark.parametrize(
    ("latex", "other"),
    [
        (r"Q = X W^Q + b^Q, \quad K = X W^K + b^K", r"Q = W^Q X + b^Q, \quad K = W^K X + b^K"),
        (r"S' = \frac{Q K^\top}{\sqrt{d_k}}", r"S' = \frac{K^\top Q}{\sqrt{d_k}}"),
        (r"X \in \mathbb{R}^{n \times d_{\text{model}}}", r"X \in \mathbb{R}^{d_{\text{model}} \times n}"),
        (r"A_{ij} = e^{S_{ij}} / \sum_{j'} e^{S_{ij'}}", r"A_{ji} = e^{S_{ji}} / \sum_{j'} e^{S_{j'i}}"),
        (r"\operatorname{Concat}(\text{head}_1) \, W^O", r"W^O \, \operatorname{Concat}(\text{head}_1)"),
        (
            r"\operatorname{softmax}\!\left(Q_h K_h^\top\right) \, V_h",
            r"V_h \, \operatorname{softmax}\!\left(K_h^\top Q_h\right)",
        ),
        (r"S = K Q^\top", r"S = Q^\top K"),
        (r"o_i = \sum_j A_{ij} v_i", r"o_i = \sum_j A_{ji} v_i"),
    ],
)
def test_formulas_are_transposed(latex, other):
    assert turned_formula(latex) == other


def test_arithmetic_names_places_as_they_are_shown():
    cell = explain(example("hand").attention(), "q", (0, 2))
    other = cell_with_tokens_as_columns(cell)
    assert other.index == (2, 0)
    assert {("x", (1, 0)), ("w_q", (2, 1))} <= operands(other.term)
    assert evaluate(other.term) == evaluate(cell.term)
