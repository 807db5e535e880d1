"""The terms of a calculation: numbers, cells and operations, and how they are built."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
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


def cell_of(name: str, matrix: Array, *index: int) -> Number:
    """Return one cell of a matrix as a `Number`, which also has the name of the matrix and the index of the cell.

    >>> cell_of("q", np.array([[1.0, 2.0]]), 0, 1)
    Number(value=2.0, name='q', index=(0, 1))
    """
    return Number(float(matrix[index]), name, index)


def row_of(name: str, matrix: Array, *lead: int, columns: range | None = None) -> list[Number]:
    """Return a row of a matrix, or some columns of the row, as numbers.

    `name` is the name of the matrix, and `lead` is the index of the row.

    >>> [cell.value for cell in row_of("q", np.array([[1.0, 2.0]]), 0)]
    [1.0, 2.0]
    """
    values = matrix[lead].astype(float).tolist()
    return [Number(values[column], name, (*lead, column)) for column in columns or range(len(values))]


def column_of(name: str, matrix: Array, column: int, rows: range | None = None) -> list[Number]:
    """Return a column of a matrix, or some rows of the column, as numbers. `name` is the name of the matrix.

    >>> [cell.value for cell in column_of("q", np.array([[1.0, 2.0], [3.0, 4.0]]), 1)]
    [2.0, 4.0]
    """
    values = matrix[:, column].astype(float).tolist()
    return [Number(values[row], name, (row, column)) for row in rows or range(len(values))]


def product(left: Number, right: Number) -> Operation:
    """Return the product of two numbers, as a calculation."""
    return Operation("product", (left, right))


def dot(left: Iterable[Number], right: Iterable[Number]) -> Operation:
    """Return the dot product of two lists of numbers, as a calculation: the sum of their products.

    >>> from attention_core.arithmetic.terms import evaluate
    >>> evaluate(dot([Number(1.0), Number(2.0)], [Number(3.0), Number(4.0)]))
    11.0
    """
    return Operation("sum", tuple(product(*pair) for pair in zip(left, right, strict=True)))


def greatest_of(line: list[Number]) -> Term:
    """Return the greatest number of a list, as a calculation. It is 0 if all numbers are −∞.

    >>> from attention_core.arithmetic.terms import evaluate
    >>> evaluate(greatest_of([Number(1.0), Number(4.0)]))
    4.0
    """
    # A list that has only −∞ has no greatest score. Then 0 is subtracted, and every power is 0.
    return Operation("maximum", tuple(line)) if any(n.value > -math.inf for n in line) else Number(0.0)


def share_of(part: Term, total: Term) -> Term:
    """Return a part divided by its total, as a calculation, or 0 if the total is 0.

    >>> from attention_core.arithmetic.terms import evaluate
    >>> evaluate(share_of(Number(1.0), Number(4.0)))
    0.25
    """
    return Operation("quotient", (part, total)) if evaluate(total) > 0 else Number(0.0)
