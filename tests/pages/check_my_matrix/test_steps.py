"""Test "Check my matrix" with a visitor's own steps: each is compared with the step before it.

The page also shows how to correct a mistake.
"""

import numpy as np
import pytest

from attention_core import multi_head_attention, softmax
from attention_core.diagnosis.pasted import problem_of
from attention_core.examples import example
from attention_core.mistakes.rare import every_mistake
from attention_core.reading.matrix_text import write_matrix
from attention_core.rotation import sinusoidal_steps
from simulating import HAND, check_page, heading, open_page, page_text, text_behind_press

MISTAKE = {mistake.name: mistake for mistake in every_mistake()}


def steps_of(wrong, **more):
    """Return the parameters of a link, with the intermediate matrices of the trace `wrong` pasted to 4 decimals."""
    stages = ("q", "k", "v", "scores", "scaled", "weights")
    return {"steps": "on", **{f"given_{stage}": write_matrix(getattr(wrong, stage), 4) for stage in stages}, **more}


def test_each_step_is_held_against_the_one_before_and_only_the_first_is_blamed():
    wrong = MISTAKE["divided_by_d_k"].apply(HAND)
    app = check_page(write_matrix(wrong.output, 4), **steps_of(wrong))
    assert "**Your steps, one by one:**" in page_text(app)
    assert "- Scores: correct." in page_text(app)
    assert (
        f"- **Scaled scores:** {np.count_nonzero(HAND.scores)} numbers do not follow from your earlier steps"
        in page_text(app)
    )
    assert (
        "- Attention weights: not all numbers are correct, but you computed them correctly from your earlier steps."
        in page_text(app)
    )
    assert "**The scores are divided by d_k, without the root.**" in page_text(app).replace("$d_k$", "d_k")


def test_one_wrong_number_is_named_with_its_cell():
    scores = HAND.scores.copy()
    scores[1, 2] = 5
    app = check_page(write_matrix(HAND.output, 4), steps="on", given_scores=write_matrix(scores))
    assert (
        "- **Scores:** one number is wrong. The number in row 2, column 3 is $5$, but it should be $6$."
        in page_text(app)
    )


def test_a_number_that_is_solved_for_is_said_with_what_it_should_be():
    v = HAND.v.copy()
    v[1, 0] += 3
    app = check_page(write_matrix(HAND.weights @ v, 2))
    assert heading(app) == "## One wrong number in an earlier step gives these numbers"
    assert f"**Row 2, column 1 of the values: ${v[1, 0]:.0f}$ in place of ${HAND.v[1, 0]:.0f}$.**" in page_text(app)


def test_the_correction_is_below_the_mistake():
    app = check_page(MISTAKE["divided_by_d_k"].apply(HAND).output)
    assert "`- scaled = scores / d_k`" in page_text(app)
    assert "`+ scaled = scores / np.sqrt(d_k)`" in page_text(app)
    assert f"By hand: row 1, column 1 of the scaled scores should be ${HAND.scaled[0, 0]:.4g}$." in page_text(app)


def test_a_correction_removes_an_added_line_and_keeps_the_step_before_it():
    app = check_page(MISTAKE["softmax_twice"].apply(HAND).output)
    assert "`  weights = softmax(scaled, axis=-1)`  \n" in page_text(app)
    assert "`- weights = softmax(weights)`" in page_text(app)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (np.round(HAND.output, 1), "## There are too few decimals to tell"),
        (np.round(np.round(HAND.weights, 2) @ HAND.v, 2), "## Right"),
        (np.add(np.round(HAND.output, 2), [[0.01, -0.01]]), "## Close: rounding in earlier steps may explain it"),
    ],
)
def test_each_effect_of_rounding_has_its_heading(answer, expected):
    assert (
        heading(check_page(write_matrix(answer, 2 if expected != "## There are too few decimals to tell" else 1)))
        == expected
    )


def test_steps_of_positions_are_followed():
    right = sinusoidal_steps(*example("hand").x.shape)
    wrong = MISTAKE["positions_from_one"].apply(right)
    link = {"asked": "encoding", "steps": "on", "given_angles": write_matrix(wrong.angles, 6)}
    app = check_page(write_matrix(wrong.encoding, 4), **link)
    assert "**The positions are counted from 1.**" in page_text(app)
    assert (
        "- Positional encoding: not all numbers are correct, but you computed them correctly from your earlier steps."
        in page_text(app)
    )


def test_one_mistake_in_several_steps_is_blamed_once():
    right = example("square").attention()
    wrong = MISTAKE["weights_transposed"].apply(right)
    app = check_page(write_matrix(wrong.output, 4), **steps_of(wrong, example="square"))
    assert "**The weight matrices are transposed.**" in page_text(app)
    assert "- Keys: not all numbers are correct, but you computed them correctly from your earlier steps." in page_text(
        app
    )
    assert (
        "- Values: not all numbers are correct, but you computed them correctly from your earlier steps."
        in page_text(app)
    )


def test_all_mistakes_that_give_the_same_numbers_are_listed_the_usual_ones_first():
    this = example("hand").multi_head()
    app = check_page(write_matrix(MISTAKE["not_scaled"].apply(this).output), asked="mixed")
    told = page_text(app)
    usual, rare = "- **The scores are not divided by", "The scores are divided by $d_k$ / 2"
    assert told.index(usual) < told.index(rare)
    assert "rarer" not in told


def test_the_arithmetic_is_of_the_number_that_the_mistake_changes_first():
    scores = HAND.scores * 2  # multiplied by √d_k = 2 instead of divided
    app = check_page(softmax(scores) @ HAND.v)
    told = page_text(app)
    assert f"By hand: row 1, column 1 of the scaled scores should be ${HAND.scaled[0, 0]:.4g}$." in told
    assert r"\frac{S_{1,1}}{\sqrt{d_k}}" in told
    assert "Yours is" not in told


def test_wrongly_split_heads_are_corrected_from_the_scores_on():
    hand = example("hand")
    right, one_wide = (multi_head_attention(hand.x, hand.projections, n_heads) for n_heads in (hand.n_heads, 1))
    app = check_page(one_wide.output, asked="mixed")
    expected = f"By hand: row 1, column 1 of the scores of head 1 should be ${right.heads.scores[0, 0, 0]:.4g}$."
    assert expected in page_text(app)


def test_with_several_mistakes_each_correction_names_its_mistake():
    app = check_page(softmax(HAND.k @ HAND.q.T / 2) @ HAND.v)
    assert "**How to correct “The scores are K Qᵀ, not Q Kᵀ”.**" in page_text(app)
    assert "How to correct it" not in page_text(app)


def test_a_row_for_each_token_of_the_context_is_pointed_out():
    assert "You have a row for each token of the context." in page_text(
        check_page(np.ones((4, 2)) / 7, example="context")
    )
    assert "a row for each token" not in page_text(check_page(np.ones((5, 2)) / 7, example="context"))


@pytest.mark.many
@pytest.mark.parametrize("asked", ["k", "scores", "weights", "output", "mixed"])
@pytest.mark.parametrize("name", ["hand", "translation", "french"])
@pytest.mark.parametrize("given", ["q", "v"])
def test_a_step_of_another_shape_is_named_as_that(name, given, asked):
    right = example(name).attention()
    turned = {f"given_{given}": write_matrix(getattr(right, given).T)}
    answer = example(name).multi_head().output if asked == "mixed" else getattr(right, asked)
    app = open_page("check_my_matrix", example=name, asked=asked, steps="on", answer=write_matrix(answer + 1), **turned)
    assert not app.exception
    if not (given == "v" and asked in ("k", "scores", "weights")):  # the values come after these steps
        shown = {"q": "Queries", "v": "Values"}[given]
        assert f"- **{shown}:** the shape does not follow from your earlier steps." in page_text(app)


def test_two_wrong_steps_are_each_told_and_mended():
    q = np.array(HAND.q)
    q[0, 0] += 1
    scores = q @ HAND.k.T
    weights = softmax(scores)
    own = {"q": q, "k": HAND.k, "v": HAND.v, "scores": scores, "scaled": scores, "weights": weights}
    app = check_page(
        write_matrix(weights @ HAND.v, 4), steps="on", **{f"given_{n}": write_matrix(m, 4) for n, m in own.items()}
    )
    assert heading(app) == "## Two steps are wrong: your queries and your scaled scores"
    told = page_text(app)
    assert (
        f"**Your queries:** the number in row 1, column 1 is ${q[0, 0]:g}$, but it should be ${HAND.q[0, 0]:g}$."
        in told
    )
    assert "**Your scaled scores:** the number in row 1, column 1 is" in told
    assert "computed from your earlier steps, it would be" in told
    assert "`+ scaled = scores / np.sqrt(d_k)`" in told
    assert "right from" not in told.lower()


def test_a_last_step_that_alone_is_wrong_is_said_to_be():
    own = {stage: getattr(HAND, stage) for stage in ("q", "k", "v", "scores", "scaled", "weights")}
    app = check_page(
        "4.1 3.2\n5.3 1.9\n2.7 3.3", steps="on", **{f"given_{n}": write_matrix(m, 6) for n, m in own.items()}
    )
    assert heading(app) == "## Only your last step is wrong"
    told = page_text(app)
    assert "Your queries, keys, values, scores, scaled scores and attention weights are correct." in told
    assert "Compute your output again from your attention weights and values." in told
    assert "I tried" not in told


@pytest.mark.parametrize(
    ("asked", "pasted", "advice"),
    [
        ("scores", ("q", "k", "v"), "Compute your scores again from your queries and keys."),
        ("weights", ("q", "k", "v"), "Compute your attention weights again from your queries and keys."),
        ("output", ("k", "scaled"), "Compute your output again from your scaled scores."),
        ("mixed", ("q", "k", "v"), "Compute your output again from your queries, keys and values."),
        ("mixed", ("q", "k", "v", "concat"), "Compute your output again from your heads side by side."),
    ],
)
def test_a_wrong_step_is_to_be_computed_again_from_what_it_is_computed_from(asked, pasted, advice):
    right = example("hand").multi_head() if asked == "mixed" else HAND
    answer = np.random.default_rng(1).uniform(2, 9, problem_of(example("hand"), asked).correct_result.shape)
    own = {f"given_{stage}": write_matrix(getattr(right, stage), 6) for stage in pasted}
    app = check_page(write_matrix(answer, 4), asked=asked, steps="on", **own)
    assert advice in page_text(app)


def test_mistakes_that_give_the_same_numbers_as_one_wrong_number_are_told_with_the_steps_as_well():
    wrong = MISTAKE["whole_quotient"].apply(HAND)
    assert np.argwhere(wrong.scaled != HAND.scaled).tolist() == [[2, 2]]
    alone, app = check_page(write_matrix(wrong.output, 4)), check_page(write_matrix(wrong.output, 4), **steps_of(wrong))
    assert heading(app) == "## One step is wrong: your scaled scores"
    for page in (alone, app):
        assert f"“{MISTAKE['whole_quotient'].title}”" in page_text(page)


def test_with_steps_the_page_says_in_which_step_nan_begins():
    causal = example("hand").attention(mask=example("hand").mask("causal"))
    wrong = MISTAKE["mask_times_infinity"].apply(causal)
    assert np.isnan(wrong.weights).all()
    app = check_page(write_matrix(wrong.output, 4), mask="causal", **steps_of(wrong))
    assert heading(app) == "## One step is wrong: your attention weights"
    told = page_text(app)
    assert "Your queries, keys, values, scores and scaled scores are correct." in told
    assert "You computed your output correctly from your wrong attention weights." in told
    assert f"“{MISTAKE['mask_times_infinity'].title}” can give such numbers." in told
    assert "Look at your steps in order" not in told


def test_a_press_opens_the_steps():
    app = check_page(MISTAKE["softmax_over_columns"].apply(HAND).output)
    (button,) = [button for button in app.button if button.label == "Paste your earlier steps"]
    app = button.click().run()
    assert not app.exception
    assert "Your queries Q" in [area.label for area in app.text_area]


def test_the_mending_uses_only_names_of_the_task():
    app = check_page(MISTAKE["softmax_over_columns"].apply(HAND).output)
    assert "masked" not in next(line for line in page_text(app).splitlines() if "`+ " in line)
    hand = example("hand")
    forgotten = check_page(write_matrix(hand.multi_head().concat, 4), asked="mixed")
    assert "`+ output = concat @ w_o`" in page_text(forgotten)
    assert "b_o" not in page_text(forgotten)


def test_the_first_pasted_step_may_follow_from_a_wrong_one_that_was_not_pasted():
    scores = HAND.k @ HAND.q.T
    output = softmax(scores * HAND.scale) @ HAND.v
    app = check_page(output, steps="on", given_scores=write_matrix(scores))
    assert heading(app) == "## The first wrong step that you pasted: your scores"
    assert "You pasted no earlier step, so perhaps an earlier one is already wrong." in text_behind_press(app)
    queries = np.array(HAND.q)
    queries[1, 0] += 2
    app = check_page(HAND.output, steps="on", given_q=write_matrix(queries))
    assert "You pasted no earlier step" not in page_text(app)
