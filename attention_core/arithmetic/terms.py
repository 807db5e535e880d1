"""The classes of calculations: numbers and operations. A calculation can be shown and evaluated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

Symbol = Literal["sum", "difference", "product", "quotient", "power", "exp", "log", "root", "maximum", "sin", "cos"]


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a calculation: a cell of a named matrix, or a constant with or without a name."""

    value: float
    name: str | None = None
    index: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on terms.

    A sum, a product and a maximum take any number of terms, other operations one or two terms.
    """

    symbol: Symbol
    terms: tuple[Term, ...]


Term = Number | Operation


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a matrix, and the calculation of its value. If the value is given, the calculation is only a number."""

    name: str
    index: tuple[int, ...]
    value: float
    term: Term


def _difference(a: float, b: float) -> float:
    return a - b


def _quotient(a: float, b: float) -> float:
    return a / b


def _without_warning(function: np.ufunc, *terms: float) -> float:
    with np.errstate(over="ignore"):
        return float(function(*map(np.float64, terms)))


_EVALUATE: Mapping[Symbol, Callable[..., float]] = {
    "sum": lambda *terms: math.fsum(terms),
    "difference": _difference,
    "product": lambda *terms: math.prod(terms),
    "quotient": _quotient,
    # NumPy's functions return infinity for an overflow, which a mistake should show. Python's own raise an error.
    "power": partial(_without_warning, np.power),
    "exp": partial(_without_warning, np.exp),
    "log": math.log,
    "root": math.sqrt,
    "maximum": lambda *terms: max(terms),
    "sin": math.sin,
    "cos": math.cos,
}


def evaluate(term: Term) -> float:
    """Return the value of a calculation.

    >>> evaluate(Operation("sum", (Number(1.0), Operation("product", (Number(2.0), Number(3.0))))))
    7.0
    """
    if isinstance(term, Number):
        return term.value
    return _EVALUATE[term.symbol](*map(evaluate, term.terms))


def operands(term: Term) -> set[tuple[str, tuple[int, ...]]]:
    """Return the name and the index of every matrix cell that a calculation uses.

    >>> sorted(operands(Operation("product", (Number(1.0, "q", (0, 0)), Number(2.0, "k", (1, 0))))))
    [('k', (1, 0)), ('q', (0, 0))]
    """
    if isinstance(term, Number):
        return {(term.name, term.index)} if term.name and term.index else set()
    return set[tuple[str, tuple[int, ...]]]().union(*map(operands, term.terms))
