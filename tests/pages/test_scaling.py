"""Test the page of scaling: its numbers, its measurements, its link, and its text if the assumption fails."""

import re

import numpy as np
import pytest
from scipy.special import softmax

from attention_core.examples import EXAMPLES, example
from attention_core.experiments.scores import Spread
from lit_cells import lit_by, sent_equations
from pages.scaling.code import code
from pages.scaling.lesson import spread_text, weight_curves
from pages.shared.notation.glossary import define
from pages.shared.takehome.code import run
from pagesutil import KINDS
from simulating import (
    X_5,
    captions,
    equations,
    link_of,
    matrices,
    notices,
    open_page,
    page_text,
    press,
    visit_of,
    with_edit,
)


def fields(app, field="values"):
    """Return the entry `field` of the data of each matrix on the page, by the id of the matrix."""
    return {name: item[field] for name, item in matrices(app).items()}


def table(app, header):
    """Return the rows of a table on the page as lists of cells. `header` is the first column's title in this table."""
    found = re.search(rf"\| {re.escape(header)} \|.*?\n\|[^\n]*\n((?:\|[^\n]*\n?)+)", page_text(app))
    assert found
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].strip().splitlines()]


@pytest.mark.lowest
@pytest.mark.many
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_can_be_scaled(name, layout):
    assert not open_page("scaling", example=name, layout=layout).exception
    app = open_page("scaling", example=name, layout=layout, look="tokens")
    assert not app.exception
    shown = fields(app)
    trace = example(name).attention()
    assert shown["weights_root"] == pytest.approx(trace.weights)
    assert shown["output_root"][0] == pytest.approx(trace.output[0, :64])
    assert ", 0 change their order." in page_text(open_page("scaling", example=name, layout=layout, look="beliefs"))


@pytest.mark.lowest
def test_three_divisors_of_the_example_by_hand():
    shown = fields(open_page("scaling", example="hand", look="tokens"))
    assert [shown[f"scaled_{name}"][1] for name in ("one", "root", "dk")] == [[8, 2, 6], [4, 1, 3], [2, 0.5, 1.5]]
    weights = [shown[f"weights_{name}"][1] for name in ("one", "root", "dk")]
    assert np.array(weights) == pytest.approx(softmax([[8, 2, 6], [4, 1, 3], [2, 0.5, 1.5]], axis=1))


@pytest.mark.lowest
@pytest.mark.parametrize("name", ["one", "root", "dk"])
def test_each_divisor_lights_up_its_own(name):
    equations = sent_equations(open_page("scaling", example="hand", look="tokens"))
    assert {id for id, *_ in lit_by(equations, f"scaled_{name}", 0, 0)} == {"scores"}
    assert lit_by(equations, f"weights_{name}", 1, 0) == {(f"scaled_{name}", 1, j) for j in range(3)}
    assert {id for id, *_ in lit_by(equations, f"output_{name}", 0, 0)} == {f"weights_{name}", "v"}


@pytest.mark.lowest
def test_an_edit_reaches_all_three():
    before = fields(open_page("scaling"))
    after = fields(open_page("scaling", x=X_5))
    assert all(before[f"weights_{name}"] != after[f"weights_{name}"] for name in ("one", "root", "dk"))


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("scaled_one.1.0", "times the scale"),
        ("scaled_root.1.0", "does not grow with"),
        ("scaled_dk.1.0", "divided by $d_k$ itself"),
    ],
)
def test_arithmetic_of_each_divisor(cell, said):
    assert said in page_text(open_page("scaling", cell=cell, look="tokens"))


@pytest.mark.lowest
@pytest.mark.parametrize("look", ["divided", "tokens", "draws", "weights", "beliefs"])
@pytest.mark.parametrize("name", ["book", "story"])
def test_no_notebook_is_named_but_in_the_sources(look, name):
    app = open_page("scaling", example=name, look=look, distribution="uniform")
    assert "notebook" not in page_text(app)
    assert "Course notebooks 000 and 001" in captions(app)


# --- the measurements ---


@pytest.mark.lowest
def test_the_assumption_holds_for_the_normal():
    said = page_text(open_page("scaling", look="draws"))
    assert "**Predicted spread** $\\sqrt{64}$ = 8, around 0." in said
    assert "chance alone can explain this" in said
    assert "**The assumption holds in this measurement:**" in said


@pytest.mark.lowest
def test_uniform_numbers_do_as_in_notebook_004():
    said = page_text(open_page("scaling", look="draws", distribution="uniform", draws="100000"))
    average = re.search(r"the mean of the scaled scores is \*\*([\d,]+)\*\*", said)
    assert average
    assert abs(float(average[1].replace(",", "")) - 2048) < 20
    assert re.search(r"In \*\*9[89]%\*\* of runs a row attends to one key with more than 0.9", said)
    assert re.search(r"in 9[89]% all ten rows attend most to the same key", said)
    assert "**The mean of a feature is 16.0" in said
    assert "no divisor helps" in page_text(open_page("scaling", look="weights", distribution="uniform"))


@pytest.mark.lowest
def test_correlated_names_the_correlation_alone():
    said = page_text(open_page("scaling", look="draws", distribution="correlated", correlation="0.5"))
    broken = said[said.index("**The assumption does not hold.**") : said.index("These parts hold")]
    assert re.findall(r"\*\*(How [^.]+?) is ", broken) == [
        "How far a feature of a query rises and falls with that of its key"
    ]
    assert "a real match" in page_text(open_page("scaling", look="weights", distribution="correlated"))
    assert "**The assumption holds in this measurement:**" in page_text(
        open_page("scaling", look="draws", distribution="correlated", correlation="0")
    )


@pytest.mark.lowest
@pytest.mark.parametrize("distribution", ["normal", "uniform", "correlated"])
@pytest.mark.parametrize("d_k", ["1", "1024"])
def test_the_ends_of_the_sliders(distribution, d_k):
    assert not open_page("scaling", look="draws", distribution=distribution, d_k=d_k, draws="100").exception
    app = open_page("scaling", look="weights", distribution=distribution, d_k=d_k, draws="100")
    assert not app.exception
    assert [row[0] for row in table(app, f"at $d_k$ = {d_k}")] == ["÷ 1", r"÷ $\sqrt{d_k}$", "÷ $d_k$"]


@pytest.mark.lowest
@pytest.mark.parametrize("d_k", [1, 64, 1024])
@pytest.mark.parametrize("distribution", ["normal", "uniform", "correlated"])
def test_a_row_of_random_scores_is_divided_by_each_divisor(distribution, d_k):
    m = matrices(open_page("scaling", look="draws", distribution=distribution, d_k=str(d_k)))
    scores = np.array(m["drawn"]["values"])
    for name, divisor in (("one", 1), ("root", d_k**0.5), ("dk", d_k)):
        found = m[f"weights_drawn_{name}"]["values"]
        np.testing.assert_allclose(found, softmax(scores / divisor, axis=-1), rtol=0, atol=1e-12)


def test_draw_again_is_in_the_link():
    app = open_page("scaling", look="draws", seed="7")
    before = page_text(app)
    app = press(app, "Draw again")
    assert link_of(app)["seed"] == "8"
    assert page_text(app) != before
    app = open_page("scaling", look="draws", seed="9999")  # this is the last seed, and the first seed follows it
    app = press(app, "Draw again")
    assert "seed" not in link_of(app)


@pytest.mark.lowest
def test_a_link_restores_the_laboratory():
    link = {"distribution": "correlated", "d_k": "256", "draws": "300", "correlation": "0.9", "seed": "5"}
    app = open_page("scaling", **link)
    parameters = visit_of(app).parameters
    assert (parameters.d_k, parameters.draws, parameters.correlation, parameters.seed) == (256, 300, 0.9, 5)
    assert link_of(app) == link


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("link", "rule"),
    [
        ({"d_k": "3"}, "one of 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024"),
        ({"draws": "1e9"}, "one of 100, 300, 1000"),
        ({"seed": "-1"}, "0 to 9999 in steps of 1"),
        ({"distribution": "cauchy"}, "one of normal, uniform, correlated"),
    ],
)
def test_bad_links_say_so(link, rule):
    app = open_page("scaling", look="draws", **link)
    assert rule in notices(app)
    assert "**Predicted spread** $\\sqrt{64}$" in page_text(app)


# --- beliefs ---


@pytest.mark.lowest
def test_no_divisor_changes_the_order_of_weights():
    rows = table(open_page("scaling", example="hand", look="beliefs"), r"key | score | ÷ 1 | ÷ $\sqrt{d_k}$")
    assert [row[0] for row in rows] == ["cats", "mice", "chase"]
    assert [row[2] for row in rows] == ["0.8789", "0.1189", "0.0022"]
    for column in zip(*[map(float, row[1:]) for row in rows], strict=True):
        assert list(column) == sorted(column, reverse=True)


@pytest.mark.lowest
def test_dividing_by_root_d_k_does_not_prevent_overflow():
    rows = table(open_page("scaling", example="hand", look="beliefs"), "key | score | plain softmax, ÷ 1")
    assert rows == [
        ["cats", "80,000", "NaN", "NaN", "1"],
        ["chase", "20,000", "NaN", "NaN", "0"],
        ["mice", "60,000", "NaN", "NaN", "0"],
    ]


@pytest.mark.lowest
def test_scores_that_cannot_overflow_claim_nothing():
    app = open_page("scaling", example="hand", look="beliefs", w_q="0,0,0,0;0,0,0,0;0,0,0,0;0,0,0,0;0,0,0,0")
    assert not app.exception
    assert "too small to overflow" in page_text(app)


@pytest.mark.lowest
@pytest.mark.parametrize("mistake", ["not_scaled", "divided_by_d_k", "divided_by_root_d_model", "divided_by_root_n"])
def test_each_mistake_changes_the_output(mistake):
    assert "The output is off by up to" in page_text(open_page("scaling", mistake=mistake))


@pytest.mark.lowest
def test_hostile_numbers_leave_the_page_standing():
    app = open_page("scaling", example="hand", x="10000,10000,10000,10000,10000;-10000,0,0,0,0;0,0,0,0,0")
    assert not with_edit(app, {"kind": "select", "place": ["weights_one", 0, 0]}).exception


@pytest.mark.lowest
def test_one_run_says_that_its_error_is_unknown():
    alone = Spread(100, 2.0, float("inf"), 3.0, float("inf"), 8.0)
    parameters = KINDS["scaling"]()
    assert "draw more" in spread_text(parameters, alone)
    assert "chance alone does not explain this" in spread_text(parameters, Spread(100, 2.0, 0.1, 9.0, 0.1, 8.0))


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
    assert f"its weight grows by **{one:.2g}**. Divided by $\\sqrt{{d_k}}$, it grows by **{root:.2g}**" in said
    assert f"{one:.2g} after $\\div 1$, {root:.2g} after $\\div\\sqrt{{d_k}}$, {dk:.2g} after" in said
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
