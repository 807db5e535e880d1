"""Differences: say in words how much the results of two computations differ. Pure."""

from __future__ import annotations

from pages.shared.notation.numbers import number

ROUNDING = 1e-9  # relative to the size of the numbers: a smaller difference is only rounding


def by_how_much(difference: float, size: float = 1.0) -> str:
    """Say by how much numbers of this size differ: "nothing", "nothing but rounding", "up to 0.5".

    >>> by_how_much(3.553e-15), by_how_much(0.5)
    ('nothing but rounding', 'up to $0.5$')
    """
    if difference == 0:
        return "nothing"
    return "nothing but rounding" if difference < ROUNDING * max(size, 1.0) else f"up to ${number(difference)}$"
