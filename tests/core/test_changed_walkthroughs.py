"""Test the reading of walkthroughs and programs that are changed at random.

From a changed text, the app reads the numbers that the text contains, or it asks the visitor. Reading never raises an
error.
"""

import contextlib
import random

import numpy as np
import pytest

from attention_core.reading.matrix_text import read_matrix
from attention_core.reading.named_matrices import named_matrices, settings_in
from attention_core.reading.text_error import MatrixTextError
from serving import ROOT

DATA = ROOT / "tests" / "data"
TEXTS = {
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


@pytest.mark.parametrize("name", TEXTS)
def test_blanks_and_ends_of_lines_change_nothing(name):
    text, expected = TEXTS[name], roles_and_numbers(TEXTS[name])
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
@pytest.mark.parametrize("name", TEXTS)
def test_a_changed_text_is_read_or_asked_about(name):
    draw = random.Random(name)
    for _ in range(MANY):
        text = change_text(TEXTS[name], draw)
        assert all(values.ndim == 2 and values.size for _, values in roles_and_numbers(text))
        settings_in(text)
        # the text was asked about or refused; any other error fails the test
        with contextlib.suppress(MatrixTextError):
            read_matrix(text)
