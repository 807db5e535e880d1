"""Test that the text around numbers is ignored: comments, prompts, time stamps, line numbers, labels, bold type."""

import numpy as np
import pytest

from attention_core.reading.comments import without_comments
from attention_core.reading.matrix_text import read_matrix
from attention_core.reading.sessions import without_session
from attention_core.reading.text_error import AmbiguousTextError, MatrixTextError

ONE_TO_FOUR = [[1, 2], [3, 4]]
READ = {
    "Python’s comments": '[[1., 2.], # "the" (pos 0)\n [3., 4.]]  # cat',
    "C’s comments": "[[1, 2], // a\n [3, 4]] // end",
    "MATLAB’s comments": "A = [1 2; % first row\n 3 4]; % second",
    "a comment with brackets": "tensor([[1., 2.],  #? tensor([[0.5\n  [3., 4.]])",
    "a comment above": "# Set up\nx <- matrix(c(1, 3, 2, 4), nrow = 2)",
    "all commented out": "# [[1, 2],\n#  [3, 4]]",
    "R, commented": "# [1,] 1 2\n# [2,] 3 4",
    "R, knitr": "##      [,1] [,2]\n## [1,]    1    2\n## [2,]    3    4",
    "R, reprex": "a <- matrix(9:6, 2)\na\n#>      [,1] [,2]\n#> [1,]    1    2\n#> [2,]    3    4",
    "Python’s prompt": ">>> A\narray([[1, 2],\n       [3, 4]])",
    "Python’s source": ">>> A = np.array([[1, 2],\n...               [3, 4]])",
    "a command of several lines": ">>> f(A,\n...   axis=1)\narray([[1, 2],\n       [3, 4]])",
    "an object before": ">>> seed(0)\n<Generator at 0x7f>\n>>> A\ntensor([[1., 2.],\n        [3., 4.]])",
    "a notebook": "In [3]: A\nOut[3]: \narray([[1, 2],\n       [3, 4]])",
    "Julia’s prompt": "julia> inv(A)\n2×2 Matrix{Float64}:\n 1.0  2.0\n 3.0  4.0",
    "R’s prompt": "> A\n     [,1] [,2]\n[1,]    1    2\n[2,]    3    4\n> ",
    "MATLAB’s prompt": ">> A\n\nA =\n\n     1     2\n     3     4\n",
    "MATLAB’s answer": "act2(1:2,:)\nans =\n  1 2\n  3 4",
    "a mail": "> 1 2\n> 3 4",
    "line numbers": "1X = [[1, 2],\n2 [3, 4]]",
    "line numbers of code": "9  import numpy as np\n10 X = np.array([\n11    [1, 2],\n12    [3, 4]])",
    "a log": "2019_01_02 10:00:00 alphas = tensor([[1., 2.],\n        [3., 4.]])",
    "a log of rows": "2024-01-02 10:00:00,123 INFO 1 2\n2024-01-02 10:00:00,124 INFO 3 4",
    "a log in brackets": "[2024-01-02 10:00:00] INFO: [[1 2]\n [3 4]]",
    "a log with its module": "INFO:root:[[1 2]\n [3 4]]",
    "a log of the American kind": "01/02 03:04:05 PM alphas = tensor([[1., 2.],\n        [3., 4.]])",
    "arrows": "please → [1, 2]\ncat → [3, 4]",
    "arrows without brackets": "please → 1 2\ncat -> 3 4",
    "arrows behind": "[1, 2] → please\n[3, 4] ← cat",
    "arrows behind numbers": "1 2 ← please\n3 4 ← cat",
    "numbered arrows": "0 → [1, 2]\n1 → [3, 4]",
    "numbered rows": "row 1: 1 2\nrow 2: 3 4",
    "counted rows": "1: 1 2\n2: 3 4",
    "bars after a time": "10:00:00 INFO | 1 | 2 |\n10:00:01 INFO | 3 | 4 |",
    "numbered comments": "1 # 1 2\n2 # 3 4",
    "bold": "**1** **2**\n**3** **4**",
    "bold in Markdown": "| a | b |\n|---|---|\n| **1** | 2 |\n| 3 | __4__ |",
    "percent": "100%\t200 %\n300%\t400 %",
    "percent, CSV": "100%, 200%\n300.0%, 400%",
    "brackets over several lines": "⎡1  2⎤\n⎢    ⎥\n⎣3  4⎦",
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_only_the_numbers_are_read(text):
    np.testing.assert_array_equal(read_matrix(text).values, ONE_TO_FOUR)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("| Contextualized $z$ | **1.72** | 0.19 |", [[1.72, 0.19]]),
        ("z: 1.72 0.19", [[1.72, 0.19]]),
        ("1.234\t1.234,56", [[1234, 1234.56]]),
        ("1,234.56\t2.5\n1,500\t3", [[1234.56, 2.5], [1500, 3]]),
        ("1,234,567\t1", [[1234567, 1]]),
        ("0,125\t0,875", [[0.125, 0.875]]),
        ("1,250;2,125", [[1.25, 2.125]]),
        ("2024-01-02 -0.5 1\n2024-01-03 -2 3", [[-0.5, 1], [-2, 3]]),
        ("12,5%\t88%", [[0.125, 0.88]]),
    ],
)
def test_marks_in_numbers(text, rows):
    np.testing.assert_array_equal(read_matrix(text).values, rows)


def test_a_percentage_has_two_decimals_more():
    assert read_matrix("12.5% 88%").decimals == 3


@pytest.mark.parametrize(
    ("text", "message", "said"),
    [
        ("1,234\t2,345", "what a comma means", ["Commas are decimal points", "Commas group thousands"]),
        ("1,234.56, 2,345.67", "what a comma means", ["Commas group thousands", "Every comma stands between numbers"]),
        ("# 1 2\n3 4", "whether a commented line", ["The commented line is left out", "The commented line is a row"]),
        (
            "8 1.5 2.5\n9 3.5 4.5",
            "first column",
            ["The first column counts the lines", "All columns are of the matrix"],
        ),
        ("8 # [[1, 2]]", "whether the comments", ["The comments are the matrix", "The numbers before them are"]),
        ("[[1 2]   [[5 6]\n [3 4]]   [7 8]]", "but here are 2 side by side", ["Matrix 1", "Matrix 2"]),
        ("[[1 2]  [[5 6]\n [3 4]]  [7 8]\n         [9 9]]", "but here are 2 side by side", ["Matrix 1", "Matrix 2"]),
        ("[1 2] [5 6]\n[3 4] [7 8]", "but here are 2 side by side", ["Matrix 1", "Matrix 2"]),
        ("⎡1  2⎤  ⎡5  6⎤\n⎢    ⎥  ⎢    ⎥\n⎣3  4⎦  ⎣7  8⎦", "side by side", ["Matrix 1", "Matrix 2"]),
        ("1 2    5 6\n3 4    7 8", "a wide gap", ["Matrix 1", "Matrix 2", "One matrix"]),
        ("1\t2\t\t5\n3\t4\t\t7", "an empty column", ["Matrix 1", "Matrix 2", "All without the empty columns"]),
        ("1,2,,5\n3,4,,7", "an empty column", ["Matrix 1", "Matrix 2", "All without the empty columns"]),
        (", , 1\n\n  [,1]\n[1,] 1\n\n, , 2\n\n  [,1]\n[1,] 5\n", "Only one matrix", ["“, , 1”", "“, , 2”"]),
        (
            ">>> A = np.array([[1, 2],\n...    [3, 4]])\n>>> A @ A\narray([[ 7, 10],\n  [15, 22]])",
            "Only one matrix can be read at a time",
            ["Matrix 1", "Matrix 2"],
        ),
    ],
)
def test_an_ambiguous_text_is_asked_about(text, message, said):
    with pytest.raises(AmbiguousTextError, match=message) as caught:
        read_matrix(text)
    assert [reading.label for reading in caught.value.readings] == said
    values = [read_matrix(reading.text).values.tolist() for reading in caught.value.readings]
    assert values[0] != values[1]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("1.234,56\t1,234.56", (1, 10), "one kind of decimal point, .* has “1,234.56” and “1.234,56”"),
        ("1,234.56\t1,5", (1, 10), "One sign groups thousands .* “1,5” does not fit"),
        ("Chapter 3 4", (1, 1), "A cell must hold one number, but this cell holds “Chapter”"),
        ("I have 3 apples", (1, 1), "A cell must hold one number, but this cell holds “I”"),
        ("[1 // 2, 3 // 4]", (1, 4), "A cell must hold one number, but this cell holds “/”"),
        ("the cat’s % of 3", (1, 1), "A cell must hold one number"),
        ("# only words", (1, 1), "this text is empty|A cell must hold one number"),
        ("2019-01-02", (1, 1), "this text is empty"),
        ("1 2  # a\n3 x", (2, 3), "A cell must hold one number, but this cell holds “x”"),
    ],
)
def test_what_is_no_matrix_is_refused_at_its_place(text, place, message):
    with pytest.raises(MatrixTextError, match=message) as caught:
        read_matrix(text)
    assert caught.value.line == place[0]
    assert "one number" in str(caught.value) or caught.value.column == place[1]


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_removed_parts_become_spaces_so_that_places_stay(text):
    left = without_comments(without_session(text))
    assert len(left) == len(text)
    assert all(new in (" ", old) for new, old in zip(left, text, strict=True))


def test_of_an_array_with_more_axes_each_matrix_says_its_place():
    heads = np.arange(2 * 3 * 4.0).reshape(2, 3, 2, 2)
    with pytest.raises(AmbiguousTextError, match="A matrix has two axes") as caught:
        read_matrix(str(heads))
    readings = {reading.label: read_matrix(reading.text).values for reading in caught.value.readings}
    assert [*readings][::5] == ["Batch 1 of 2, head 1 of 3", "Batch 2 of 2, head 3 of 3"]
    np.testing.assert_array_equal(readings["Batch 2 of 2, head 1 of 3"], heads[1, 0])
    with pytest.raises(AmbiguousTextError) as caught:
        read_matrix(str(heads[0]))
    assert [reading.label for reading in caught.value.readings] == [f"Matrix {n} of 3" for n in (1, 2, 3)]
