"""Test the page "Attention, step by step": its reasons, its masks, and what long texts cost.

Formula, matrices and code must agree.
"""

import re

import numpy as np
import pytest

from attention_core.examples import example
from pages.attention.reasons import Case, case_of
from pages.attention.steps import STEPS
from simulating import equations, lines_of_code, matrices, open_page, page_text

pytestmark = pytest.mark.lowest
STORY = example("story")
MASKS = ("causal", "padding")
CAT, DRANK, MILK, BECAUSE, IT = range(5)
WEIGHTS = STORY.attention().weights


def numbers_in(text):
    """Return the numbers that are printed in bold in a text."""
    return [float(found) for found in re.findall(r"\*\*(\d[\d.]*)\*\*", text)]


# --- what the page says ---


def test_the_page_says_first_what_the_steps_are_for():
    assert "“it” takes the value of “cat” times **0.73**" in page_text(open_page("attention"))
    assert WEIGHTS[IT, CAT] == (WEIGHTS * (1 - np.eye(5))).max()


@pytest.mark.parametrize(
    ("mask", "says"),
    [("causal", "After “cat” comes “drank”"), ("padding", "Suppose “it” is such a filler"), ("none", "")],
)
def test_a_mask_says_why_where_it_is_written(mask, says):
    app = open_page("attention", step="4", mask=mask)
    assert says in page_text(app)
    assert ("The mask" in page_text(app)) == bool(says)


def test_the_reason_for_a_mask_is_given_once():
    assert page_text(open_page("attention", step="5", mask="causal", look="future")).count("guess each next word") == 1


def test_where_nothing_is_written_word_by_word_the_story_is_offered():
    app = open_page("attention", step="5", look="future", example="context")
    (button,) = (button for button in app.button if button.key == "offer.story")
    assert "guess each next word" in page_text(button.click().run())


@pytest.mark.parametrize(
    ("look", "title"),
    [
        ("shares", "Which token attends to which"),
        ("future", "Why hide later words?"),
        ("padding", "Why hide fillers?"),
        ("cost", "What does length cost?"),
    ],
)
def test_a_view_that_a_link_names_is_shown_at_the_first_step(look, title):
    assert f"## {title}" in page_text(open_page("attention", look=look))


@pytest.mark.parametrize("look", ["shares", "future", "padding", "cost"])
@pytest.mark.parametrize("name", ["context", "wide", "heads_512"])
def test_every_view_is_drawn_on_every_kind_of_example(name, look):
    assert not open_page("attention", step="5", look=look, example=name).exception


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize(
    ("mask", "taken", "other"), [("none", "S'", "M"), ("causal", "M", "S'"), ("padding", "M", "S'")]
)
def test_formula_board_card_and_code_take_the_same_scores(mask, taken, other, layout):
    app = open_page("attention", step="5", mask=mask, layout=layout, cell="weights.1.0")
    board = equations(app)["attention.equation.step5"][0]["items"]
    assert {item["symbol"] for item in board if "symbol" in item} == {taken, "A"}
    told = page_text(app)
    assert f"e^{{{taken}_" in told
    assert f"e^{{{other}_" not in told  # the text holds the formula and the arithmetic of the cell
    name = {"S'": "scaled", "M": "masked"}
    code = lines_of_code(app)
    assert f"np.exp({name[taken]} -" in code
    assert name[other] not in code


def test_the_formula_of_a_step_has_what_the_example_has():
    story, columns, context = (case_of(example(name), "none", None) for name in ("story", "columns", "context"))
    projections, scores = STEPS[2].formula, STEPS[3].formula
    assert "b^Q" not in projections(story)
    assert "b^Q" in projections(columns)
    assert "C W^K" in projections(context)
    assert projections(context).startswith("Q = X W^Q")
    assert "sqrt" in scores(Case())
    assert "sqrt" not in scores(case_of(example("book"), "none", example("book").scale))
    assert "infty" in scores(Case(masked=True))


def test_unscaled_scores_are_labelled_in_the_equation():
    for link, sign in (({}, "÷ √d_k"), ({"scale": "none"}, "not scaled"), ({"example": "book"}, "not scaled")):
        lines = equations(open_page("attention", step="4", **link))["attention.equation.step4"]
        assert sign in [item.get("text") for item in lines[1]["items"]]


def test_a_row_of_one_token_is_not_called_like_a_head():
    rows = matrices(open_page("attention", step="6", token="4"))
    assert rows["weights"]["symbol"] == "a_5"
    assert matrices(open_page("attention", step="9"))["weights.0"]["symbol"] == "A_1"


def test_no_explanation_of_a_step_mentions_a_notebook():
    for step in STEPS:
        assert "notebook" not in step.explanation(masked=True)
