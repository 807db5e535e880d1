"""What is pasted never holds up a page: a text is read, or refused, in time that grows with its length alone."""

import time

import numpy as np
import pytest

from attention_core.reading.matrix_formats import MOST_SIDE
from attention_core.reading.matrix_text import read_matrix
from matrix_texts import FORMATS, attempt

LONG = 20_000
REPEATED = " \n\t,;[](){}/&\\-.1ex'·∞"
BEGUN = ["", "[", "[[[1]]", "[1 2]", "1\t", "\\begin{pmatrix}"]
PAIRS = [a + b for a in " \n,;[](){}/1" for b in " \n,;[](){}/1" if a != b]
ALTERNATING = [*PAIRS, "\\\\[", "float(", "\\text{", "·10^", "\\frac{", "\\begin{", "matrix", "Out[", "[1]\n", "]] [["]
SLOW_ONCE = {
    "lines": "1\n" * 99_000,
    "many lines": "1 2 3\n" * 10_000,
    "CSV": (",".join(["1"] * 40) + "\n") * 980,
    "a wrapper": "float(" + " " * LONG + "x(,1",
    "a wrapper in brackets": "[[float(" + " " * LONG + "'a'b)]]",
    "beside the brackets": "[1 2]" + " " * LONG + "1",
    "in a cell": "1" + " " * LONG + "2\t3",
    "in a cell of LaTeX": "\\begin{pmatrix}1" + " " * LONG + "2 & 3\\end{pmatrix}",
    "a power of ten": "1\t2·10^" + " " * LONG + "x",
    "a fraction": "1\t-" + " " * LONG + "\\frac" + " " * LONG + "x",
    "a rule": "1 |" + "-" * LONG + "x",
    "before a bar": " " * LONG + "x|",
    "a header of numbers": "1" + " " * LONG + "x\n---|",
    "cells of HTML": "<td>1" + "</td> " * (LONG // 6),
    "a third axis": "[[[1]]" + " " * LONG + "x]",
}


def quick(text):
    """Read it, or not, in the time that one core has for a page."""
    error = None
    for _ in range(3):  # a collection of garbage may fall into one of them
        start = time.process_time()
        _, error = attempt(text)
        if time.process_time() - start < 0.3:
            break
    else:
        pytest.fail(f"too slow thrice: {text[:40]}")
    assert error is None or len(str(error)) < 400


@pytest.mark.parametrize("text", SLOW_ONCE.values(), ids=SLOW_ONCE)
def test_a_text_is_read_in_time_that_grows_with_its_length_alone(text):
    quick(text)


@pytest.mark.parametrize("begun", BEGUN, ids=repr)
def test_any_repetition_is_read_quickly(begun):
    for repeated in [*REPEATED, *(ALTERNATING if begun == "" else [])]:
        quick(begun + repeated * (LONG // len(repeated)))
        if repeated not in PAIRS:
            quick(begun + repeated * (LONG // len(repeated)) + "x")


def test_the_largest_matrix():
    m = np.random.default_rng(0).normal(size=(MOST_SIDE, MOST_SIDE))
    for write in FORMATS.values():
        np.testing.assert_array_equal(read_matrix(write(m)).values, m)
