"""Test the reading of matrices from text: every format and table comes back, and an error says where the problem is."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.reading.matrix_text import MOST_CHARACTERS, read_matrix, write_matrix
from attention_core.reading.written import MatrixTextError
from matrix_texts import FORMATS, try_to_read
from notebooks import DATA
from notebooks import notebook_values as notebook_matrix
from strategies import law, matrices

TWO = [[1.0, -2.5], [0.0, 0.001]]
WRITTEN = {
    "NumPy, printed": "[[ 1.    -2.5  ]\n [ 0.     0.001]]",
    "NumPy, shown": "array([[ 1.   , -2.5  ],\n       [ 0.   ,  0.001]])",
    "NumPy, in code": "np.array([[1, -2.5], [0, 1e-3]], dtype=np.float32)",
    "NumPy 2, listed": "[[np.float64(1.0), np.float64(-2.5)], [np.float64(0.0), np.float64(0.001)]]",
    "NumPy, with its name and shape": "scores:\n[[ 1.    -2.5  ]\n [ 0.     0.001]]\n(2, 2)",
    "NumPy, row by row": "[ 1.  -2.5]\n[0.    0.001]",
    "a notebook's output": "Out[5]: array([[ 1.   , -2.5  ],\n       [ 0.   ,  0.001]])",
    "PyTorch": "tensor([[ 1.0000, -2.5000],\n        [ 0.0000,  0.0010]], device='cuda:0', grad_fn=<SoftmaxBackward0>)",
    "PyTorch, a batch of one": "tensor([[[ 1.0000, -2.5000],\n         [ 0.0000,  0.0010]]])",
    "Python": "[[1, -2.5], [0, 1e-3],]",
    "Python, tuples": "((1, -2.5), (0, .001))",
    "MATLAB": "[1 -2.5; 0 0.001]",
    "MATLAB, without brackets": "1 -2.5; 0 0.001;",
    "braces": "{{1, -2.5}, {0, 0.001}}",
    "CSV": "1,-2.5\n0,0.001\n",
    "CSV, Windows": "\ufeff1, -2.5,\r\n0, 0.001,\r\n",
    "CSV, decimal comma": "1;-2,5\n0;0,001",
    "decimal comma, spaces": "1 −2,5\n0 0,001",
    "spreadsheet": "1\t-2.5\n0\t0.001\n",
    "spreadsheet, decimal comma": "1\t-2,5\n0\t0,001\n",
    "spaces": "  1  -2.5\n\n  0  1/1000  ",
    "LaTeX": "A = \\begin{pmatrix} 1 & -\\frac{5}{2} \\\\ 0 & 10.0 \\cdot 10^{-4} \\end{pmatrix}",
    "LaTeX, array": "\\left(\\begin{array}{cc}\n1 & -2{,}5 \\\\[2pt]\n0 & \\dfrac{1}{1000} \\\\\n\\end{array}\\right)",
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_formats(text):
    np.testing.assert_array_equal(read_matrix(text).values, TWO)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 2 3", [[1, 2, 3]]),
        ("5", [[5]]),
        ("1/3, −2/4", [[1 / 3, -0.5]]),
        ("1,0,2;3,4,5", [[1, 0, 2], [3, 4, 5]]),
        ("[-inf nan]", [[-np.inf, np.nan]]),
        ("[-np.inf, float('-inf'), math.nan, Infinity, −∞]", [[-np.inf, -np.inf, np.nan, np.inf, -np.inf]]),
        ("\\begin{bmatrix} -\\infty & \\text{NaN} \\end{bmatrix}", [[-np.inf, np.nan]]),
    ],
)
def test_numbers(text, expected):
    np.testing.assert_array_equal(read_matrix(text).values, expected)


@pytest.mark.parametrize(
    ("text", "decimals"),
    [
        ("0.50", 2),
        ("1 2", 0),
        ("[1. 2.]", 0),
        ("0,125; 3", 3),
        ("[0.0634 0.5]", 4),
        ("[[6.03e-06 9.82e-01]]", 3),  # 9.82e-01 is 0.982, which has 3 decimals
        ("1.25e+03 0.000e+00", 0),
        ("1.25e-3 0.5", 1),
        ("1/3 -inf", None),
    ],
)
def test_decimals_are_those_written(text, decimals):
    assert read_matrix(text).decimals == decimals


@pytest.mark.parametrize("write", FORMATS.values(), ids=FORMATS)
@law
@given(matrices(limit=1e6))
def test_every_format_comes_back(write, m):
    np.testing.assert_array_equal(read_matrix(write(m)).values, m)


PIECES = [
    *("[", "]", "[[", "]]", "(", ")", "{", "}", ",", ";", "\t", "\n", "\r\n", " ", "/", "&", "\ufeff", "\u2028"),
    *("1", "-2.5", "1e9999", "1/0", "0", "−", "∞", "nan", "...", "x", "² ³", "٣", "1" * 5000, "1e" + "9" * 5000),
    *("array(", "tensor(", "Out[1]:", "np.float64(", "float('", "\\begin{pmatrix}", "\\end{pmatrix}"),
    *("|", "|---|\n", "<td>", "</tr>", "</td>", "[1,]", "[,1]", '"', "A =\n", "the", "5,15, 3,43"),
    *("\\begin{array}{cc}", "\\\\", "\\frac{1}{", "\\cdot 10^"),
]


@settings(law, max_examples=1500)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=60))
def test_any_text_is_a_matrix_or_says_where_it_is_none(text):
    values, error = try_to_read(text)
    if error is None:
        assert values.ndim == 2
        assert values.size > 0
        return
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert 1 <= error.line <= len(lines)
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1
    assert str(error).startswith(f"Line {error.line}, column {error.column}: ")
    assert re.search(r", but .+\. [A-Z]", str(error), re.DOTALL)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "A matrix is a print-out in brackets, .*, but this text is empty. Write"),
        ("[]", (1, 1), "A matrix is .*, but this text has no number. Write"),
        ("1 2\n3 x", (2, 3), "A cell must hold one number, but this cell holds “x”. Write, for example, 2, -0.5"),
        ("1;b\n1;2", (1, 3), "A cell must hold one number, but this cell holds “b”"),
        ("[[1, 2],\n [3, ,4]]", (2, 6), "A cell must hold one number, but this cell is empty"),
        ("1\t\t3", (1, 3), "but this cell is empty"),
        (
            "[[1, 2],\n [3]]",
            (2, 3),
            "All rows must be equally long, but row 1 has 2 numbers and row 2 has 1. Add or remove",
        ),
        ("1 2\n3 4 5", (2, 5), "All rows must be equally long, but row 1 has 2 numbers and row 2 has 3"),
        ("[[1. 2. ... 3.]]", (1, 9), "All numbers must be in the text, but “…” .* Print all of them"),
        ("\\begin{pmatrix} 1 & \\cdots \\end{pmatrix}", (1, 21), "All numbers must be in the text"),
        ("[[1, 2]", (1, 7), r"Every \[ needs a \] after it, but one \] is missing"),
        ("[1, 2]]", (1, 7), r"Every \] needs a \[ before it, but this one has none"),
        (
            "[[1 2]\n [3 4]]\n[[5 6]\n [7 8]]",
            (4, 7),
            "Only one matrix can be read at a time, but here a second one begins",
        ),
        ("[[[1, 2]], [[3, 4]]]", (1, 13), "A matrix has two axes, but this array has more"),
        ("[1, 2] 3", (1, 8), "All numbers must be in the brackets, but “3” is outside"),
        ("\\begin{cases} 1 \\end{cases}", (1, 1), "but this is another environment. Use pmatrix"),
        ("\\begin{pmatrix} 1", (1, 1), r"Every \\begin needs its \\end, but pmatrix has none"),
        ("2 1e400", (1, 3), "A number can be at most 1.7e308, but this one is “1e400”"),
        ("1/0", (1, 1), "No number can be divided by 0, but this cell holds “1/0”"),
        ("2 nan/1", (1, 3), "A fraction needs two finite numbers, but this cell holds “nan/1”. Write its value"),
        ("inf/2", (1, 1), "A fraction needs two finite numbers, but this cell holds “inf/2”"),
        ("1/inf", (1, 1), "A fraction needs two finite numbers, but this cell holds “1/inf”"),
        ("1e308/1e-308", (1, 1), "A number can be at most 1.7e308, but this one is “1e308/1e-308”"),
        (
            " ".join(["1"] * 513),
            (1, 1025),
            "at most 4096 numbers, .* 512 in a row or column, but this one has 1 rows, and 513 numbers in row 1",
        ),
        ("1\n" * 513, (513, 1), "A matrix can have at most 4096 numbers, such as 64×64, .*, but this one has 513 rows"),
        (
            (" ".join(["1"] * 64) + "\n") * 65,
            (65, 1),
            "A matrix can have at most 4096 numbers, .* has 65 rows, and 64 numbers in row 65",
        ),
        (
            "1 " * MOST_CHARACTERS,
            (1, MOST_CHARACTERS + 1),
            "A text can have at most 200000 characters, but this one has 400000",
        ),
    ],
)
def test_what_cannot_be_read_says_where(text, place, message):
    with pytest.raises(MatrixTextError, match=message) as caught:
        read_matrix(text)
    assert (caught.value.line, caught.value.column) == place


PRINTED = [
    entry
    for entry in json.loads((DATA / "printed.json").read_text("utf-8"))
    if entry["text"].startswith(("[[", "array([[")) and "[[[" not in entry["text"]
]


def test_a_notebooks_print_out_is_its_array():
    text = next(entry["text"] for entry in PRINTED if entry["what"] == "softmax axis=1")
    read = read_matrix(text)
    expected = notebook_matrix("0/softmax_side_note/axis1")
    assert np.abs(read.values - expected).max() <= 0.5 * 10.0 ** -(read.decimals or 0)


@pytest.mark.parametrize("text", ['{"a": ' + "[" * 500 + "1" + "]" * 500 + "}", '{"a": ' * 500 + "1" + "}" * 500])
def test_too_many_nested_lists_are_refused(text):
    with pytest.raises(MatrixTextError, match="more than 20 lists within each other"):
        read_matrix(text)


def test_numbers_without_decimals_are_written_as_they_are():
    text = write_matrix(np.array([[1e308, -1e16, 0.123456]]), 4)
    assert read_matrix(text).values.tolist() == [[1e308, -1e16, 0.1235]]


# --- tables are read without their markup: labels, headers, lines, tags and quotes ---

TABLES = {
    "CSV, quoted": '"1","-2.5"\n"0","0.001"',
    "CSV, quoted decimal commas": '"1","-2,5"\n"0","0,001"',
    "R, a data frame": "  a      b\n1 1 -2.500\n2 0  0.001",
    "R, write.csv": '"","V1","V2"\n"1",1,-2.5\n"2",0,0.001',
    "CSV, labelled": ",the,cat\nthe,1,-2.5\ncat,0,0.001",
    "a header": "the\tcat\n1\t-2.5\n0\t0.001",
    "labels of rows": "the 1 -2.5\ncat 0 0.001",
    "R": "     [,1]   [,2]\n[1,]    1 -2.500\n[2,]    0  0.001",
    "R, named": "    the    cat\nthe   1 -2.500\ncat   0  0.001",
    "pandas": "   0      1\n0  1 -2.500\n1  0  0.001",
    "pandas, named": "     the    cat\nthe    1 -2.500\ncat    0  0.001",
    "pandas, CSV": ",0,1\n0,1.0,-2.5\n1,0.0,0.001",
    "Octave": "A =\n\n   1.0000  -2.5000\n        0   1.0e-03\n\n",
    "MATLAB, with its last semicolon": "A = [1 -2.5; 0 0.001];",
    "Julia": "2×2 Matrix{Float64}:\n 1.0  -2.5\n 0.0   0.001",
    "Markdown": "| the | cat |\n|---|--:|\n| 1 | -2.5 |\n| 0 | 0.001 |",
    "Markdown, of pandas": "|    |   0 |      1 |\n|---:|----:|-------:|\n|  0 |   1 | -2.5   |\n|  1 |   0 |  0.001 |",
    "HTML": "<table><tr><td>1</td><td>-2.5</td></tr>\n<tr><td>0</td><td>0.001</td></tr></table>",
    "HTML, labelled": "<table>\n<tr><th></th><th>a</th><th>b</th></tr>\n<tr><th>x</th>\n<td>1</td><td>-2.5</td></tr>"
    "<tr><th>y</th><td>0</td><td>0.001</td></tr></table>",
    "JSON": "[[1.0, -2.5],\n [0.0, 0.001]]",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_tables(text):
    np.testing.assert_array_equal(read_matrix(text).values, TWO)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("NA 2\nNA 3", (1, 1), "A cell must hold one number, but this cell holds “NA”"),
        ("O.5 2\nO.6 3", (1, 1), "A cell must hold one number, but this cell holds “O.5”"),
        (
            "       new york  old york\nhead 1  0.5  -1.25\nhead 2  3.0  0.001",
            (2, 1),
            "one number, but this cell holds “head”",
        ),
        ("head 1 2\nhead 2 3", (1, 1), "one number, but this cell holds “head”"),
        ("a b c\n1 2\n3 4", (1, 1), "one number, but this cell holds “a”"),
        ("5,15, 3,43", (1, 1), "what a comma means, but “5,15, 3,43” can .* Write 5.15 3.43 if .*, 5 15 3 43 if"),
        ("0,5 1\n 5,15, 3,43", (2, 2), "It must be clear what a comma means, but “5,15, 3,43”"),
        ("| 1 | 2 |\n|---|---|\n| 3 | 4 |", (1, 1), "It must be clear what the header is, but this header has numbers"),
    ],
)
def test_an_ambiguous_table_is_asked_about(text, place, message):
    with pytest.raises(MatrixTextError, match=message) as caught:
        read_matrix(text)
    assert (caught.value.line, caught.value.column) == place
