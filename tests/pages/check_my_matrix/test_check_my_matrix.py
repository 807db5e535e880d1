"""Test the page "Check my matrix": whatever is pasted is read, diagnosed and kept.

Also the numbers of other pages that are checked here.
"""

import re

import numpy as np
import pytest

from attention_core import sinusoidal, softmax
from attention_core.diagnosis.pasted import problem_of, wrong_result_to_try
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import ONE_HEAD_MISTAKES, WRITTEN_OUT
from attention_core.reading.matrix_text import write_matrix
from notebooks import VALUES, notebook_values
from pages.shared.notation.latex import turn_words
from pages.shared.notation.prose import typeset
from simulating import (
    HAND,
    captions,
    check_page,
    choose,
    edits,
    heading,
    matrices,
    open_page,
    page_text,
    visit_of,
    with_edit,
)
from taken_home import DECLARED

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


@pytest.mark.lowest
@pytest.mark.parametrize(("path", "link", "names"), NOTEBOOKS, ids=str)
def test_the_notebooks_wrong_results_are_named(path, link, names):
    parts = [path] if path in VALUES else [f"{path}{i}" for i in (1, 2, 3)]  # the notebook prints these one by one
    app = check_page("\n".join(map(printed, parts)), **link)
    for name in names:
        assert f"**{typeset(TITLE[name])}.**" in page_text(app)


@pytest.mark.lowest
def test_the_doubled_exponent_of_the_notebook_is_named():
    """Check that the diagnosis names the doubled exponent of notebook 001, here with 6 columns instead of 512."""
    angles = np.arange(5)[:, None] / 10000.0 ** (2 * np.array([0, 2, 4]) / 6)
    wrong = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(5, 6)
    app = check_page(wrong, example="story", asked="encoding")
    assert heading(app) == "## One known mistake gives these numbers"
    assert "**The exponent is doubled.**" in page_text(app)


@pytest.mark.lowest
def test_context_has_the_row_that_the_broadcast_was_computed_for():
    app = check_page(printed("3/q1_wrong_context/context"), example="context")
    assert "You gave row 2 of 2." in page_text(app)


@pytest.mark.lowest
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


@pytest.mark.lowest
def test_a_mistake_is_named_with_its_damage_source_and_link():
    app = check_page(MISTAKE["softmax_over_columns"].apply(HAND).output)
    assert "**The softmax runs down the columns.**" in page_text(app)
    assert "The largest difference in your output is" in page_text(app)
    assert "The first wrong number is in row 1, column 1 of your output." in page_text(app)
    assert "labmlai" in captions(app)
    (link,) = [e for e in app.get("page_link") if "The softmax runs down" in e.proto.label]
    assert "mistake=softmax_over_columns" in link.proto.query_string
    assert any("$$\nA_{1,1}\n$$" in text.value for text in app.markdown)


@pytest.mark.lowest
def test_mistakes_that_this_example_cannot_tell_apart_are_all_named():
    right = example("book").attention()
    app = check_page(MISTAKE["not_scaled"].apply(right).output, example="book")
    assert re.fullmatch(r"## \d+ known mistakes give these numbers", heading(app))
    assert "mistakes give your numbers:" in page_text(app)
    assert "- **The scores are not divided by" in page_text(app)
    assert "cut to a whole number" in page_text(app)


@pytest.mark.lowest
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


@pytest.mark.lowest
def test_a_result_computed_in_float32_is_right():
    single = HAND.output.astype(np.float32) * np.float32(1 + 3e-7)
    assert heading(check_page(write_matrix(single, 8))) == "## Right"


def marked(answer, **link):
    """Return which of the pasted numbers differ from the correct ones, as nested lists of booleans."""
    yours = matrices(check_page(answer, **link))["output_yours"]
    return np.not_equal(yours["values"], yours["right"]).tolist()


@pytest.mark.lowest
def test_only_what_is_wrong_as_it_is_written_is_marked():
    assert marked("4.3 3.85; 4.38 4.48; 4.88 3.4") == [[False, False]] * 3
    assert marked("4.3 3.85; 4.38 4.48; 4.88 3.5") == [[False, False], [False, False], [False, True]]
    assert (
        marked("4.3000 3.85; 4.38 4.48; 4.88 3.4") == [[True, True]] * 3
    )  # 4.3000 has 4 decimals, so all are compared to 4
    assert marked(write_matrix(HAND.output.astype(np.float32), 8)) == [[False, False]] * 3


@pytest.mark.lowest
def test_another_shape_is_named():
    app = check_page("1 2 3\n4 5 6")
    assert "The correct output has the shape 3×2, but yours has the shape 2×3." in page_text(app)


@pytest.mark.lowest
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


@pytest.mark.lowest
def test_tokens_as_columns_are_pasted_as_columns():
    wrong = MISTAKE["softmax_over_columns"].apply(HAND).output
    app = check_page(wrong.T, layout="columns")
    assert f"**{turn_words('The softmax runs down the columns')}.**" in page_text(app)
    assert "of your output" in page_text(app)


@pytest.mark.lowest
def test_editing_the_example_changes_the_verdict():
    app = check_page(write_matrix(HAND.output))
    assert heading(app) == "## Right"
    app = with_edit(app, {"kind": "edit", "id": "x", "cells": [[0, 0, 5.0]], "done": True, "generation": 0})
    assert edits(app)
    assert heading(app) != "## Right"


@pytest.mark.lowest
def test_a_selected_pasted_number_shows_the_correct_arithmetic():
    app = check_page(MISTAKE["softmax_over_columns"].apply(HAND).output, cell="output_yours.2.1")
    (text,) = [text.value for text in app.markdown if "$$" in text.value]
    assert rf"\approx {HAND.output[2, 1]:.4g}" in text
    assert "Yours is" in text


@pytest.mark.lowest
def test_a_matrix_too_wide_to_paste_is_not_offered():
    app = open_page("check_my_matrix", example="heads_512")
    assert not [button for button in app.button if button.label.startswith("Try it")]
    app = open_page("check_my_matrix", example="heads_512", asked="weights")
    assert [button for button in app.button if button.label.startswith("Try it")]


# --- the opening, and another example ---


@pytest.mark.lowest
def test_the_opening_says_what_to_compute_and_paste():
    text = page_text(open_page("check_my_matrix", example="hand"))
    assert "**Compute the output, 3×2,** with your own code or by hand, and paste it below" in text
    assert r"Z = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) \, V" in text
    assert "$d_k = 4$" in text
    text = page_text(open_page("check_my_matrix", example="hand", asked="mixed"))
    assert "There are $h = 2$ heads" in text
    assert "$d_k = 2$" in text
    assert "Check it" in [button.label for button in open_page("check_my_matrix", example="hand").button]


@pytest.mark.lowest
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("asked", ["q", "k", "v", "scores", "scaled", "weights", "output", "mixed", "encoding"])
@pytest.mark.parametrize("name", ["hand", "context", "columns"])
def test_every_task_is_said_with_its_formula(name, asked, layout):
    text = page_text(open_page("check_my_matrix", example=name, asked=asked, layout=layout, mask="causal"))
    (task,) = [line for line in text.splitlines() if line.startswith("**Compute the ")]
    assert " = " in task
    assert ("b^Q" in task) == (name == "columns" and asked in ("q", "scores", "scaled", "weights", "output"))


@pytest.mark.lowest
def test_another_example_does_not_judge_the_old_result():
    app = check_page(HAND.output)
    assert heading(app) == "## Right"
    app = choose(app, "example", "story")
    assert not app.exception
    assert not [line for line in page_text(app).splitlines() if line.startswith("## ")]
    assert "You pasted this result for “Pencil and paper”." in "".join(text.value for text in app.info)
    (button,) = [button for button in app.button if button.label == "Check the old result here"]
    app = button.click().run()
    assert heading(app) == "## No known mistake gives these numbers"


# --- own numbers ---

OWN = {
    "own_x": "[[1, 0], [0, 1], [1, 1]]",
    "own_w_q": "1 2\n0 1",
    "own_w_k": "1;0\n2;1",
    "own_w_v": "1,5\t2\n0\t1",
}


def test_own_weights():
    x, w_q, w_k, w_v = np.array([[1, 0], [0, 1], [1, 1.0]]), [[1, 2], [0, 1]], [[1, 0], [2, 1]], [[1.5, 2], [0, 1]]
    scores = (x @ w_q @ (x @ w_k).T) / 2
    powers = np.exp(scores)
    app = check_page(powers / powers.sum(axis=1, keepdims=True) @ (x @ w_v), source="weights", **OWN)
    assert re.fullmatch(r"## \d+ known mistakes give these numbers", heading(app))  # a token is as wide as a key here
    assert "without the root" in page_text(app)
    assert "The scores are divided by" in page_text(app)


def test_own_queries_and_own_scores():
    q, k, v = np.eye(2), np.array([[1, 2], [3, 4.0]]), np.array([[1, 2, 3], [0, 1, 5.0]])
    own_qkv = {"own_q": write_matrix(q), "own_k": write_matrix(k), "own_v": write_matrix(v)}
    scores = q @ k.T / np.sqrt(2)
    whole = np.exp(scores) / np.exp(scores).sum()
    app = check_page(whole @ v, source="queries", **own_qkv)
    assert "**The softmax runs over the whole matrix.**" in page_text(app)
    app = check_page(write_matrix(whole, 6), source="scores", own_scores=write_matrix(scores, 8))
    assert "**The softmax runs over the whole matrix.**" in page_text(app)
    scores = np.array([[0.7, 2.1], [1.1, 3.3]])
    halved = np.exp(scores / 2) / np.exp(scores / 2).sum(axis=1, keepdims=True)
    assert "No known mistake" in heading(check_page(halved, source="scores", own_scores=write_matrix(scores, 8)))


def test_own_scores_may_be_masked():
    app = check_page("1 0\n0.5 0.5", source="scores", own_scores="1 -inf\n2 2")
    assert heading(app) == "## Right"


def test_what_is_missing_or_does_not_fit_is_said():
    app = open_page("check_my_matrix", source="weights", own_x="1 2")
    assert [text.value for text in app.info] == ["Paste what is still missing: W_Q; W_K; W_V."]
    app = open_page("check_my_matrix", source="weights", **{**OWN, "own_w_q": "1 2 3"})
    assert "w_q: x and w must share d_in, but x is (3, 2) and w is (1, 3)" in app.info[0].value
    app = open_page("check_my_matrix", source="queries", own_q="1 inf", own_k="1 2", own_v="1")
    assert "q must be finite" in app.info[0].value


def test_a_problem_of_positions_needs_only_x():
    """Check that a problem of positions needs only x."""
    fitting = {"own_w_q": "1\n1", "own_w_k": "1\n1", "own_w_v": "1\n1"}
    for x, more in (("1 2", {}), ("1 2", {"own_w_q": "1", "own_w_k": "1", "own_w_v": "1"}), ("1e300 1e300", fitting)):
        app = open_page("check_my_matrix", source="weights", asked="encoding", own_x=x, answer="0 1", **more)
        assert not app.exception
        assert heading(app) == "## Right"
    assert {area.label for area in app.text_area} == {"X", "Your result"}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_that_overflow_are_said():
    large = {"own_x": "1e300 1e300", "own_w_q": "1\n1", "own_w_k": "1e300\n1", "own_w_v": "1\n1"}
    app = open_page("check_my_matrix", source="weights", **large)
    assert "must be finite; got inf" in app.info[0].value


def test_the_positions_of_own_embeddings_need_x_alone():
    x = np.zeros((3, 4))
    app = check_page(sinusoidal(3, 4), source="embeddings", own_x=write_matrix(x, 0))
    assert heading(app) == "## Right"
    squared = sinusoidal(3, 4) ** 2
    assert heading(check_page(squared, source="embeddings", own_x=write_matrix(x, 0))) != "## Right"


def test_own_scores_with_another_scale_may_be_right():
    scores = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [1.5, 0.2, -0.7]])
    app = check_page(write_matrix(softmax(scores / 2), 4), source="scores", own_scores=write_matrix(scores))
    assert heading(app) == "## No known mistake gives these numbers, but another scale does"


STORY, BOOK = example("story"), example("book")
CAUSAL = STORY.attention(mask=STORY.mask("causal"))
PADDED = STORY.attention(mask=STORY.mask("padding"))
NUMBERS = np.array([[1, 0.5, 0.2, 3], [1, -1, 7, 3], [2, 12, 13, 3]])

SENT = {
    "queries": ("queries_keys_values", {}, STORY.attention().q),
    "weights": ("softmax_axes", {}, STORY.attention().weights),
    "weights of undivided scores": ("softmax_axes", {"source": "undivided"}, softmax(STORY.attention().scores)),
    "weights of own scores": ("softmax_axes", {"source": "array"}, softmax(NUMBERS)),
    "scaled scores": ("scaling", {}, STORY.attention().scaled),
    "a step": ("attention", {"step": "4"}, STORY.attention().scores),
    "a causal mask": ("attention", {"step": "5", "mask": "causal"}, CAUSAL.weights),
    "a padding mask": ("attention", {"step": "8", "mask": "padding"}, PADDED.output),
    "no scale": ("attention", {"step": "8", "scale": "none"}, STORY.attention(scale=1.0).output),
    "the scale of an example": ("attention", {"step": "8", "example": "book"}, BOOK.attention(scale=BOOK.scale).output),
    "all heads": ("attention", {"step": "10"}, STORY.multi_head().output),
    "heads": ("multi_head", {}, STORY.multi_head().output),
    "cross-attention": ("cross_attention", {"example": "translation"}, example("translation").attention().output),
}


def state_sent_to_check(page, **link):
    """Return the state in which a page opens "Check my matrix", or None if the page does not offer it."""
    app = open_page(page, **{"example": "story"} | link)
    assert not app.exception
    visit = visit_of(app)
    to_check = DECLARED[page].to_check
    assert to_check, f"{page} sends nothing"
    return to_check(visit.parameters, visit.example)


@pytest.mark.many
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("name", SENT)
def test_what_a_page_computes_is_right_where_it_sends_to(name, layout):
    page, link, right = SENT[name]
    state = state_sent_to_check(page, layout=layout, **link)
    assert state is not None
    state = {"example": link.get("example", "story")} | dict(state)
    assert heading(check_page(right.T if layout == "columns" else right, **state, layout=layout)).startswith("## Right")


def test_positions_are_sent():
    assert state_sent_to_check("positional_encoding") == {"asked": "encoding"}


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("softmax_axes", {"temperature": "2"}),
        ("softmax_axes", {"base": "2"}),
        ("multi_head", {"heads": "1"}),
        ("multi_head", {"sharing": "all"}),
        ("multi_head", {"off": "1"}),
        ("cross_attention", {"example": "translation", "keys": "1"}),
        ("cross_attention", {"example": "context", "itself": "on"}),
    ],
)
def test_what_cannot_be_asked_there_is_not_sent(page, link):
    assert state_sent_to_check(page, **link) is None
