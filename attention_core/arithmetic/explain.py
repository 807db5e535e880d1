"""Explain how any cell of any matrix in a trace was computed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attention_core.arithmetic.rules import Trace, rule_of, rules_of
from attention_core.arithmetic.terms import Cell, Number, Operation, evaluate


def explain(trace: Trace, name: str, index: tuple[int, ...]) -> Cell:
    """Return the calculation of one cell of a matrix of a trace.

    Names are the trace's fields; in a multi-head trace, `scores`, `scaled`, `masked`, `weights` and `heads` (each
    head's output) are indexed by head, row, column.

    Raises: ValueError if the trace has no such matrix or the matrix no such cell.
    """
    matrix, rule = rule_of(trace, name)
    if len(index) != matrix.ndim or not all(0 <= i < n for i, n in zip(index, matrix.shape, strict=True)):
        raise ValueError(f"a cell of {name} must lie within {matrix.shape}; got {index}: count from 0.")
    return Cell(name, index, float(matrix[index]), rule(*index))


def explain_all(trace: Trace, name: str) -> Iterator[Cell]:
    """Return the calculation of every cell of a matrix of a trace, row by row.

    Raises: ValueError if the trace has no such matrix.
    """
    matrix, rule = rule_of(trace, name)
    return (Cell(name, index, float(matrix[index]), rule(*index)) for index in np.ndindex(matrix.shape))


def shape_of(trace: Trace, name: str) -> tuple[int, ...]:
    """Return the shape of a matrix of a trace, or () if `explain` knows no matrix of this name."""
    rules = rules_of(trace)
    return rules[name][0].shape if name in rules else ()


def explain_sinusoidal(position: int, column: int, d_model: int, base: float = 10000.0) -> Cell:
    """Return the calculation of one cell of the encoding: the sine or cosine of position / base^(2i/d_model)."""
    exponent = Operation("quotient", (Number(column - column % 2, "2i"), Number(d_model, "d_model")))
    angle = Operation("quotient", (Number(position, "pos"), Operation("power", (Number(base, "base"), exponent))))
    term = Operation("cos" if column % 2 else "sin", (angle,))
    return Cell("sinusoidal", (position, column), evaluate(term), term)
