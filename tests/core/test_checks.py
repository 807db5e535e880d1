"""Test the checks of arguments: what they refuse, and what their error messages say."""

import numpy as np
import pytest

from attention_core.checks import floats, greatest_difference, positive, positive_integer


def test_integers_and_lists_become_float64():
    for values in ([[1, 2]], np.array([[1, 2]]), [[True, False]], np.array([[1, 2]], dtype=np.uint8)):
        assert floats("x", values).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_type_and_are_not_copied(dtype):
    x = np.ones((2, 2), dtype)
    assert floats("x", x) is x


@pytest.mark.parametrize(
    ("values", "min_rank", "message"),
    [
        ([[1.0, np.nan]], 1, r"x must be finite; got nan at \(0, 1\): replace it by a number\."),
        ([[1.0], [np.inf]], 1, r"x must be finite; got inf at \(1, 0\): replace it by a number\."),
        ([1.0, -np.inf], 1, r"x must be finite; got -inf at \(1,\): replace it by a number\."),
        ([[1, 2], [3]], 1, r"x must be rectangular; got rows of different lengths: give every row as many numbers\."),
        ([], 1, r"x must not be empty; got shape \(0,\): give at least one number along each axis\."),
        (np.ones((3, 0)), 2, r"x must not be empty; got shape \(3, 0\)"),
        ([1, 2], 2, r"x must have at least 2 axes; got shape \(2,\): write it as a matrix, \[\[…\], \[…\]\]\."),
        (7, 1, r"x must have at least 1 axes; got shape \(\): write it as a list, \[…\]\."),
        ([[1, 2j]], 1, r"x must hold real numbers; got complex128: give integers or decimals\."),
        (["1", "2"], 1, r"x must hold real numbers; got <U1: give integers or decimals\."),
        (None, 1, r"x must hold real numbers; got object: give integers or decimals\."),
    ],
)
def test_errors_name_rule_received_and_remedy(values, min_rank, message):
    with pytest.raises(ValueError, match=message):
        floats("x", values, min_rank=min_rank)


def test_minus_infinity_passes_only_where_asked():
    assert floats("x", [-np.inf], minus_infinity=True)[0] == -np.inf
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"x must be finite; got {value}"):
            floats("x", [value, -np.inf], minus_infinity=True)


@pytest.mark.parametrize("value", [1, 7, np.int32(3)])
def test_positive_integer_passes_whole_numbers(value):
    assert positive_integer("n", value) == value
    assert type(positive_integer("n", value)) is int


@pytest.mark.parametrize("value", [0, -1, 1.0, 2.5, True, "3", None, np.float64(2)])
def test_positive_integer_refuses_the_rest(value):
    with pytest.raises(ValueError, match=r"n must be a whole number of at least 1; got .*: give 1, 2, 3 …\."):
        positive_integer("n", value)


@pytest.mark.parametrize("value", [0, -0.5, np.nan, np.inf, -np.inf])
def test_positive_refuses_what_is_not(value):
    with pytest.raises(ValueError, match=r"t must be finite and greater than 0; got .*: give a positive number\."):
        positive("t", value)


def test_positive_gives_a_plain_float():
    assert type(positive("t", np.float64(0.5))) is float  # a NumPy scalar would widen float32
    assert positive("t", 2) == 2.0


def test_the_greatest_difference_is_that_of_the_cells():
    assert greatest_difference(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.5], [1.0, 4.0]])) == 2
    assert np.isnan(greatest_difference(np.ones((1, 2)), np.array([[1.0, np.nan]])))
