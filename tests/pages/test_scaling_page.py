"""Test the page of scaling: its numbers, its measurements, its link, and its text if the assumption fails."""

import re

import numpy as np
import pytest
from scipy.special import softmax

from attention_core.examples import EXAMPLES, example
from attention_core.experiments.scores import Spread
from lit_cells import lit_by, sent_equations
from pages.scaling.lesson import spread_text
from simulating import X_5, captions, link_of, matrices, notices, open_page, page_text, visit_of, with_edit

pytestmark = pytest.mark.lowest


def fields(app, field="values"):
    """Return the entry `field` of the data of each matrix on the page, by the id of the matrix."""
    return {name: item[field] for name, item in matrices(app).items()}


def table(app, header):
    """Return the rows of a table on the page as lists of cells. `header` is the first column's title in this table."""
    found = re.search(rf"\| {re.escape(header)} \|.*?\n\|[^\n]*\n((?:\|[^\n]*\n?)+)", page_text(app))
    assert found
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].strip().splitlines()]


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


def test_three_divisors_of_the_example_by_hand():
    shown = fields(open_page("scaling", example="hand", look="tokens"))
    assert [shown[f"scaled_{name}"][1] for name in ("one", "root", "dk")] == [[8, 2, 6], [4, 1, 3], [2, 0.5, 1.5]]
    weights = [shown[f"weights_{name}"][1] for name in ("one", "root", "dk")]
    assert np.array(weights) == pytest.approx(softmax([[8, 2, 6], [4, 1, 3], [2, 0.5, 1.5]], axis=1))


@pytest.mark.parametrize("name", ["one", "root", "dk"])
def test_each_divisor_lights_up_its_own(name):
    equations = sent_equations(open_page("scaling", example="hand", look="tokens"))
    assert {id for id, *_ in lit_by(equations, f"scaled_{name}", 0, 0)} == {"scores"}
    assert lit_by(equations, f"weights_{name}", 1, 0) == {(f"scaled_{name}", 1, j) for j in range(3)}
    assert {id for id, *_ in lit_by(equations, f"output_{name}", 0, 0)} == {f"weights_{name}", "v"}


def test_an_edit_reaches_all_three():
    before = fields(open_page("scaling"))
    after = fields(open_page("scaling", x=X_5))
    assert all(before[f"weights_{name}"] != after[f"weights_{name}"] for name in ("one", "root", "dk"))


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


@pytest.mark.parametrize("look", ["divided", "tokens", "draws", "weights", "beliefs"])
@pytest.mark.parametrize("name", ["book", "story"])
def test_no_notebook_is_named_but_in_the_sources(look, name):
    app = open_page("scaling", example=name, look=look, distribution="uniform")
    assert "notebook" not in page_text(app)
    assert "Course notebooks 000 and 001" in captions(app)


# --- the measurements ---


def test_the_assumption_holds_for_the_normal():
    said = page_text(open_page("scaling", look="draws"))
    assert "**Predicted spread** $\\sqrt{64}$ = 8, around 0." in said
    assert "chance alone can explain this" in said
    assert "**The assumption holds in this measurement:**" in said


def test_uniform_numbers_do_as_in_notebook_004():
    said = page_text(open_page("scaling", look="draws", distribution="uniform", draws="100000"))
    average = re.search(r"the mean of the scaled scores is \*\*([\d,]+)\*\*", said)
    assert average
    assert abs(float(average[1].replace(",", "")) - 2048) < 20
    assert re.search(r"In \*\*9[89]%\*\* of runs a row attends to one key with more than 0.9", said)
    assert re.search(r"in 9[89]% all ten rows attend most to the same key", said)
    assert "**The mean of a feature is 16.0" in said
    assert "no divisor helps" in page_text(open_page("scaling", look="weights", distribution="uniform"))


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


@pytest.mark.parametrize("distribution", ["normal", "uniform", "correlated"])
@pytest.mark.parametrize("d_k", ["1", "1024"])
def test_the_ends_of_the_sliders(distribution, d_k):
    assert not open_page("scaling", look="draws", distribution=distribution, d_k=d_k, draws="100").exception
    app = open_page("scaling", look="weights", distribution=distribution, d_k=d_k, draws="100")
    assert not app.exception
    assert [row[0] for row in table(app, f"at $d_k$ = {d_k}")] == ["÷ 1", r"÷ $\sqrt{d_k}$", "÷ $d_k$"]


def test_draw_again_is_in_the_link():
    app = open_page("scaling", look="draws", seed="7")
    before = page_text(app)
    next(button for button in app.button if button.label == "Draw again").click().run()
    assert link_of(app)["seed"] == "8"
    assert page_text(app) != before
    app = open_page("scaling", look="draws", seed="9999")  # this is the last seed, and the first seed follows it
    next(button for button in app.button if button.label == "Draw again").click().run()
    assert "seed" not in link_of(app)


def test_a_link_restores_the_laboratory():
    link = {"distribution": "correlated", "d_k": "256", "draws": "300", "correlation": "0.9", "seed": "5"}
    app = open_page("scaling", **link)
    parameters = visit_of(app).parameters
    assert (parameters.d_k, parameters.draws, parameters.correlation, parameters.seed) == (256, 300, 0.9, 5)
    assert link_of(app) == link


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


def test_no_divisor_changes_the_order_of_weights():
    rows = table(open_page("scaling", example="hand", look="beliefs"), r"key | score | ÷ 1 | ÷ $\sqrt{d_k}$")
    assert [row[0] for row in rows] == ["cats", "mice", "chase"]
    assert [row[2] for row in rows] == ["0.8789", "0.1189", "0.0022"]
    for column in zip(*[map(float, row[1:]) for row in rows], strict=True):
        assert list(column) == sorted(column, reverse=True)


def test_dividing_by_root_d_k_does_not_prevent_overflow():
    rows = table(open_page("scaling", example="hand", look="beliefs"), "key | score | plain softmax, ÷ 1")
    assert rows == [
        ["cats", "80,000", "NaN", "NaN", "1"],
        ["chase", "20,000", "NaN", "NaN", "0"],
        ["mice", "60,000", "NaN", "NaN", "0"],
    ]


def test_scores_that_cannot_overflow_claim_nothing():
    app = open_page("scaling", example="hand", look="beliefs", w_q="0,0,0,0;0,0,0,0;0,0,0,0;0,0,0,0;0,0,0,0")
    assert not app.exception
    assert "too small to overflow" in page_text(app)


@pytest.mark.parametrize("mistake", ["not_scaled", "divided_by_d_k", "divided_by_root_d_model", "divided_by_root_n"])
def test_each_mistake_changes_the_output(mistake):
    assert "The output is off by up to" in page_text(open_page("scaling", mistake=mistake))


def test_hostile_numbers_leave_the_page_standing():
    app = open_page("scaling", example="hand", x="10000,10000,10000,10000,10000;-10000,0,0,0,0;0,0,0,0,0")
    assert not with_edit(app, {"kind": "select", "place": ["weights_one", 0, 0]}).exception


def test_one_run_says_that_its_error_is_unknown():
    alone = Spread(100, 2.0, float("inf"), 3.0, float("inf"), 8.0)
    assert "draw more" in spread_text(alone, 64)
    assert "chance alone does not explain this" in spread_text(Spread(100, 2.0, 0.1, 9.0, 0.1, 8.0), 64)
