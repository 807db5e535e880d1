"""The terms of a calculation: numbers, cells and operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from attention_core.checks import Array

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


def _without_warning(function: np.ufunc, *terms: float) -> float:
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return float(function(*map(np.float64, terms)))


def _sum(*terms: float) -> float:
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):  # a sum beyond the greatest float, or ∞ − ∞
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.sum(terms))


_EVALUATE: Mapping[Symbol, Callable[..., float]] = {
    "sum": _sum,
    "difference": _difference,
    "product": lambda *terms: math.prod(terms),
    "quotient": partial(_without_warning, np.divide),
    # NumPy's functions return infinity for an overflow, which a mistake should show. Python's own raise an error.
    "power": partial(_without_warning, np.power),
    "exp": partial(_without_warning, np.exp),
    "log": partial(_without_warning, np.log),
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


Rule = tuple[Array, Callable[..., Term]]  # a matrix, and the function that gives the calculation of a cell by its index
Rules = Mapping[str, Rule]


@dataclass(frozen=True, slots=True, eq=False)
class CellCalculations:
    """Matrices by name, each with a function that returns the calculation of a cell from its index."""

    rules: Rules
