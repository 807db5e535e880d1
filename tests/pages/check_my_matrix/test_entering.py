"""Test "Check my matrix" with a text that can be read in several ways: each reading is shown, with a button.

Also filling a matrix in, and results from a program.
"""

import contextlib
import io
import re

import numpy as np
import pytest

from attention_core import attend, causal_mask
from attention_core.reading.matrix_text import named_matrices, read_matrix, settings_in
from attention_core.reading.written import MOST_READINGS
from matrix_texts import TEXTS, TRUE
from pages.check_my_matrix import entering
from pages.check_my_matrix.entering import PROGRAMS
from pages.check_my_matrix.filling import fillings_of
from pages.check_my_matrix.reading import to_latex
from serving import ROOT
from simulating import captions, heading, link_of, open_page, page_text, visit_of, visitor_of
from strategies import random_numbers
from visiting import visiting

COMMAS = "5,15, 3,43\n1,25, 0,5"


def choices(app):
    """Return the buttons with which the visitor chooses one of several possible readings of the text."""
    return [button for button in app.button if button.label[:1].isdigit()]


def shown_matrices(app):
    return [text.value for text in app.markdown if "bmatrix" in text.value]


@pytest.mark.lowest
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


@pytest.mark.lowest
def test_one_press_takes_a_reading_into_the_area_and_the_link():
    app = choices(open_page("check_my_matrix", example="hand", answer=COMMAS))[1].click().run()
    assert not app.exception
    assert app.text_area[0].value == "5 15 3 43\n1 25 0 5"
    assert link_of(app)["answer"] == "5 15 3 43\n1 25 0 5"
    assert choices(app) == []
    assert "## No known mistake" in "\n".join(text.value for text in app.markdown)


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("name", "place", "meant"), [("octave-two", 1, "exponents"), ("pandas-json-index", 1, "small")]
)
def test_a_real_print_out_is_asked_about_and_taken(name, place, meant):
    app = choices(open_page("check_my_matrix", answer=TEXTS[name]))[place].click().run()
    taken = read_matrix(visit_of(app).parameters.answer)
    np.testing.assert_allclose(taken.values, TRUE[meant], atol=1e-3)


@pytest.mark.lowest
def test_every_text_field_offers_its_own_readings():
    app = open_page("check_my_matrix", source="scores", own_scores=COMMAS, answer="[1 2\n 3 4]")
    assert len(choices(app)) == 2  # the scores are missing, so nothing is asked about the result yet
    app = choices(app)[0].click().run()
    assert visit_of(app).parameters.own_scores == "5.15 3.43\n1.25 0.5"
    assert [button.label for button in choices(app)] == ["1. A row for each line, 2×2", "2. All in one row, 1×4"]


@pytest.mark.lowest
def test_names_that_are_markup_and_many_readings():
    text = "\n\n".join(f"$q.{i}\n1 2\n" for i in range(30))
    app = open_page("check_my_matrix", answer=text)
    assert not app.exception
    labels = [button.label for button in choices(app)]
    assert len(labels) == MOST_READINGS
    assert labels[0] == "1. “&#36;q&#46;0”, 1×2"


@pytest.mark.lowest
def test_a_part_that_cannot_be_read_is_not_offered():
    app = open_page("check_my_matrix", answer="1 2\n3 4\n\n5 x\n7 8")
    assert [button.label for button in choices(app)] == ["1. Matrix 1, 2×2"]


@pytest.mark.lowest
def test_a_large_matrix_is_cut():
    assert to_latex(np.ones((5, 5))).count(r"\cdots") == 4
    assert to_latex(np.ones((5, 5))).count(r"\vdots") == 5
    # the numbers are long, so only 3 columns are shown
    assert to_latex(np.full((4, 4), -0.125)) == to_latex(np.full((4, 9), -0.125))
    assert r"\cdots" not in to_latex(np.full((4, 4), 0.5))


@pytest.mark.lowest
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


@pytest.mark.lowest
def test_what_cannot_be_read_says_where_and_offers_a_reading():
    app = open_page("check_my_matrix", answer="O.5 2\n0.6 3")
    assert app.error[0].value.startswith("Line 1, column 1: A cell must hold one number")
    assert [button.label for button in choices(app)] == ["1. With 0 for O and 1 for l, 2×2"]
    assert visit_of(choices(app)[0].click().run()).parameters.answer == "0.5 2\n0.6 3"
    app = open_page("check_my_matrix", answer="As you see:\n1 2\n3 4\nand so on, x 3")
    assert [button.label for button in choices(app)] == ["1. Lines 2 to 3 alone, 2×2"]
    assert choices(open_page("check_my_matrix", answer="the cat")) == []


WHOLE = """X = [[1, 2], [0, 1]]
W_q = [[1, 0], [0, 1]]
W_k = [[2, 0], [0, 1]]
W_v = [[3, 0], [0, 1]]
scores = [[6, 2], [2, 1]]
weights = [[0.9, 0.1], [0.7, 0.3]]
output = [[3, 2], [2, 2]]
mask = causal
n_heads = 2
scale = 0.125"""


def fill_buttons(app):
    """Return the buttons of the page that put all matrices of a pasted text into their fields."""
    return [button for button in app.button if button.label.startswith("Fill all fields")]


@pytest.mark.lowest
def test_a_table_shows_which_matrix_fills_which_field():
    app = open_page("check_my_matrix", answer=WHOLE)
    assert not app.exception
    assert "| `W_k` | 3 | 2×2 | W_K |" in page_text(app)
    assert "| `weights` | 6 | 2×2 | Your attention weights |" in page_text(app)
    assert "| `mask = causal` | | | set |" in page_text(app)
    assert "| `scale = 0.125` | | | set |" in page_text(app)
    app = fill_buttons(app)[0].click().run()
    assert not app.exception
    filled = visit_of(app).parameters
    assert (filled.source, filled.asked, filled.mask, filled.heads, filled.steps) == (
        "weights", "output", "causal", "2", True,
    )  # fmt: skip
    assert filled.own_w_k == "[[2, 0], [0, 1]]"
    assert (filled.given_scores, filled.answer) == ("[[6, 2], [2, 1]]", "[[3, 2], [2, 2]]")


@pytest.mark.lowest
def test_queries_and_keys_are_a_problem_or_steps_of_the_example():
    app = open_page("check_my_matrix", answer="Q = [[1, 2]]\nK = [[3, 4]]\nV = [[5, 6]]\nweights = [[1]]")
    filled = visit_of(fill_buttons(app)[0].click().run()).parameters
    assert (filled.source, filled.own_q, filled.answer, filled.asked) == ("queries", "[[1, 2]]", "[[1]]", "weights")
    app = open_page("check_my_matrix", answer="Q = [[1, 2]]\nK = [[3, 4]]\nV = [[5, 6]]\nweights = [[1]]")
    filled = visit_of(fill_buttons(app)[1].click().run()).parameters
    assert (filled.source, filled.given_q, filled.own_q) == ("example", "[[1, 2]]", "")


@pytest.mark.lowest
def test_one_of_them_alone_can_be_taken():
    app = open_page("check_my_matrix", answer="Q = [[1, 2]]\nK = [[3, 4]]")
    (only,) = [button for button in app.button if button.label.startswith("2. ")]
    assert visit_of(only.click().run()).parameters.answer == "[[3, 4]]"


@pytest.mark.lowest
def test_a_field_that_is_pasted_into_is_filled_or_emptied():
    app = open_page("check_my_matrix", source="weights", own_x="Q = [[1, 2]]\nK = [[3, 4]]\nV = [[1, 2]]")
    filled = visit_of(fill_buttons(app)[0].click().run()).parameters
    assert (filled.own_x, filled.own_k) == ("", "[[3, 4]]")


def fillings(text, **link):
    """Return the offers to put the matrices of `text` into the page's fields."""
    parameters = visit_of(open_page("check_my_matrix", **link)).parameters
    return fillings_of(parameters, [each for each in named_matrices(text) if each.role], settings_in(text))


@pytest.mark.lowest
def test_a_matrix_that_comes_twice_is_put_into_no_field():
    text = "Q = [[1, 2]]\nK = [[3, 4]]\nQ = [[5, 6]]\nscores = [[1]]\nweights = [[1]]"
    assert all("q" not in filling.field_of_role for filling in fillings(text))
    assert fillings("Q = [[1, 2]]\nQ = [[5, 6]]\nK = [[1]]") == []


@pytest.mark.lowest
@pytest.mark.parametrize(("layout", "written"), [("rows", [[1, 3], [2, 4]]), ("columns", [[1, 2], [3, 4]])])
def test_the_weight_of_a_layer_is_written_as_the_layout_has_it(layout, written):
    text = "X = [[1, 2]]\nq_proj.weight = [[1, 2], [3, 4]]"
    filled = fillings(text, layout=layout)[0].values["own_w_q"]
    assert [
        [float(n) for n in row.strip("[] ,").replace(",", " ").split()]
        for row in filled.replace("], [", "\n").split("\n")
    ] == written


@pytest.mark.lowest
def test_weights_follow_from_what_softmax_received():
    text = "scores = [[2, 4]]\nscaled_scores = [[1, 2]]\nweights = [[0.27, 0.73]]"
    first = fillings(text)[0]
    assert (first.source, first.values["own_scores"], first.values["answer"]) == (
        "scores",
        "[[1, 2]]",
        "[[0.27, 0.73]]",
    )


@pytest.mark.lowest
def test_the_chosen_number_of_heads_decides_the_problem():
    text = "X = [[1, 2]]\nW_q = [[1, 0], [0, 1]]\noutput = [[1, 2]]"
    assert [fillings(text, heads=heads)[0].values["asked"] for heads in ("1", "2")] == ["output", "mixed"]


@pytest.mark.lowest
def test_a_mask_and_a_scale_go_to_the_setting():
    text = (
        "Q = [[1, 2], [3, 4]]\nK = [[1, 0], [0, 1]]\nmask = [[1, 0], [1, 1]]\nscale = 0.125\nscores = [[1, 2], [3, 4]]"
    )
    first = fillings(text)[0]
    assert first.field_of_role["mask"] == "own_mask"
    chosen = {name: first.values[name] for name in ("mask", "scale", "factor")}
    assert chosen == {"mask": "own", "scale": "own", "factor": "0.125"}
    assert "scale" not in fillings("Q = [[1, 2]]\nK = [[1, 0]]\nscale = none")[0].values


class Uploaded:
    """A file as Streamlit gives it to the app."""

    def __init__(self, name, content):
        self.name, self.content = name, content

    def getvalue(self):
        return self.content


def npz_file(**arrays):
    """Return the bytes of a `.npz` file with these arrays."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.fixture
def upload(monkeypatch):
    """Give the test a function that uploads a file on “Check my matrix”.

    It returns the text of the field, and the app.
    """

    def open_with(name, content, **link):
        app = open_page("check_my_matrix", **link)
        came = Uploaded(name, content)
        monkeypatch.setattr(entering.st, "session_state", {"matrix_file": came, "file_field": "answer"})
        with visiting(visitor_of(app)):
            entering._take_file()
        taken = visit_of(app).parameters.answer
        monkeypatch.undo()
        monkeypatch.setattr(entering.st, "file_uploader", lambda *given, **options: came)
        return taken, app.run()

    return open_with


@pytest.mark.lowest
def test_a_file_goes_into_its_field(upload):
    taken, app = upload("m.npz", npz_file(Q=np.eye(2), K=np.ones((2, 2))))
    assert not app.exception
    assert "m.npz` went to “Your result”" in captions(app)
    assert [each.role for each in named_matrices(taken)] == ["q", "k"]


@pytest.mark.lowest
def test_a_file_that_cannot_be_read_is_refused_and_changes_nothing(upload):
    taken, app = upload("m.npy", b"**no**", answer="[[1, 2]]")
    assert "A .npy file must be whole" in app.error[0].value
    assert taken == "[[1, 2]]"


@pytest.mark.lowest
def test_a_file_is_read_once_and_not_each_time_it_is_drawn(upload, monkeypatch):
    read = []
    monkeypatch.setattr(entering, "text_of_file", lambda name, content: read.append(name) or "[[1, 2]]")
    _, app = upload("m.csv", b"1,2")
    app.run()
    assert read == ["m.csv"]


PRINTED = {path.stem: path.read_text("utf-8") for path in ROOT.glob("tests/data/programs/*.txt")}


def page_filled_from(text):
    """Paste `text` as the result, press the button that puts its matrices into their fields, and return the page."""
    app = open_page("check_my_matrix")
    (field,) = [area for area in app.text_area if area.label == "Your result"]
    app = field.set_value(text).run()
    app = next(button for button in app.button if button.label.startswith("Fill all fields")).click().run()
    assert not app.exception
    return app


@pytest.mark.parametrize("name", PRINTED)
def test_what_pytorch_printed_is_right(name):
    assert heading(page_filled_from(PRINTED[name])) == "## Right"


@pytest.mark.many
@pytest.mark.parametrize("name", PRINTED)
def test_another_output_is_not_right(name):
    before, _, output = PRINTED[name].rpartition("output = ")
    wrong = re.sub(r"-?[0-9]+\.[0-9]+", "9.000000", output, count=1)
    assert wrong != output
    assert heading(page_filled_from(f"{before}output = {wrong}")) != "## Right"


def test_a_layer_with_rotary_positions_is_posed_whole():
    parameters = visit_of(page_filled_from(PRINTED["transformers"])).parameters
    posed = ("source", "asked", "heads", "kv_heads", "positions", "base", "mask", "scale")
    assert [getattr(parameters, name) for name in posed] == [
        "weights", "mixed", "4", "2", "rotary_halves", "10000.0", "causal", "usual",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["numpy", "jax"])
def test_what_numpy_prints_is_right(name):
    q, k, v = (random_numbers(5, 4, seed=seed) for seed in (1, 2, 3))
    names = {"np": np, "q": q, "k": k, "v": v, "output": attend(q, k, v, mask=causal_mask(5, 5)).output}
    printed = io.StringIO()
    with np.printoptions(), contextlib.redirect_stdout(printed):
        exec(PROGRAMS[name].code, names)
    assert heading(page_filled_from(printed.getvalue())) == "## Right"


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_lines_are_two_and_python(name):
    assert PROGRAMS[name].code.count("\n") == 1
    compile(PROGRAMS[name].code, name, "exec")


def test_the_lines_are_offered_where_the_result_is_pasted():
    assert [each for each in open_page("check_my_matrix").expander if each.label.startswith("From a program")]
