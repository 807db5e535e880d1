"""Test that the text around numbers is ignored: comments, prompts, time stamps, arrows to labels.

A text is read correctly, asked about or refused, but never misread.
"""

import random

import numpy as np
import pytest

from attention_core.reading.matrix_text import read_matrix
from attention_core.reading.surroundings import without_comments, without_session
from attention_core.reading.written import AmbiguousTextError, MatrixTextError
from matrix_texts import FORMATS

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
    "a mail": "> 1 2\n> 3 4",
    "a log": "2019_01_02 10:00:00 alphas = tensor([[1., 2.],\n        [3., 4.]])",
    "a log of rows": "2024-01-02 10:00:00,123 INFO 1 2\n2024-01-02 10:00:00,124 INFO 3 4",
    "a log in brackets": "[2024-01-02 10:00:00] INFO: [[1 2]\n [3 4]]",
    "a log with its module": "INFO:root:[[1 2]\n [3 4]]",
    "a log of the American kind": "01/02 03:04:05 PM alphas = tensor([[1., 2.],\n        [3., 4.]])",
    "arrows": "please → [1, 2]\ncat → [3, 4]",
    "arrows behind": "[1, 2] → please\n[3, 4] ← cat",
    "numbered arrows": "0 → [1, 2]\n1 → [3, 4]",
    "bars after a time": "10:00:00 INFO | 1 | 2 |\n10:00:01 INFO | 3 | 4 |",
    "brackets over several lines": "⎡1  2⎤\n⎢    ⎥\n⎣3  4⎦",
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_only_the_numbers_are_read(text):
    np.testing.assert_array_equal(read_matrix(text).values, ONE_TO_FOUR)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("0,125\t0,875", [[0.125, 0.875]]),
        ("1,250;2,125", [[1.25, 2.125]]),
        ("2024-01-02 -0.5 1\n2024-01-03 -2 3", [[-0.5, 1], [-2, 3]]),
    ],
)
def test_marks_in_numbers(text, rows):
    np.testing.assert_array_equal(read_matrix(text).values, rows)


NOT_READ = {
    "MATLAB’s answer": "act2(1:2,:)\nans =\n  1 2\n  3 4",
    "line numbers": "1X = [[1, 2],\n2 [3, 4]]",
    "line numbers of code": "9  import numpy as np\n10 X = np.array([\n11    [1, 2],\n12    [3, 4]])",
    "arrows without brackets": "please → 1 2\ncat -> 3 4",
    "arrows behind numbers": "1 2 ← please\n3 4 ← cat",
    "numbered rows": "row 1: 1 2\nrow 2: 3 4",
    "counted rows": "1: 1 2\n2: 3 4",
    "numbered comments": "1 # 1 2\n2 # 3 4",
    "bold": "**1** **2**\n**3** **4**",
    "bold in Markdown": "| a | b |\n|---|---|\n| **1** | 2 |\n| 3 | __4__ |",
    "percent": "100%\t200 %\n300%\t400 %",
    "percent, CSV": "100%, 200%\n300.0%, 400%",
    "a name and bold": "| Contextualized $z$ | **1.72** | 0.19 |",
    "a name before": "z: 1.72 0.19",
    "points that group": "1.234\t1.234,56",
    "commas that group": "1,234.56\t2.5\n1,500\t3",
    "a million": "1,234,567\t1",
    "percent with a comma": "12,5%\t88%",
    "groups of two kinds": "1.234,56\t1,234.56",
    "a comma that groups nothing": "1,234.56\t1,5",
}


@pytest.mark.parametrize("text", NOT_READ.values(), ids=NOT_READ)
def test_other_marks_and_labels_are_refused_and_never_misread(text):
    with pytest.raises(MatrixTextError, match=r"A cell must hold one number|in the brackets|whether the comments"):
        read_matrix(text)


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


# --- 500 matrices in the texts that people put around them, and prose with numbers ---

SEEDS = range(500)
LABELS = "the cat drank milk it was thirsty because please query".split()


def rows_of(write):
    """Return a function that writes a matrix with `write` and returns the lines of the text."""
    return lambda m, chance: write(m).split("\n")


def write_with_labels(mark):
    """Return a function that writes a matrix with a random label and the sign `mark` in front of each row."""
    return lambda m, chance: [
        f"{label} {mark} {' '.join(map(repr, row))}"
        for label, row in zip(chance.sample(LABELS, len(m)), m.tolist(), strict=True)
    ]


WRITTEN = [
    *(rows_of(write) for write in FORMATS.values()),
    *map(write_with_labels, ("→", "->", ":", "=>")),
    lambda m, chance: [" ".join(f"**{value!r}**" for value in row) for row in m.tolist()],
    lambda m, chance: [
        f"[{', '.join(map(repr, row))}]  # {i} {chance.choice(LABELS)}" for i, row in enumerate(m.tolist())
    ],
    lambda m, chance: ["| " + " | ".join(map(repr, row)) + " |" for row in m.tolist()],
]


def with_prompts(lines, chance):
    """Return `lines` with a new first line: a prompt such as `In [3]: ` and a label.

    The random generator `chance` draws both.
    """
    return [f"{chance.choice(('>>> ', 'In [3]: ', 'julia> ', '> ', '>> '))}{chance.choice(LABELS)}", *lines]


def with_all_lines_commented(lines, chance):
    """Return `lines`, each with the same comment sign in front. The random generator `chance` draws the sign."""
    sign = chance.choice(("# ", "// ", "% ", "## "))
    return [f"{sign}{line}" for line in lines]


def with_a_comment(lines, chance):
    """Return `lines` with one more line, a comment. The random generator `chance` draws its place and its words."""
    place = chance.randrange(len(lines) + 1)
    return [*lines[:place], f"# {chance.choice(LABELS)} of {chance.randint(1, 9)}", *lines[place:]]


def with_comments(lines, chance):
    """Return `lines` with a comment at the end of each line. The random generator `chance` draws the comments."""
    return [f"{line}  {chance.choice(('#', '//', '%'))} {chance.choice(LABELS)} [1, 2]" for line in lines]


def with_times(lines, chance):
    """Return `lines` with a time in front of each line, as in a log file.

    The random generator `chance` draws the times.
    """
    return [f"2024-01-0{chance.randint(1, 9)} 10:00:{chance.randint(10, 59)},123 INFO {line}" for line in lines]


def with_line_numbers(lines, chance):
    """Return `lines` with a line number in front of each line. The random generator `chance` draws the first number."""
    first = chance.randint(1, 99)
    return [f"{first + i}  {line}" for i, line in enumerate(lines)]


def with_a_name(lines, chance):
    """Return `lines` with a new first line: the name of a matrix. The random generator `chance` draws the name."""
    return [f"{chance.choice(('scores', 'W_q', 'A', 'my result'))}{chance.choice((' =', ':'))}", *lines]


SURROUNDED = [
    with_prompts,
    with_all_lines_commented,
    with_a_comment,
    with_comments,
    with_times,
    with_line_numbers,
    with_a_name,
]


def matrix_and_text(seed):
    """Return a random matrix and a text that contains it, in a random format and with random decoration.

    The same seed gives the same matrix and text.
    """
    chance = random.Random(seed)
    numbers = np.random.default_rng(seed)
    m = np.round(numbers.normal(scale=3, size=(numbers.integers(2, 5), numbers.integers(2, 6))), 3)
    lines = chance.choice(WRITTEN)(m, chance)
    for surround in chance.sample(SURROUNDED, chance.choice((1, 1, 2))):
        lines = surround(lines, chance)
    return m, "\n".join(lines)


def outcome_of(seed):
    """Read the random text of this seed, and return "read", "asked" or "refused", or a message if the matrix is wrong.

    "asked" means that the text can be read in several ways.
    """
    m, text = matrix_and_text(seed)
    try:
        read = read_matrix(text).values
    except AmbiguousTextError:
        return "asked"
    except MatrixTextError:
        return "refused"
    return "read" if read.shape == m.shape and np.array_equal(read, m) else f"misread: {text!r} as {read.tolist()}"


def test_no_surrounded_text_is_misread():
    outcomes = [outcome_of(seed) for seed in SEEDS]
    assert [outcome for outcome in outcomes if outcome.startswith("misread")] == []
    assert outcomes.count("read") > 0.5 * len(outcomes)


PROSE = "We ran trained 3 4 heads of 12 in 2024 the loss fell by 0.5 to 1.25 , . ; : ( ) and then see Table 2 -".split()


@pytest.mark.parametrize("seed", range(10))
def test_prose_with_numbers_is_no_matrix(seed):
    chance = random.Random(seed)
    for _ in range(50):
        lines = [
            f"{chance.choice(('We saw', 'Then the', 'In all'))} {' '.join(chance.choices(PROSE, k=8))} tests"
            for _ in range(chance.randint(1, 3))
        ]
        with pytest.raises(MatrixTextError):
            read_matrix("\n".join(lines))


@pytest.mark.parametrize("sign", ["% ", "\t#", "// ", "#"])
@pytest.mark.parametrize("times", [1000, 60_000])
def test_very_many_comment_signs_are_refused_like_any_other_text(sign, times):
    with pytest.raises(MatrixTextError):
        read_matrix(sign * times)


@pytest.mark.parametrize("text", ["A =\n" + "\n\n1\n" * 40_000, "1  2\n" * 40_000])
def test_far_too_many_numbers_are_refused_before_they_are_read(text):
    with pytest.raises(MatrixTextError, match="this text has"):
        read_matrix(text)
