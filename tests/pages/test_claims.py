"""Test the small language of claims about the numbers on the screen, such as `sum(weights[1,:]) == 1`."""

import numpy as np
import pytest

from pages.shared.equation import Line, Matrix
from pages.shared.lecture.claims import evaluate, fill_braces, holds, names_on_screen
from pages.shared.notation.numbers import format_as_shown

A = np.array([[0.25, 0.75], [1.0, 0.0]])
NAMES = {"a": A, "heads.1": np.array([[3.0, -4.0]]), "t": 5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a[0,1]", 0.75),
        ("a[0,:]", [0.25, 0.75]),
        ("a[:,0:1]", [[0.25], [1.0]]),
        ("heads.1[0,1]", -4),
        ("-heads.1[0,0] + t * 2", 7),
        ("1 / columns(a)", 0.5),
        ("best(a[0,:])", 1),
        ("root(sum(heads.1 * heads.1))", 5),
        ("a[best(a[0,:]), 0]", 1.0),
        ("max(abs(heads.1 - t))", 9),
    ],
)
def test_expressions(text, value):
    np.testing.assert_allclose(evaluate(text, NAMES), value)


@pytest.mark.parametrize(
    ("claim", "truth"),
    [
        ("sum(a[0,:]) == 1", True),
        ("a[0,0] * 3 == a[0,1]", True),
        ("a == a + 0.0000000000001", True),
        ("a != a", False),
        ("0 < a[0,0] < a[0,1] < 1", True),
        ("0 < a[0,1] < a[0,0]", False),
        ("a <= 1", True),
        ("a > 0.5", False),
        ("t == 5 and a[1,1] == 0", True),
        ("is_nan(log(a - 2))", True),
    ],
)
def test_claims(claim, truth):
    assert holds(claim, NAMES) is truth


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("b[0,0]", "names of what the page shows"),
        ("__import__('os')", "but not __import__('os')"),
        ("a.shape", "but not a.shape"),
        ("a[0,0].real", "but not a\\[0, 0\\].real"),
        ("[x for x in a]", "but not \\[x for x in a\\]"),
        ("a @ a", "but not a @ a"),
        ("2 ** 9", "but not 2 \\*\\* 9"),
        ("max(a, key=t)", "but not max"),
        ("(lambda: 1)()", "but not \\(lambda"),
        ("'text'", "but not 'text'"),
        ("a[9,9]", "Places must lie within"),
        ("a[", "must be an expression"),
    ],
)
def test_an_expression_outside_of_the_language_is_refused(text, said):
    with pytest.raises(ValueError, match=said.replace("(", r"\(").replace(")", r"\)").replace(r"\\(", r"\(")):
        evaluate(text, NAMES)


def test_numbers_are_written_as_the_screen_writes_them():
    values = (0.256, -0.256, 3.0, 10000.0, -0.0, 1e-16, -0.001, float("inf"), float("nan"))
    assert [format_as_shown(value, 2) for value in values] == [
        "0.26",
        "−0.26",
        "3",
        "10,000",
        "0",
        "0",
        "0.00",
        "∞",
        "NaN",
    ]
    assert fill_braces(r"$\sqrt{{d}}$ is {t}, {a[0,1]}", NAMES, 4) == r"$\sqrt{d}$ is 5, 0.7500"


def test_rows_that_are_not_shown_are_nan():
    matrix = Matrix(id="a", symbol="A", name="A", values=A)
    row = names_on_screen([[Line((matrix.row(1, "a"),))]], {"t": 5, "text": "x"})
    assert row["a"][1].tolist() == [1.0, 0.0]
    assert np.isnan(row["a"][0]).all()
    assert row["t"] == 5
    assert "text" not in row
    both = names_on_screen([[Line((matrix.row(1, "a"), "=", matrix, "=", matrix.row(0, "a")))]], {})
    np.testing.assert_array_equal(both["a"], A)
