"""Explain how any cell of any matrix in a trace was computed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attention_core.arithmetic.rules import ExplainedTrace, rule_of, rules_of
from attention_core.arithmetic.terms import Cell, Number, Operation, evaluate


def explain(trace: ExplainedTrace, name: str, index: tuple[int, ...]) -> Cell:
    """Return the calculation of one cell of a matrix of a trace.

    The names of matrices are the fields of the trace. In a multi-head trace, `scores`, `scaled`, `masked`, `weights`
    and `heads` (the output of each head) have the indices head, row, column.

    Raises: ValueError if the trace has no such matrix or the matrix no such cell.

    >>> from attention_core.arithmetic.terms import evaluate
    >>> from attention_core.softmax import softmax_steps
    >>> cell = explain(softmax_steps([[0.0, 0.0]]), "weights", (0, 1))
    >>> cell.term.symbol, evaluate(cell.term)
    ('quotient', 0.5)
    """
    matrix, rule = rule_of(trace, name)
    if len(index) != matrix.ndim or not all(0 <= i < n for i, n in zip(index, matrix.shape, strict=True)):
        raise ValueError(f"a cell of {name} must lie within {matrix.shape}; got {index}: count from 0.")
    return Cell(name, index, float(matrix[index]), rule(*index))


def explain_all(trace: ExplainedTrace, name: str) -> Iterator[Cell]:
    """Return the calculation of every cell of a matrix of a trace, row by row.

    Raises: ValueError if the trace has no such matrix.

    >>> from attention_core.softmax import softmax_steps
    >>> [cell.index for cell in explain_all(softmax_steps([[0.0, 0.0]]), "weights")]
    [(0, 0), (0, 1)]
    """
    matrix, rule = rule_of(trace, name)
    return (Cell(name, index, float(matrix[index]), rule(*index)) for index in np.ndindex(matrix.shape))


def shape_of(trace: ExplainedTrace, name: str) -> tuple[int, ...]:
    """Return the shape of a matrix of a trace, or () if the trace has no matrix with this name.

    >>> from attention_core.softmax import softmax_steps
    >>> trace = softmax_steps([[0.0, 0.0, 0.0]])
    >>> shape_of(trace, "weights"), shape_of(trace, "nothing")
    ((1, 3), ())
    """
    rules = rules_of(trace)
    return rules[name][0].shape if name in rules else ()


def explain_sinusoidal(position: int, column: int, d_model: int, base: float = 10000.0) -> Cell:
    """Return the calculation of one cell of the sinusoidal encoding: sine or cosine of position / base^(2i/d_model).

    >>> from attention_core.arithmetic.terms import evaluate
    >>> evaluate(explain_sinusoidal(0, 1, d_model=4).term)
    1.0
    """
    exponent = Operation("quotient", (Number(column - column % 2, "2i"), Number(d_model, "d_model")))
    angle = Operation("quotient", (Number(position, "pos"), Operation("power", (Number(base, "base"), exponent))))
    term = Operation("cos" if column % 2 else "sin", (angle,))
    return Cell("sinusoidal", (position, column), evaluate(term), term)
