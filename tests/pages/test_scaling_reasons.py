"""Test the reasons on the page of scaling: what a small change of a score does under each divisor, in each example."""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core.examples import EXAMPLES, example
from pages.scaling.code import code
from pages.scaling.lesson import weight_curves
from pages.shared.notation.glossary import define
from pages.shared.takehome.code import run
from pagesutil import KINDS
from simulating import equations, open_page, page_text


def row_with_greatest_weight(example_name):
    """Return three results for the greatest weight of an example: its row of scores, its query and its key."""
    scores = example(example_name).attention().scores
    weights = softmax(scores, axis=1)
    token, key = np.unravel_index(weights.argmax(), weights.shape)
    return scores[token], int(token), int(key)


def weight_change(scores, key, scale):
    """Return by how much the weight of `key` changes if its score grows by 0.1."""
    raised = scores + 0.1 * (np.arange(len(scores)) == key)
    return (softmax(raised * scale) - softmax(scores * scale))[key]


def test_the_reason_is_said_in_the_numbers_of_the_story():
    scores, token, key = row_with_greatest_weight("story")
    assert (example("story").tokens[token], example("story").tokens[key]) == ("it", "cat")
    said = page_text(open_page("scaling"))
    assert f"“it” attends to “cat” with **{softmax(scores)[key]:.2f}**" in said
    one, root, dk = (weight_change(scores, key, scale) for scale in (1, 1 / 2, 1 / 4))
    assert "A weight near 1 hardly changes: add 0.1 to this score" in said
    assert f"its weight grows by **${one:.2g}$**. Divided by $\\sqrt{{d_k}}$, it grows by **${root:.2g}$**" in said
    assert f"${one:.2g}$ after $\\div 1$, ${root:.2g}$ after $\\div\\sqrt{{d_k}}$, ${dk:.2g}$ after" in said
    assert root > 2 * one
    assert root > dk


@pytest.mark.parametrize("name", EXAMPLES)
def test_saturation_is_claimed_only_where_undivided_moves_less(name):
    scores, _, key = row_with_greatest_weight(name)
    less = weight_change(scores, key, 1) < weight_change(scores, key, example(name).w_q.shape[1] ** -0.5)
    said = page_text(open_page("scaling", example=name))
    assert ("A weight near 1 hardly changes" in said) == less
    assert ("Here the scores are small enough" in said) != less


def test_the_condition_stands_with_the_claim():
    condition = f"Suppose that all features have mean 0 and a {define('variance')} of 1, and that they are independent."
    assert condition in page_text(open_page("scaling"))


def test_one_token_is_followed_under_three_divisors():
    (shown,) = [lines for key, lines in equations(open_page("scaling")).items() if key.endswith("divided")]
    rows = [item for line in shown for item in line["items"] if "id" in item]
    assert [item["onlyRow"] for item in rows] == [4] * 6
    assert [item["id"] for item in rows[::2]] == ["scaled_one", "scaled_root", "scaled_dk"]


def test_the_picture_has_its_dots_on_its_lines():
    values, lines, score, dots = weight_curves(example("story"))
    assert values[0] < score < values[-1]
    for divisor, weights in lines.items():
        assert np.interp(score, values, weights) == pytest.approx(dots[divisor], abs=1e-3)
        assert (np.diff(weights) > 0).all()


def test_scores_that_are_all_alike_leave_the_page_standing():
    app = open_page("scaling", w_q="0,0,0,0;0,0,0,0;0,0,0,0;0,0,0,0;0,0,0,0;0,0,0,0")
    assert not app.exception
    assert "Here the scores are small enough" in page_text(app)


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("name", ["story", "hand"])
def test_the_code_nudges_the_same_score(name, columns):
    scores, _, key = row_with_greatest_weight(name)
    *_, (_, names) = run(code(KINDS["scaling"](), example(name)), columns)
    for divisor, scale in (("one", 1), ("root", 1 / 2), ("dk", 1 / 4)):
        assert names[f"moved_{divisor}"] == pytest.approx(weight_change(scores, key, scale))


@pytest.mark.parametrize("name", EXAMPLES)
def test_dividing_by_d_k_goes_too_far_only_where_it_moves_less_than_the_root(name):
    scores, _, key = row_with_greatest_weight(name)
    d_k = example(name).w_q.shape[1]
    less = weight_change(scores, key, 1 / d_k) < weight_change(scores, key, d_k**-0.5)
    said = page_text(open_page("scaling", example=name))
    assert ("is too much" in said) == less
    assert ("These scores are larger than" in said) != less


def test_a_token_that_looks_at_itself_is_not_named_twice():
    assert "without division, “mice” attends to itself with **0.9" in page_text(open_page("scaling", example="hand"))
    assert "“mice” attends to itself with **0.80** of its unit" in page_text(open_page("softmax_axes", example="hand"))
