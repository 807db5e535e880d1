"""Test 500 matrices in the texts that people put around them, and prose with numbers.

A text is read correctly, asked about or refused, but never misread.
"""

import random

import numpy as np
import pytest

from attention_core.reading.matrix_text import read_matrix
from attention_core.reading.text_error import AmbiguousTextError, MatrixTextError
from matrix_texts import FORMATS

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
    """Return `lines` with a new first line: a prompt such as `In [3]: ` and a label."""
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
    """Return `lines` with a time in front of each line, as in a log file."""
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
    assert outcomes.count("read") > 0.7 * len(outcomes)


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
