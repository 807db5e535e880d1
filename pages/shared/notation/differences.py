"""Differences: how far two computations of the same lie apart, in words. Pure."""

from __future__ import annotations

from pages.shared.notation.numbers import number

ROUNDING = 1e-9  # of the size of what is compared: a smaller difference is that of the last digits


def by_how_much(difference: float, size: float = 1.0) -> str:
    """Say by how much numbers of a size differ: "nothing", "nothing but rounding", "up to 0.5".

    >>> by_how_much(3.553e-15), by_how_much(0.5)
    ('nothing but rounding', 'up to $0.5$')
    """
    if difference == 0:
        return "nothing"
    return "nothing but rounding" if difference < ROUNDING * max(size, 1.0) else f"up to ${number(difference)}$"
