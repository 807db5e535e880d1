"""Calculations for numbers that were measured several times: the mean of each column, and its standard error."""

from __future__ import annotations

import numpy as np

from attention_core.arithmetic.building import column_of, given_rules
from attention_core.arithmetic.terms import Number, Operation, Term
from attention_core.arithmetic.worked import CellCalculations
from attention_core.checks import Array


def average_rules(name: str, values: Array) -> CellCalculations:
    """Return how two matrices are calculated, "averages" and "counts". Both have a row for each column of `values`.

    "averages" has the mean and the standard error of the column. "counts" has how many of its numbers are below 0.
    `name` is the name of `values` in the calculations.

    Shapes: values (n, columns) → averages (columns, 2), counts (columns, 1).
    """
    n = Number(float(len(values)))

    def mean(way: int) -> Operation:
        return Operation("quotient", (Operation("sum", tuple(column_of(name, values, way))), n))

    def error(way: int) -> Operation:
        away = [Operation("difference", (each, average(way))) for each in column_of(name, values, way)]
        squares = Operation("sum", tuple(Operation("power", (each, Number(2.0))) for each in away))
        spread = Operation("root", (Operation("quotient", (squares, Number(len(values) - 1.0))),))
        return Operation("quotient", (spread, Operation("root", (n,))))

    def average(way: int) -> Number:
        return Number(float(averages[way, 0]), "averages", (way, 0))

    def cell(way: int, j: int) -> Term:
        return error(way) if j else mean(way)

    def count(way: int, _: int) -> Term:
        return Operation("sum", tuple(Number(float(value < 0)) for value in values[:, way]))

    averages = averages_of(values)
    return CellCalculations(
        {**given_rules(**{name: values}), "averages": (averages, cell), "counts": (counts_of(values), count)}
    )


def averages_of(values: Array) -> Array:
    """Return the mean of each column and its standard error, one row for each column: (n, columns) → (columns, 2).

    >>> averages_of(np.array([[1.0], [3.0]]))
    array([[2., 1.]])
    """
    return np.stack([values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))], axis=1)


def counts_of(values: Array) -> Array:
    """Return how many numbers of each column are below 0, one row for each column: (n, columns) → (columns, 1).

    >>> counts_of(np.array([[-1.0, 2.0], [-3.0, 4.0]]))
    array([[2.],
           [0.]])
    """
    return (values < 0).sum(axis=0)[:, None].astype(float)
