"""Test the page "Check my matrix": whatever is pasted is read, diagnosed and kept."""

import re

import numpy as np
import pytest

from attention_core.diagnosis.pasted import problem_of, wrong_result_to_try
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import ONE_HEAD_MISTAKES, WRITTEN_OUT
from attention_core.reading.matrix_text import write_matrix
from checking import HAND, check_page, heading
from notebooks import VALUES, notebook_values
from pages.shared.notation.latex import turn_words
from pages.shared.notation.prose import typeset
from simulating import captions, edits, matrices, open_page, page_text, with_edit

pytestmark = pytest.mark.lowest
MISTAKE = {mistake.name: mistake for mistake in ONE_HEAD_MISTAKES}
TITLE = {mistake.name: mistake.title for mistake in WRITTEN_OUT}


def printed(path, decimals=8):
    with np.printoptions(precision=decimals, suppress=True):
        return str(np.atleast_2d(notebook_values(path)))


NO_AXIS = "3/q2_all_tokens_wrong_softmax_without_axis"
NOTEBOOKS = [
    ("0/right_output_unscaled/output", {"example": "book"}, ["not_scaled"]),
    ("0/wrong_step5_run_twice/attention", {"example": "book", "asked": "weights"}, ["softmax_twice", "not_scaled"]),
    ("0/trap_softmax_axis_none/output", {"example": "book"}, ["softmax_over_whole_matrix", "not_scaled"]),
    ("0/step6_weighted_values_row0/attention", {"example": "book"}, ["terms_taken_for_outputs", "not_scaled"]),
    ("2/wrong_notebook/x_prime", {"example": "columns"}, ["outer_products_not_scaled"]),
    (f"{NO_AXIS}/output", {"example": "translation"}, ["softmax_over_whole_matrix"]),
    (f"{NO_AXIS}/attention", {"example": "translation", "asked": "weights"}, ["softmax_over_whole_matrix"]),
    ("3/q1_wrong_context/context", {"example": "context"}, ["features_weighted"]),
]


@pytest.mark.parametrize(("path", "link", "names"), NOTEBOOKS, ids=str)
def test_the_notebooks_wrong_results_are_named(path, link, names):
    parts = [path] if path in VALUES else [f"{path}{i}" for i in (1, 2, 3)]  # the notebook prints these one by one
    app = check_page("\n".join(map(printed, parts)), **link)
    for name in names:
        assert f"**{typeset(TITLE[name])}.**" in page_text(app)


def test_the_doubled_exponent_of_the_notebook_is_named():
    """Check that the diagnosis names the doubled exponent of notebook 001, here with 6 columns instead of 512."""
    angles = np.arange(5)[:, None] / 10000.0 ** (2 * np.array([0, 2, 4]) / 6)
    wrong = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(5, 6)
    app = check_page(wrong, example="story", asked="encoding")
    assert heading(app) == "## One known mistake gives these numbers"
    assert "**The exponent is doubled.**" in page_text(app)


def test_context_has_the_row_that_the_broadcast_was_computed_for():
    app = check_page(printed("3/q1_wrong_context/context"), example="context")
    assert "You gave row 2 of 2." in page_text(app)


@pytest.mark.many
@pytest.mark.parametrize("asked", ["q", "scores", "weights", "output", "mixed", "encoding"])
@pytest.mark.parametrize("name", [name for name in EXAMPLES if not example(name).drawn])
def test_what_the_page_offers_is_diagnosed(name, asked):
    app = open_page("check_my_matrix", example=name, asked=asked)
    wrong = wrong_result_to_try(problem_of(example(name), asked))
    offered = [button for button in app.button if button.label.startswith("Try it")]
    assert bool(offered) == (wrong is not None)
    if wrong is not None:
        app = offered[0].click().run()
        assert not app.exception
        assert f"**{typeset(wrong[1].title)}" in page_text(app)


def test_a_mistake_is_named_with_its_damage_source_and_link():
    app = check_page(MISTAKE["softmax_over_columns"].apply(HAND).output)
    assert "**The softmax runs down the columns.**" in page_text(app)
    assert "The largest difference in your output is" in page_text(app)
    assert "The first wrong number is in row 1, column 1 of your output." in page_text(app)
    assert "labmlai" in captions(app)
    (link,) = [e for e in app.get("page_link") if "The softmax runs down" in e.proto.label]
    assert "mistake=softmax_over_columns" in link.proto.query_string
    assert any("A_{1,1} &=" in text.value and "$$" in text.value for text in app.markdown)


def test_mistakes_that_this_example_cannot_tell_apart_are_all_named():
    right = example("book").attention()
    app = check_page(MISTAKE["not_scaled"].apply(right).output, example="book")
    assert re.fullmatch(r"## \d+ known mistakes give these numbers", heading(app))
    assert "mistakes give your numbers:" in page_text(app)
    assert "- **The scores are not divided by" in page_text(app)
    assert "cut to a whole number" in page_text(app)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (HAND.output, "## Right"),
        (HAND.output.T, "## Rows and columns are swapped"),
        (HAND.output[::-1], "## Your rows are in reverse order"),
        (HAND.output[[1, 0, 2]], "## Your rows are correct, but in another order"),
        (HAND.output[:1], "## Right, as far as you pasted it"),
        (np.ones((3, 2)) / 7, "## All your rows are equal"),
    ],
)
def test_each_kind_of_answer_has_its_heading(answer, expected):
    assert heading(check_page(answer)) == expected


def test_a_result_computed_in_float32_is_right():
    single = HAND.output.astype(np.float32) * np.float32(1 + 3e-7)
    assert heading(check_page(write_matrix(single, 8))) == "## Right"


def marked(answer, **link):
    """Return which of the pasted numbers differ from the correct ones, as nested lists of booleans."""
    yours = matrices(check_page(answer, **link))["output_yours"]
    return np.not_equal(yours["values"], yours["right"]).tolist()


def test_only_what_is_wrong_as_it_is_written_is_underlined():
    assert marked("4.3 3.85; 4.38 4.48; 4.88 3.4") == [[False, False]] * 3
    assert marked("4.3 3.85; 4.38 4.48; 4.88 3.5") == [[False, False], [False, False], [False, True]]
    assert (
        marked("4.3000 3.85; 4.38 4.48; 4.88 3.4") == [[True, True]] * 3
    )  # 4.3000 has 4 decimals, so all are compared to 4
    assert marked(write_matrix(HAND.output.astype(np.float32), 8)) == [[False, False]] * 3


def test_another_shape_is_named():
    app = check_page("1 2 3\n4 5 6")
    assert "The correct output has the shape 3×2, but yours has the shape 2×3." in page_text(app)


def test_pasted_steps_lead_to_the_first_wrong_number():
    scores = HAND.scores.copy()
    scores[1, 2] += 1
    app = check_page(
        "0.1 0.2\n0.3 0.4\n0.5 0.7", steps="on", given_q=write_matrix(HAND.q), given_scores=write_matrix(scores)
    )
    assert (
        "**Your scores:** the number in row 2, column 3 is $7$, but it should be $6$. All other numbers"
        in page_text(app)
    )
    wrong = MISTAKE["keys_times_queries"].apply(HAND)
    app = check_page(wrong.output, steps="on", given_scores=write_matrix(wrong.scores))
    assert heading(app) == "## The first wrong step that you pasted: your scores"
    assert "**The scores are K Qᵀ, not Q Kᵀ.**" in page_text(app)


# --- the page ---


def test_tokens_as_columns_are_pasted_as_columns():
    wrong = MISTAKE["softmax_over_columns"].apply(HAND).output
    app = check_page(wrong.T, layout="columns")
    assert f"**{turn_words('The softmax runs down the columns')}.**" in page_text(app)
    assert "of your output" in page_text(app)


def test_editing_the_example_changes_the_verdict():
    app = check_page(write_matrix(HAND.output))
    assert heading(app) == "## Right"
    app = with_edit(app, {"kind": "edit", "id": "x", "cells": [[0, 0, 5.0]], "done": True, "generation": 0})
    assert edits(app)
    assert heading(app) != "## Right"


def test_a_selected_pasted_number_shows_the_correct_arithmetic():
    app = check_page(MISTAKE["softmax_over_columns"].apply(HAND).output, cell="output_yours.2.1")
    (text,) = [text.value for text in app.markdown if "$$" in text.value]
    assert rf"&\approx {HAND.output[2, 1]:.4g}" in text
    assert "Yours is" in text


def test_a_matrix_too_wide_to_paste_is_not_offered():
    app = open_page("check_my_matrix", example="heads_512")
    assert not [button for button in app.button if button.label.startswith("Try it")]
    app = open_page("check_my_matrix", example="heads_512", asked="weights")
    assert [button for button in app.button if button.label.startswith("Try it")]


# --- the opening, and another example ---


def test_the_opening_says_what_to_compute_and_paste():
    text = page_text(open_page("check_my_matrix", example="hand"))
    assert "**Compute the output, 3×2,** with your own code or by hand, and paste it below" in text
    assert r"Z = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) \, V" in text
    assert "$d_k = 4$" in text
    text = page_text(open_page("check_my_matrix", example="hand", asked="mixed"))
    assert "There are $h = 2$ heads" in text
    assert "$d_k = 2$" in text
    assert "Check it" in [button.label for button in open_page("check_my_matrix", example="hand").button]


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("asked", ["q", "k", "v", "scores", "scaled", "weights", "output", "mixed", "encoding"])
@pytest.mark.parametrize("name", ["hand", "context", "columns"])
def test_every_task_is_said_with_its_formula(name, asked, layout):
    text = page_text(open_page("check_my_matrix", example=name, asked=asked, layout=layout, mask="causal"))
    (task,) = [line for line in text.splitlines() if line.startswith("**Compute the ")]
    assert " = " in task
    assert ("b^Q" in task) == (name == "columns" and asked in ("q", "scores", "scaled", "weights", "output"))


def test_another_example_does_not_judge_the_old_result():
    app = check_page(HAND.output)
    assert heading(app) == "## Right"
    (box,) = [box for box in app.selectbox if box.label == "Example"]
    app = box.select("story").run()
    assert not app.exception
    assert not [line for line in page_text(app).splitlines() if line.startswith("## ")]
    assert "You pasted this result for “Pencil and paper”." in "".join(text.value for text in app.info)
    (button,) = [button for button in app.button if button.label == "Check the old result here"]
    app = button.click().run()
    assert heading(app) == "## No known mistake gives these numbers"
