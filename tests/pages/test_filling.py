"""Test "Check my matrix" with several named matrices in one text or file.

One press of a button puts each matrix into its field.
"""

import io

import numpy as np
import pytest

from attention_core.reading.matrix_text import named_matrices, settings_in
from pages.check_my_matrix import entering
from pages.check_my_matrix.filling import fillings_of
from simulating import captions, open_page, page_text, visit_of, visitor_of
from visiting import visiting

pytestmark = pytest.mark.lowest
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


def test_queries_and_keys_are_a_problem_or_steps_of_the_example():
    app = open_page("check_my_matrix", answer="Q = [[1, 2]]\nK = [[3, 4]]\nV = [[5, 6]]\nweights = [[1]]")
    filled = visit_of(fill_buttons(app)[0].click().run()).parameters
    assert (filled.source, filled.own_q, filled.answer, filled.asked) == ("queries", "[[1, 2]]", "[[1]]", "weights")
    app = open_page("check_my_matrix", answer="Q = [[1, 2]]\nK = [[3, 4]]\nV = [[5, 6]]\nweights = [[1]]")
    filled = visit_of(fill_buttons(app)[1].click().run()).parameters
    assert (filled.source, filled.given_q, filled.own_q) == ("example", "[[1, 2]]", "")


def test_one_of_them_alone_can_be_taken():
    app = open_page("check_my_matrix", answer="Q = [[1, 2]]\nK = [[3, 4]]")
    (only,) = [button for button in app.button if button.label.startswith("2. ")]
    assert visit_of(only.click().run()).parameters.answer == "[[3, 4]]"


def test_a_field_that_is_pasted_into_is_filled_or_emptied():
    app = open_page("check_my_matrix", source="weights", own_x="Q = [[1, 2]]\nK = [[3, 4]]\nV = [[1, 2]]")
    filled = visit_of(fill_buttons(app)[0].click().run()).parameters
    assert (filled.own_x, filled.own_k) == ("", "[[3, 4]]")


def fillings(text, **link):
    """Return the offers to put the matrices of `text` into the page's fields."""
    parameters = visit_of(open_page("check_my_matrix", **link)).parameters
    return fillings_of(parameters, [each for each in named_matrices(text) if each.role], settings_in(text))


def test_a_matrix_that_comes_twice_is_put_into_no_field():
    text = "Q = [[1, 2]]\nK = [[3, 4]]\nQ = [[5, 6]]\nscores = [[1]]\nweights = [[1]]"
    assert all("q" not in filling.field_of_role for filling in fillings(text))
    assert fillings("Q = [[1, 2]]\nQ = [[5, 6]]\nK = [[1]]") == []


@pytest.mark.parametrize(("layout", "written"), [("rows", [[1, 3], [2, 4]]), ("columns", [[1, 2], [3, 4]])])
def test_the_weight_of_a_layer_is_written_as_the_layout_has_it(layout, written):
    text = "X = [[1, 2]]\nq_proj.weight = [[1, 2], [3, 4]]"
    filled = fillings(text, layout=layout)[0].values["own_w_q"]
    assert [
        [float(n) for n in row.strip("[] ,").replace(",", " ").split()]
        for row in filled.replace("], [", "\n").split("\n")
    ] == written


def test_weights_follow_from_what_softmax_received():
    text = "scores = [[2, 4]]\nscaled_scores = [[1, 2]]\nweights = [[0.27, 0.73]]"
    first = fillings(text)[0]
    assert (first.source, first.values["own_scores"], first.values["answer"]) == (
        "scores",
        "[[1, 2]]",
        "[[0.27, 0.73]]",
    )


def test_the_chosen_number_of_heads_decides_the_problem():
    text = "X = [[1, 2]]\nW_q = [[1, 0], [0, 1]]\noutput = [[1, 2]]"
    assert [fillings(text, heads=heads)[0].values["asked"] for heads in ("1", "2")] == ["output", "mixed"]


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


def test_a_file_goes_into_its_field(upload):
    taken, app = upload("m.npz", npz_file(Q=np.eye(2), K=np.ones((2, 2))))
    assert not app.exception
    assert "m.npz` went to “Your result”" in captions(app)
    assert [each.role for each in named_matrices(taken)] == ["q", "k"]


def test_a_file_that_cannot_be_read_is_refused_and_changes_nothing(upload):
    taken, app = upload("m.npy", b"**no**", answer="[[1, 2]]")
    assert "A .npy file must begin with its shape" in app.error[0].value
    assert taken == "[[1, 2]]"
