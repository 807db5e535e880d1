"""Test how a difference is said in words: none, rounding, or its size."""

import pytest

from pages.shared.notation.numbers import by_how_much


@pytest.mark.parametrize(
    ("difference", "size", "said"),
    [
        (0.0, 1, "nothing"),
        (3.553e-15, 1, "nothing but rounding"),
        (1e-8, 1, r"up to $1 \cdot 10^{-8}$"),
        (1e-8, 1e4, "nothing but rounding"),  # the compared numbers are in the thousands
        (1e-15, 0, "nothing but rounding"),
        (0.25, 1e4, "up to $0.25$"),
    ],
)
def test_a_difference_in_words(difference, size, said):
    assert by_how_much(difference, size) == said
