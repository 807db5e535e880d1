"""Test the page of softmax: why rows add up to 1, why it uses powers, what a temperature does, what overflow does."""

import json
import re
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy

from attention_core.examples import EXAMPLES, example
from pages.shared.charts import of_weights
from simulating import controls_in_panels, link_of, matrices, open_page, press

pytestmark = pytest.mark.lowest
CAT, DRANK, MILK, BECAUSE, IT = range(5)
SCORES = example("story").attention().scaled
ROWS, COLUMNS, WHOLE = softmax(SCORES, axis=1), softmax(SCORES, axis=0), softmax(SCORES)
TAKE_IT_OFF = "Subtract the maximum first"


def page_text(app):
    return "\n".join(each.value for each in app.markdown)


def shown_values(app, id):
    """Return the numbers of the matrix with this id on the page."""
    return np.array(matrices(app)[id]["values"], dtype=float)


# --- whose row, and why one unit ---


def test_it_opens_on_the_scores_of_the_story_with_its_tokens():
    board = matrices(open_page("softmax_axes"))
    tokens = ["cat", "drank", "milk", "because", "it"]
    assert board["scaled"]["values"] == SCORES.tolist()
    assert board["scaled"]["rowLabels"] == board["scaled"]["columnLabels"] == tokens
    assert board["weights_rows"]["values"] == pytest.approx(ROWS)


def test_the_reason_is_said_in_the_numbers_of_the_story():
    said = page_text(open_page("softmax_axes"))
    assert f"“it” attends to “cat” with **{ROWS[IT, CAT]:.2f}** of its unit" in said
    assert ROWS[IT, CAT] == ROWS.max()
    assert f"it receives only {ROWS[:, BECAUSE].sum():.2f} in total." in said
    assert ROWS[:, BECAUSE].sum() == ROWS.sum(axis=0).min() < 0.5
    assert COLUMNS[:, BECAUSE].sum() == pytest.approx(1)


@pytest.mark.parametrize("name", EXAMPLES)
def test_on_every_example_one_token_receives_less_than_the_unit_that_columns_would_force_on_it(name):
    given = re.search(
        r"it receives only ([\d.]+) in total", page_text(open_page("softmax_axes", example=name, digits="8"))
    )
    assert given
    assert float(given[1]) < 1


def test_with_tokens_as_columns_columns_ask():
    assert "Each column of scores belongs to **the token that asks**, each row to a token that answers." in page_text(
        open_page("softmax_axes", layout="columns")
    )


def test_with_tokens_as_columns_the_twelve_numbers_have_columns_that_attend_to_rows():
    said = page_text(open_page("softmax_axes", layout="columns", source="array"))
    assert "So each **column** must add up to 1: “column 2” attends to “row 3” with **0.98**" in said


def test_the_page_says_what_each_token_could_spend_with_other_axes():
    said = page_text(open_page("softmax_axes"))
    assert f"“drank” can spend {COLUMNS[DRANK].sum():.2f} units, and “milk” only {COLUMNS[MILK].sum():.2f}." in said
    assert [COLUMNS.sum(axis=1).argmax(), COLUMNS.sum(axis=1).argmin()] == [DRANK, MILK]
    assert f"“milk” can spend {WHOLE[MILK].sum():.2f} of it" in said
    assert WHOLE.sum(axis=1).argmin() == MILK


def test_a_share_too_small_for_the_screen_is_written_with_its_power_of_ten():
    said = page_text(open_page("softmax_axes", source="array"))
    assert re.search(r"“row 1” can spend \d\.\d+·10⁻. of it", said)


# --- why powers ---


def test_a_difference_of_scores_is_a_ratio_of_shares():
    said = page_text(open_page("softmax_axes", look="powers"))
    assert (
        "the score of “cat” is $3$ and that of “drank” is $1$, so “cat” has $e^{3 - 1} = 7.389$ times the weight"
        in said
    )
    assert ROWS[IT, CAT] / ROWS[IT, DRANK] == pytest.approx(np.exp(2))


def test_in_another_base_at_another_temperature_it_is_another_ratio():
    said = page_text(open_page("softmax_axes", look="powers", base="2", temperature="2", constant="50"))
    assert "that of “drank” is $1$, so “cat” has $2^{(3 - 1) / 2} = 2$ times the weight" in said


def test_scores_that_are_all_alike_have_no_ratio_to_show():
    app = open_page("softmax_axes", look="powers", source="array", scores="1,1,1,1;1,1,1,1;1,1,1,1")
    assert not app.exception
    assert "equal *ratios* of weights." in page_text(app)


def test_a_constant_changes_no_share():
    app = open_page("softmax_axes", look="powers", constant="710")
    assert "710 was added to every score, and no weight has changed." in page_text(app)
    assert shown_values(app, "weights_rows") == pytest.approx(ROWS)
    assert "except for rounding" in page_text(open_page("softmax_axes", look="powers", constant="710", source="array"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_column_that_is_raised_gets_more_of_each_row(name):
    scores = example(name).attention().scaled
    for key in range(scores.shape[1]):
        raised = scores + 0.5 * (np.arange(scores.shape[1]) == key)
        before, after = (softmax(each, axis=-1)[:, key] for each in (scores, raised))
        is_between = (before > 1e-12) & (before < 1 - 1e-12)  # weights of 0 or 1 do not change after rounding
        assert (after[is_between] > before[is_between]).all()
    assert "If only one column grows, every row attends more to that token." in page_text(
        open_page("softmax_axes", look="powers")
    )


# --- where shares are missing ---


@pytest.mark.parametrize("axis", ["rows", "columns", "whole"])
@pytest.mark.parametrize("look", ["axes", "powers", "temperature", "shares"])
def test_an_overflow_is_a_sentence_and_no_wall_of_nan(axis, look):
    app = open_page("softmax_axes", look=look, constant="710", subtract="off", axis=axis)
    assert not app.exception
    assert "**No weight is left.** $e^{713}$ is more than $1.798 \\cdot 10^{308}$" in page_text(app)
    assert all("nan" not in np.ravel(matrix["values"]).tolist() for matrix in matrices(app).values())


def test_one_press_takes_the_greatest_off():
    app = open_page("softmax_axes", constant="710", subtract="off")
    app = press(app, TAKE_IT_OFF)
    assert link_of(app) == {"constant": "710"}
    assert shown_values(app, "weights_rows") == pytest.approx(ROWS)
    assert TAKE_IT_OFF not in controls_in_panels(app)


def test_powers_that_round_to_nothing_are_named_as_well():
    said = page_text(open_page("softmax_axes", constant="-1000", subtract="off"))
    assert "**No weight is left.** Even their greatest power, $e^{-997}$" in said
    assert "0 ÷ 0 is NaN" in said


def test_where_one_row_overflows_the_others_stay():
    app = open_page("softmax_axes", source="array", constant="700", subtract="off")
    assert "**Some weights are missing.** $e^{713}$" in page_text(app)
    assert np.isnan(shown_values(app, "weights_rows")).any(axis=1).tolist() == [False, False, True]


# --- temperature ---


def test_a_temperature_is_said_in_the_numbers_of_it_and_cat():
    said = page_text(open_page("softmax_axes", look="temperature"))
    cold, hot = (softmax(SCORES[IT] / t)[CAT] for t in (0.5, 2))
    assert f"“it” attends to “cat” with {cold:.2f} at $T$ = ½, {ROWS[IT, CAT]:.2f} at 1 and {hot:.2f} at 2." in said
    assert f"about {cold * 100:.0f} of 100 draws at $T$ = ½, and in {hot * 100:.0f} at $T$ = 2" in said
    assert cold > ROWS[IT, CAT] > hot


def test_near_0_the_greatest_takes_all_and_far_above_1_all_get_alike():
    for name in EXAMPLES:
        scores = example(name).attention().scores
        scores = scores.reshape(-1, scores.shape[-1])
        cold, hot = softmax(scores / 1e-6, axis=-1), softmax(scores / 1e9, axis=-1)
        is_best = np.isclose(scores, scores.max(axis=-1, keepdims=True), rtol=0, atol=1e-9)
        np.testing.assert_allclose((cold * is_best).sum(axis=-1), 1)
        np.testing.assert_allclose(hot, 1 / scores.shape[-1], atol=1e-6)


def test_the_picture_stays_as_it_is_at_every_temperature(monkeypatch):
    drawn = []
    monkeypatch.setattr(of_weights, "draw", lambda data, *_, **__: drawn.append(data))
    open_page("softmax_axes", look="temperature", temperature="0.7")
    rows = dict.fromkeys(drawn[0]["query"])
    assert [row.split(" ", 1)[1] for row in rows] == [f"T = {t}" for t in (0.25, 0.5, 1, 2, 4)]
    assert drawn[0]["weight"][5:10] == pytest.approx(softmax(SCORES[IT] / 0.5))


def test_entropy_is_explained_where_it_stands():
    app = open_page("softmax_axes", look="temperature")
    assert f"$\\ln 5$ = {np.log(5):.2f} if all 5 weights are equal" in page_text(app)
    assert shown_values(app, "entropies_rows").ravel() == pytest.approx(entropy(ROWS, axis=1))
    assert "$\\ln 25$ = 3.22 if all 25" in page_text(open_page("softmax_axes", look="temperature", axis="whole"))


# --- bars ---


def drawn_bars(app) -> Any:
    """Return the data of the bars on the page as the browser receives them, or None if there are none."""
    drawn = [each.proto for each in app.get("bidi_component") if each.proto.component_name == "attention_lab_bars"]
    assert len(drawn) <= 1
    return json.loads(drawn[0].json)[0] if drawn else None


@pytest.mark.parametrize(
    ("link", "titles"),
    [
        ({}, ["it"]),  # its row has the greatest weight
        ({"cell": "weights_rows.1.0"}, ["drank"]),
        ({"cell": "entropies_rows.1.0", "look": "temperature"}, ["it"]),
        ({"axis": "columns", "cell": "powers_columns.1.0"}, ["cat"]),
        ({"look": "shares"}, ["cat", "drank", "milk", "because", "it"]),
        ({"source": "array"}, ["row 2"]),
        ({"source": "array", "scores": "1,0,0,99;1,-1,7,3;2,12,13,3"}, ["row 2"]),  # it stays while bars are dragged
        ({"source": "array", "axis": "columns", "look": "shares"}, [f"column {n}" for n in range(1, 5)]),
    ],
)
def test_the_rows_that_are_drawn_as_bars(link, titles):
    drawn = drawn_bars(open_page("softmax_axes", **link))
    assert [title["text"] for title in drawn["titles"]] == titles
    assert drawn["isEditable"] == (link.get("source") == "array")
    assert len(drawn["labels"]) == np.shape(drawn["scores"]["values"])[drawn["along"] == "rows"]


def test_weights_that_are_no_numbers_have_no_bars():
    assert drawn_bars(open_page("softmax_axes", constant="710", subtract="off")) is None
