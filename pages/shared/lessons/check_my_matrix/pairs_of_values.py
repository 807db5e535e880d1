"""Two numbers side by side, cut to the same number of decimals, so that the difference can be seen."""

from __future__ import annotations

import math

from pages.shared.notation.numbers import number

FEWEST, USUAL, MOST_WRITTEN, MOST = 2, 4, 6, 12  # decimals
LARGE = 1e6  # numbers from here on are written as powers of ten


def two_numbers(value: float, right: float, decimals: int | None = None) -> tuple[str, str]:
    """Return a number and its correct value in LaTeX, with enough decimals to see that they differ.

    Both get as many decimals as `value` has, and at least `decimals`, the decimals of its matrix. If both would still
    look equal, they get more. Zeros at the end of an exact number are left out.

    >>> two_numbers(17.3919, 17.391982)
    ('17.3919', '17.3920')
    >>> two_numbers(2.0, 3.25)
    ('2', '3.25')
    >>> two_numbers(4.68, 4.4810)
    ('4.68', '4.48')
    >>> two_numbers(0.6, 0.26341, 4)
    ('0.6', '0.2634')
    """
    if not (math.isfinite(value) and math.isfinite(right)) or max(abs(value), abs(right)) >= LARGE:
        return number(value), number(right)
    written = next((n for n in range(FEWEST, MOST_WRITTEN + 1) if round(value, n) == value), USUAL)
    least = max(written, min(decimals or 0, MOST_WRITTEN))
    decimals = next((n for n in range(least, MOST) if round(value, n) != round(right, n)), MOST)
    return _cut(value, decimals), _cut(right, decimals)


def with_decimals(right: float, decimals: int | None) -> str:
    """Return a correct number in LaTeX, with the `decimals` of the visitor's matrix (None: 4).

    >>> with_decimals(1.86391, 5), with_decimals(0.08781, 3), with_decimals(1.86391, None)
    ('1.86391', '0.088', '1.8639')
    """
    if not math.isfinite(right) or abs(right) >= LARGE:
        return number(right)
    return _cut(right, max(FEWEST, min(USUAL if decimals is None else decimals, MOST_WRITTEN)))


def _cut(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    is_exact = math.isclose(value, float(text), rel_tol=0, abs_tol=1e-12)
    return text.rstrip("0").rstrip(".") if is_exact else text
