"""Test "Check my matrix" with a text that can be read in several ways: each reading is shown, with a button."""

import numpy as np
import pytest

from attention_core.reading.matrix_text import read_matrix
from attention_core.reading.written import MOST_READINGS
from matrix_texts import TEXTS, TRUE
from pages.check_my_matrix.reading import to_latex
from simulating import link_of, open_page, visit_of

pytestmark = pytest.mark.lowest
COMMAS = "5,15, 3,43\n1,25, 0,5"


def choices(app):
    """Return the buttons with which the visitor chooses one of several possible readings of the text."""
    return [button for button in app.button if button.label[:1].isdigit()]


def shown_matrices(app):
    return [text.value for text in app.markdown if "bmatrix" in text.value]


def test_each_reading_is_a_matrix_with_a_button():
    app = open_page("check_my_matrix", example="hand", answer=COMMAS)
    assert [button.label for button in choices(app)] == [
        "1. Commas are decimal points, 2×2",
        "2. Commas stand between numbers, 2×4",
    ]
    assert shown_matrices(app) == [
        "$$\n\\begin{bmatrix} 5.15 & 3.43 \\\\ 1.25 & 0.5 \\end{bmatrix}\n$$",
        "$$\n\\begin{bmatrix} 5 & 15 & 3 & 43 \\\\ 1 & 25 & 0 & 5 \\end{bmatrix}\n$$",
    ]
    assert "It must be clear what a comma means" in app.info[0].value
    assert len(app.error) == 0


def test_one_press_takes_a_reading_into_the_area_and_the_link():
    app = choices(open_page("check_my_matrix", example="hand", answer=COMMAS))[1].click().run()
    assert not app.exception
    assert app.text_area[0].value == "5 15 3 43\n1 25 0 5"
    assert link_of(app)["answer"] == "5 15 3 43\n1 25 0 5"
    assert choices(app) == []
    assert "## No known mistake" in "\n".join(text.value for text in app.markdown)


@pytest.mark.parametrize(
    ("name", "place", "meant"), [("octave-two", 1, "exponents"), ("pandas-json-index", 1, "small")]
)
def test_a_real_print_out_is_asked_about_and_taken(name, place, meant):
    app = choices(open_page("check_my_matrix", answer=TEXTS[name]))[place].click().run()
    taken = read_matrix(visit_of(app).parameters.answer)
    np.testing.assert_allclose(taken.values, TRUE[meant], atol=1e-3)


def test_every_text_field_offers_its_own_readings():
    app = open_page("check_my_matrix", source="scores", own_scores=COMMAS, answer="[1 2\n 3 4]")
    assert len(choices(app)) == 2  # the scores are missing, so nothing is asked about the result yet
    app = choices(app)[0].click().run()
    assert visit_of(app).parameters.own_scores == "5.15 3.43\n1.25 0.5"
    assert [button.label for button in choices(app)] == ["1. A row for each line, 2×2", "2. All in one row, 1×4"]


def test_names_that_are_markup_and_many_readings():
    text = "\n\n".join(f"$q.{i}\n1 2\n" for i in range(30))
    app = open_page("check_my_matrix", answer=text)
    assert not app.exception
    labels = [button.label for button in choices(app)]
    assert len(labels) == MOST_READINGS
    assert labels[0] == "1. “\\$q\\.0”, 1×2"


def test_a_part_that_cannot_be_read_is_not_offered():
    app = open_page("check_my_matrix", answer="1 2\n3 4\n\n5 x\n7 8")
    assert [button.label for button in choices(app)] == ["1. Matrix 1, 2×2"]


def test_a_large_matrix_is_cut():
    assert to_latex(np.ones((5, 5))).count(r"\cdots") == 4
    assert to_latex(np.ones((5, 5))).count(r"\vdots") == 5
    # the numbers are long, so only 3 columns are shown
    assert to_latex(np.full((4, 4), -0.125)) == to_latex(np.full((4, 9), -0.125))
    assert r"\cdots" not in to_latex(np.full((4, 4), 0.5))


def test_a_batch_of_heads_is_asked_for_its_batch_and_its_head():
    heads = np.arange(2 * 8 * 4.0).reshape(2, 8, 2, 2)
    app = open_page("check_my_matrix", answer=f"tensor({heads.tolist()})")
    batch, head = (
        next(box for box in app.selectbox if box.label == label) for label in ("Which batch?", "Which head?")
    )
    assert (batch.options, head.options[-1]) == (["1 of 2", "2 of 2"], "8 of 8")
    app = batch.set_value(2).run()
    app = next(box for box in app.selectbox if box.label == "Which head?").set_value(7).run()
    (take,) = [button for button in app.button if button.label == "Take this matrix"]
    taken = read_matrix(visit_of(take.click().run()).parameters.answer)
    np.testing.assert_array_equal(taken.values, heads[1, 6])


def test_what_cannot_be_read_says_where_and_offers_a_reading():
    app = open_page("check_my_matrix", answer="O.5 2\n0.6 3")
    assert app.error[0].value.startswith("Line 1, column 1: A cell must hold one number")
    assert [button.label for button in choices(app)] == ["1. With 0 for O and 1 for l, 2×2"]
    assert visit_of(choices(app)[0].click().run()).parameters.answer == "0.5 2\n0.6 3"
    app = open_page("check_my_matrix", answer="As you see:\n1 2\n3 4\nand so on, x 3")
    assert [button.label for button in choices(app)] == ["1. Lines 2 to 3 alone, 2×2"]
    assert choices(open_page("check_my_matrix", answer="the cat")) == []
