"""Test the reading of real print-outs and walkthroughs: they give the correct numbers or are asked about.

A damaged or changed text is read, asked about or refused, but nothing else happens.
"""

import contextlib
import random
import re

import numpy as np
import pytest

from attention_core.reading.matrix_text import named_matrices, read_matrix, settings_in
from attention_core.reading.written import AmbiguousTextError, MatrixTextError
from matrix_texts import MANIFEST, TEXTS, TRUE, try_to_read
from serving import ROOT

DAMAGES = 30  # the number of damaged versions of each text
PIECES = [
    *"[](){};,.|&\\/\"'$%=:*eE+-01 \n\t\r\x00",
    "NA",
    "\\\\",
    "[,1]",
    "A =",
    "Columns 1 through 2:",
    "{",
    "\n\n",
    "1e999",
    "…",
]


def names_with(outcome):
    """Return the names of the print-outs whose entry in the manifest, the list of all print-outs, has `outcome`."""
    return [name for name, entry in MANIFEST.items() if outcome in entry]


def assert_is(read, name, within=None):
    """Check that `read`, a matrix that was read, has the numbers of the print-out `name`.

    `within` is the largest difference. By default it is half a unit of the last printed decimal.
    """
    assert read.values.shape == TRUE[name].shape
    bound = 0.5 * 10.0 ** -(read.decimals or 0) if within is None else within
    assert np.abs(read.values - TRUE[name]).max() <= bound + 1e-9


@pytest.mark.parametrize("name", names_with("matrix"))
def test_it_is_read_to_the_right_numbers(name):
    assert_is(read_matrix(TEXTS[name]), MANIFEST[name]["matrix"], MANIFEST[name].get("within"))


@pytest.mark.parametrize("name", names_with("asked"))
def test_it_is_asked_about_and_what_is_meant_is_among_the_readings(name):
    with pytest.raises(AmbiguousTextError) as caught:
        read_matrix(TEXTS[name])
    said = [reading.label for reading in caught.value.readings]
    assert len({*said}) == len(said) > 1
    readings = [
        values for reading in caught.value.readings for values, error in [try_to_read(reading.text)] if not error
    ]
    for meant in MANIFEST[name]["asked"]:
        fits = [values for values in readings if values.shape == TRUE[meant].shape]
        assert any(np.abs(values - TRUE[meant]).max() <= 1e-3 for values in fits), meant


@pytest.mark.parametrize("name", names_with("refused"))
def test_it_is_refused_with_the_reason(name):
    with pytest.raises(MatrixTextError, match=MANIFEST[name]["refused"]):
        read_matrix(TEXTS[name])


def damage_text(text, chance):
    """Return `text` after a few random accidents, such as a cut, a doubled part, or shuffled lines.

    `chance` is the random generator.
    """
    for _ in range(chance.randint(1, 4)):
        start, end = sorted(chance.randint(0, len(text)) for _ in range(2))
        part, lines = text[start : min(end, start + chance.choice((1, 3, 40)))], text.split("\n")
        chance.shuffle(lines)
        text = chance.choice(
            (
                text[:start] + text[start + len(part) :],
                text[:start] + part + text[start:],
                text[:start] + chance.choice(PIECES) + text[start:],
                text[start:],
                text[:end],
                "\n".join(lines),
                text + chance.choice(("", "\n", "\n\n")) + chance.choice([*TEXTS.values()]),
                text.replace(chance.choice(PIECES), chance.choice(PIECES)),
            )
        )
    return text


@pytest.mark.many
@pytest.mark.parametrize("name", TEXTS)
def test_a_damaged_text_is_a_matrix_or_refused_with_its_place(name):
    chance = random.Random(name)
    for _ in range(DAMAGES):
        text = damage_text(TEXTS[name], chance)
        values, error = try_to_read(text)
        assert values.ndim == 2
        if error:
            assert str(error).startswith(f"Line {error.line}, column {error.column}: ")
            assert re.search(r", but .+\. [A-Z]", str(error), re.DOTALL)
            assert 1 <= error.line <= text.count("\n") + text.count("\r") + 1


# --- formats whose tools are not at hand, and rules ---


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("2×2 adjoint(::Matrix{Float64}) with eltype Float64:\n 1.0  -2.5\n 0.0   0.001", [[1, -2.5], [0, 0.001]]),
        ("2×2 Matrix{Int64}:\n 1  2\n 3  4", [[1, 2], [3, 4]]),
        ("[1.0 -2.5; 0.0 0.001]", [[1, -2.5], [0, 0.001]]),
        ("[1, 2\n 3, 4]", [[1, 2], [3, 4]]),
        ("array([1, 2,\n       3, 4])", [[1, 2, 3, 4]]),
        ("[[1 2\n  3 4]]", [[1, 2, 3, 4]]),
        ("A =\n\n   1.0e+03 *\n\n    0.0010    1.2000\n\n", [[1, 1200]]),
        (
            "  Columns 1 through 2\n\n     1     2\n     3     4\n\n  Column 3\n\n     5\n     6\n",
            [[1, 2, 5], [3, 4, 6]],
        ),
        ("m <- matrix(c(1, 2, 3, 4), nrow = 2, byrow = TRUE)", [[1, 2], [3, 4]]),
        ("matrix(1:4, ncol = 2)", [[1, 3], [2, 4]]),
        ('{"result": {"data": [[1, 2.50]]}, "shape": [1, 2]}', [[1, 2.5]]),
    ],
)
def test_more_of_julia_matlab_r_and_json(text, rows):
    np.testing.assert_array_equal(read_matrix(text).values, rows)


@pytest.mark.parametrize(
    ("text", "message", "said"),
    [
        (
            "[1 2\n 3 4]",
            "whether each line is a row, but one bracket holds 2",
            ["A row for each line", "All in one row"],
        ),
        ("5,15, 3,43", "what a comma means", ["Commas are decimal points", "Commas stand between numbers"]),
        ("| 1 |\n|---|\n| 3 |", "what the header is", ["The first line is a row", "The first line is a header"]),
        (
            "1 2\n3 4\n\n5 6\n7 8",
            "Only one matrix can be read at a time",
            ["Matrix 1", "Matrix 2", "All lines as one matrix"],
        ),
        ("q =\n\n 1 2\n\nk =\n\n 3 4\n", "Only one matrix can be read at a time", ["“q”", "“k”"]),
        ("the cat\nx 1 2\nmouse\nx 3\n", "but here a second head begins", ["Matrix 1", "Matrix 2", "All side by side"]),
        ("\\begin{matrix}1\\end{matrix}\\begin{matrix}2\\end{matrix}", "Only one matrix", ["Matrix 1", "Matrix 2"]),
    ],
)
def test_what_may_be_meant_in_several_ways_says_which(text, message, said):
    with pytest.raises(AmbiguousTextError, match=message) as caught:
        read_matrix(text)
    assert [reading.label for reading in caught.value.readings] == said
    assert all(read_matrix(reading.text).values.size for reading in caught.value.readings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "     [,1] [,2]\n[1,] 1 2\n[2,] 3 4\n     [,3]\n[1,] 5\n",
            "Blocks of columns .* the same rows, but this block has 1",
        ),
        (
            "   a  \\\nx  1\ny  2\n   b\nx  3\nz  4",
            "the same rows, but this block has 2 .* or their labels differ",
        ),
        ('{"a": 1}', "A matrix in JSON is a list of rows, but this text has none. Write"),
        ('{"data": [[1, null]]}', "A cell must hold one number, but this cell holds “null”"),
        ("structure(c(1, NA), dim = 1:2)", "A cell must hold one number, but this cell holds “NA”"),
    ],
)
def test_what_does_not_fit_is_refused(text, message):
    with pytest.raises(MatrixTextError, match=message):
        read_matrix(text)


# --- the reading of walkthroughs and programs that are changed at random ---

DATA = ROOT / "tests" / "data"
WHOLE_TEXTS = {
    path.stem: path.read_text("utf-8") for part in ("walkthroughs", "programs") for path in DATA.glob(f"{part}/*.txt")
}
MANY = 40  # the number of changes that are tried on each text, about 600 in all
ODD = "[](){},;:=|&\\$#%>~≈→ \t\n'\"`∞-+eE.0123456789QKVWx_\r"


def roles_and_numbers(text):
    """Return the role ("q", "weights", …) and the numbers of each matrix that is found in `text`."""
    return [(each.role, each.matrix.values) for each in named_matrices(text) if each.role]


def assert_same(found, expected):
    """Check that two lists of (role, numbers) hold the same roles and the same numbers, in the same order."""
    assert [role for role, _ in found] == [role for role, _ in expected]
    for (_, values), (_, right) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(values, right)


@pytest.mark.parametrize("name", WHOLE_TEXTS)
def test_blanks_and_ends_of_lines_change_nothing(name):
    text, expected = WHOLE_TEXTS[name], roles_and_numbers(WHOLE_TEXTS[name])
    assert_same(roles_and_numbers(text.replace("\n", "\r\n")), expected)
    assert_same(roles_and_numbers(text.replace(" ", "\u00a0")), expected)
    assert_same(roles_and_numbers("\n".join(f"    {line}" for line in text.split("\n"))), expected)


def change_text(text, draw):
    """Return `text` with one random change: cut off, lines shuffled, a line doubled, or characters added or removed.

    `draw` is the random generator.
    """
    lines, kind = text.split("\n"), draw.randrange(5)
    if kind == 0:
        return text[: draw.randrange(len(text))]
    if kind == 1:
        draw.shuffle(lines)
    elif kind == 2:
        lines.insert(draw.randrange(len(lines)), draw.choice(lines))
    else:
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(text))
            text = text[:place] + (draw.choice(ODD) + text[place:] if kind == 3 else text[place + 1 :])
        return text
    return "\n".join(lines)


@pytest.mark.many
@pytest.mark.parametrize("name", WHOLE_TEXTS)
def test_a_changed_text_is_read_or_asked_about(name):
    draw = random.Random(name)
    for _ in range(MANY):
        text = change_text(WHOLE_TEXTS[name], draw)
        assert all(values.ndim == 2 and values.size for _, values in roles_and_numbers(text))
        settings_in(text)
        # the text was asked about or refused; any other error fails the test
        with contextlib.suppress(MatrixTextError):
            read_matrix(text)
