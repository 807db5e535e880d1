"""Write in words how much the results of two computations differ. Pure."""

from __future__ import annotations

from pages.shared.notation.numbers import number

ROUNDING = 1e-9  # relative to the size of the numbers: a smaller difference is only rounding


def by_how_much(difference: float, size: float = 1.0) -> str:
    """Return in words how much two results differ: "nothing", "nothing but rounding", "up to $0.5$".

    `difference` is their greatest difference. `size` is the greatest of their numbers, because rounding grows with it.

    >>> by_how_much(3.553e-15), by_how_much(0.5)
    ('nothing but rounding', 'up to $0.5$')
    """
    if difference == 0:
        return "nothing"
    return "nothing but rounding" if difference < ROUNDING * max(size, 1.0) else f"up to ${number(difference)}$"


def equal_or_not(difference: float, size: float = 1.0) -> str:
    """Return a clause that says whether two results are equal, equal up to rounding, or different.

    `difference` is their greatest difference. `size` is the greatest of their numbers, because rounding grows with it.

    >>> equal_or_not(0.0), equal_or_not(3.553e-15), equal_or_not(0.5)
    ('the numbers are equal', 'the numbers are equal up to rounding', 'the numbers differ by up to $0.5$')
    """
    if difference == 0:
        return "the numbers are equal"
    if difference < ROUNDING * max(size, 1.0):
        return "the numbers are equal up to rounding"
    return f"the numbers differ by up to ${number(difference)}$"
