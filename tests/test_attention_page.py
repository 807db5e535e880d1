"""Attention, step by step: why one takes the steps, why masks, what length costs; formula, board and code agree."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_core.examples import EXAMPLES, example
from attention_core.experiments.next_word import around_the_filler, around_the_next_word, scores_of_length
from pages.shared.lessons.attention import reasons
from pages.shared.lessons.attention.formulas import Case, case_of
from pages.shared.lessons.attention.steps import STEPS
from simulating import equations, matrices, opened

STORY = example("story")
MASKS = ("causal", "padding")
CAT, DRANK, MILK, BECAUSE, IT = range(5)
WEIGHTS = STORY.attention().weights


def said(app):
    return "\n".join(text.value for text in app.markdown)


def numbers_in(text):
    return [float(found) for found in re.findall(r"\*\*(\d[\d.]*)\*\*", text)]


# --- the next word ---


def test_the_weight_is_divided_at_the_next_word():
    parts = around_the_next_word(WEIGHTS)
    np.testing.assert_allclose(parts.sum(axis=1), 1)
    np.testing.assert_allclose(parts[:, 1], [WEIGHTS[i, i + 1] for i in range(4)])
    assert parts[0, 0] == WEIGHTS[CAT, CAT]
    assert parts[3, 2] == 0


def test_masked_nothing_is_put_on_the_next_word_or_later():
    for name in EXAMPLES:
        this = example(name)
        if this.context is None:
            masked = this.attention(mask=this.mask("causal")).weights
            np.testing.assert_array_equal(around_the_next_word(masked)[:, 1:], 0)


def test_queries_of_another_text_have_no_next_word():
    with pytest.raises(ValueError, match=r"weights must be square .*; got \(2, 4\): give"):
        around_the_next_word(example("context").attention().weights)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_token_would_read_off_is_so(name):
    this = example(name)
    weights = this.attention().weights
    why = reasons.why_causal(this, weights, 4)
    if this.context is not None:
        assert "no reason" in why
        return
    following = np.diagonal(weights, offset=1)
    i = int(following.argmax())
    assert f"After “{this.tokens[i]}” comes “{this.tokens[i + 1]}”" in why
    assert numbers_in(why) == [
        pytest.approx(following.max(), abs=1e-4),
        pytest.approx(weights[i, : i + 1].sum(), abs=1e-4),  # what is left where the rest is struck out
    ]
    assert f"all {len(following)} guesses at once" in why


@pytest.mark.parametrize("name", EXAMPLES)
def test_one_pass_gives_what_a_pass_for_each_word_would(name):
    this = example(name)
    if this.context is None:
        at_once = this.attention(mask=this.mask("causal")).output
        for n in range(1, len(this.tokens) + 1):
            begun = replace(this, x=this.x[:n], tokens=this.tokens[:n], sentence="")
            np.testing.assert_allclose(begun.attention().output[-1], at_once[n - 1], rtol=1e-9, atol=1e-12)


def test_on_the_story_drank_would_read_milk_as_much_as_cat():
    assert WEIGHTS[DRANK, MILK] == WEIGHTS[DRANK, CAT]  # what a scene says where the mask hides it


def test_a_filler_gets_its_share():
    parts = around_the_filler(WEIGHTS)
    np.testing.assert_allclose(parts.sum(axis=1), 1)
    np.testing.assert_array_equal(parts[:, 1], WEIGHTS[:, IT])


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_said_of_a_filler_is_so(name):
    this = example(name)
    weights = this.attention().weights
    given = weights[:, -1] if this.context is not None else weights[:-1, -1]
    assert numbers_in(reasons.why_padding(this, weights, 4)) == [pytest.approx(given.max(), abs=1e-4)]
    assert (this.attention(mask=this.mask("padding")).weights[:, -1] == 0).all()


# --- what length costs ---


def test_twice_the_length_takes_four_times_the_scores():
    assert scores_of_length(5, 5) == WEIGHTS.size == 25
    assert scores_of_length(5, 5, times=2) == 4 * 25
    assert scores_of_length(2, 4, times=2) == 4 * 8
    with pytest.raises(ValueError, match="times must be a whole number"):
        scores_of_length(5, 5, times=0)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_curve_goes_through_the_scores_of_the_example(name):
    this = example(name)
    tokens, scores, named = reasons.growth_of(this)
    n = len(this.tokens)
    assert scores[tokens.index(n)] == this.attention().scores.size
    assert scores[tokens.index(2 * n)] == 4 * this.attention().scores.size
    assert [length for length, name in zip(tokens, named, strict=True) if name] == [n, 2 * n, 4 * n]


# --- what the page says ---


def test_the_page_says_first_what_the_steps_are_for():
    assert "**0.73** of what “it” takes in comes from “cat”" in said(opened("attention"))
    assert WEIGHTS[IT, CAT] == (WEIGHTS * (1 - np.eye(5))).max()


@pytest.mark.parametrize(
    ("mask", "says"), [("causal", "After “cat” comes “drank”"), ("padding", "Let “it” be such a filler"), ("none", "")]
)
def test_a_mask_says_why_where_it_is_written(mask, says):
    app = opened("attention", step="4", mask=mask)
    assert says in said(app)
    assert ("Masked" in said(app)) == bool(says)


def test_a_reason_is_not_said_twice():
    assert said(opened("attention", step="5", mask="causal", look="future")).count("guess each next word") == 1


def test_where_nothing_is_written_word_by_word_the_story_is_offered():
    app = opened("attention", step="5", look="future", example="context")
    (button,) = (button for button in app.button if button.key == "offer.story")
    assert "guess each next word" in said(button.click().run())


@pytest.mark.parametrize(
    ("look", "title"),
    [
        ("shares", "Who attends to whom"),
        ("future", "Why forbid the future"),
        ("padding", "Why hide fillers"),
        ("cost", "What length costs"),
    ],
)
def test_a_view_that_a_link_names_is_shown_at_the_first_step(look, title):
    assert f"## {title}" in said(opened("attention", look=look))


@pytest.mark.parametrize("look", ["shares", "future", "padding", "cost"])
@pytest.mark.parametrize("name", ["context", "wide", "heads_512"])
def test_every_view_is_drawn_on_every_kind_of_example(name, look):
    assert not opened("attention", step="5", look=look, example=name).exception


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize(
    ("mask", "taken", "other"), [("none", "S'", "M"), ("causal", "M", "S'"), ("padding", "M", "S'")]
)
def test_formula_board_card_and_code_take_the_same_scores(mask, taken, other, layout):
    app = opened("attention", step="5", mask=mask, layout=layout, cell="weights.1.0")
    board = equations(app)["attention.equation.step5"][0]["items"]
    assert {item["symbol"] for item in board if "symbol" in item} == {taken, "A"}
    told = said(app)
    assert f"e^{{{taken}_" in told
    assert f"e^{{{other}_" not in told  # in the formula and in the arithmetic of the cell
    name = {"S'": "scaled", "M": "masked"}
    (code,) = (block.value for block in app.code)
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


def test_what_is_not_scaled_says_so_on_the_board():
    for link, sign in (({}, "÷ √d_k"), ({"scale": "none"}, "not scaled"), ({"example": "book"}, "not scaled")):
        lines = equations(opened("attention", step="4", **link))["attention.equation.step4"]
        assert sign in [item.get("text") for item in lines[1]["items"]]


def test_a_row_of_one_token_is_not_called_like_a_head():
    rows = matrices(opened("attention", step="6", token="4"))
    assert rows["weights"]["symbol"] == "a_5"
    assert matrices(opened("attention", step="9"))["weights.0"]["symbol"] == "A_1"


def test_no_step_needs_a_notebook_to_be_read():
    for step in STEPS:
        assert "notebook" not in step.told(masked=True)
