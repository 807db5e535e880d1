"""Test the speed of reading pasted texts: the time grows in proportion to the length of the text."""

import re
import time
from itertools import product

import numpy as np
import pytest

from attention_core.reading.matrix_text import read_matrix
from attention_core.reading.source_text import matrix_in_r_source
from attention_core.reading.written import MOST_NUMBERS, MOST_READINGS, MOST_SIDE, AmbiguousTextError
from matrix_texts import FORMATS, try_to_read
from pumping import Use, grows_with_the_square, uses_in
from serving import ROOT

FILES = [
    *sorted(ROOT.glob("attention_core/reading/*.py")),
    *(ROOT / "pages/shared" / name for name in ("notation/prose.py", "lecture/claims.py", "lecture/course.py")),
    ROOT / "pages/check_my_matrix/reading.py",
]
MOST_SECONDS = 0.25  # seconds of computing time that a text with 64×64 numbers may take
REPEATED = [
    *" \n\t,;[](){}<>|&/\\-.:=\"'`$1aex·∞",
    "1 ",
    "a ",
    "a=",
    ", ",
    "; ",
    "[ ",
    "] ",
    "\n ",
    "1\n",
    "<td>",
    "1,1, ",
]
BEGUN = [
    "", "[", "[[[1]]", "[1 2]", "1\t", "1\n", "\\begin{pmatrix}", "\\begin{", "\\frac{1}{", "\\\\[", "structure(list(",
    "structure(c(1), dim", "x=", "x=c(", "Columns 1", "Columns 1 to 2", "[,1]", "2×2 ", "1.0e3", "1·10^", "float(",
    "<td>", '"', "`", ",", "---|", "1,1", '{"a":', "\\text{", "Out[",
]  # fmt: skip
ENDED = ["", "x", "\n1"]
SLOW_ONCE = {
    "CSV": lambda n: (",".join(["1"] * 40) + "\n") * (n // 80),
    "a wrapper in brackets": lambda n: "[[float(" + " " * n + "'a'b)]]",
    "in a cell of LaTeX": lambda n: "\\begin{pmatrix}1" + " " * n + "2 & 3\\end{pmatrix}",
    "a fraction": lambda n: "1\t-" + " " * n + "\\frac" + " " * n + "x",
    "a header of numbers": lambda n: "1" + " " * n + "x\n---|",
    "cells of HTML": lambda n: "<td>1" + "</td> " * (n // 6),
    "a third axis": lambda n: "[[[1]]" + " " * n + "x]",
    "matrices of LaTeX": lambda n: "\\begin{matrix}" * (n // 14) + "\\end{matrix}",
    "columns of R": lambda n: "structure(list(" + "a=1:999999," * (n // 11),
    "two blank lines": lambda n: "1 2\n3 4\n" + " " * n + "\n" + " " * n + "\n1 2",
}


@pytest.mark.long
@pytest.mark.many
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_pattern_grows_with_the_length_of_a_text(path):
    slow = [
        (use.pattern.pattern, use.method, begun, repeated)
        for use, begun, repeated in product(uses_in(path), BEGUN, REPEATED)
        if grows_with_the_square(use.apply_to, lambda n, b=begun, r=repeated: b + r * (n // len(r)) + "!")
    ]
    assert slow == []


@pytest.mark.long
@pytest.mark.many
@pytest.mark.parametrize("begun", BEGUN, ids=repr)
def test_every_repetition_is_read_in_time_that_grows_with_its_length(begun):
    for repeated, ended in product(REPEATED, ENDED):
        assert not grows_with_the_square(try_to_read, lambda n, r=repeated, e=ended: begun + r * (n // len(r)) + e), (
            repeated
        )


@pytest.mark.parametrize("text_of", SLOW_ONCE.values(), ids=SLOW_ONCE)
def test_what_was_slow_once_grows_with_its_length(text_of):
    assert not grows_with_the_square(try_to_read, text_of)


@pytest.mark.long
@pytest.mark.parametrize(
    ("pattern", "method", "text_of", "expected"),
    [
        (r"[\w.]+\s*=", "finditer", lambda n: "a" * n, True),
        (r" *:? *\Z", "match", lambda n: " " * n + "x", True),
        (r"(?<![\w.])[\w.]+\s*=", "finditer", lambda n: "a" * n, False),
    ],
)
def test_a_pattern_that_grows_with_the_square_is_noticed(pattern, method, text_of, expected):
    use = Use(re.compile(pattern), method)
    assert grows_with_the_square(use.apply_to, text_of) == expected


def test_an_error_holds_few_readings_and_few_columns_are_written_out():
    _, error = try_to_read("[[1, 2], [3, 4]]\n" * 1000)
    assert isinstance(error, AmbiguousTextError)
    assert len(error.readings) == MOST_READINGS
    assert len(matrix_in_r_source("structure(list(" + "a=1:999999," * 1000) or "") < 10 * (MOST_NUMBERS + MOST_SIDE + 1)


@pytest.mark.many
@pytest.mark.parametrize("shape", [(64, 64), (3, 512), (512, 8)])
def test_the_largest_matrices(shape):
    assert shape[0] * shape[1] <= MOST_NUMBERS
    m = np.random.default_rng(0).normal(size=shape)
    for write in FORMATS.values():
        np.testing.assert_array_equal(read_matrix(write(m)).values, m)


@pytest.mark.long
def test_a_large_matrix_is_read_at_once():
    m = np.random.default_rng(0).normal(size=(64, 64))
    for name, write in FORMATS.items():
        text, took = write(m), []
        for _ in range(3):
            began = time.process_time()
            read_matrix(text)
            took.append(time.process_time() - began)
        assert min(took) < MOST_SECONDS, name
