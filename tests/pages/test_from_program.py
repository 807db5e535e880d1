"""Test the lines that a visitor copies into a program to print its matrices.

"Check my matrix" reads all that they print, and calls it correct.
"""

import contextlib
import io
import re

import numpy as np
import pytest

from attention_core import attend, causal_mask
from checking import heading
from pages.check_my_matrix.entering import PROGRAMS
from serving import ROOT
from simulating import open_page, visit_of
from strategies import random_numbers

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
