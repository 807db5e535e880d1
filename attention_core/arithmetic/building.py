"""The parts of calculations: the cells of a matrix as numbers, and operations that several calculations need."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import numpy as np

from attention_core.arithmetic.terms import Number, Operation, Term, evaluate
from attention_core.arithmetic.worked import Rules
from attention_core.checks import Array


def given_rules(**matrices: Array | None) -> Rules:
    """Return the calculations of matrices whose cells are given numbers. Each calculation is only the cell itself.

    `matrices` are the matrices by name. A matrix that is None is left out.
    """
    present = {name: np.asarray(matrix) for name, matrix in matrices.items() if matrix is not None}
    return {name: (matrix, partial(cell_of, name, matrix)) for name, matrix in present.items()}


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


def block_of(h: int, width: int) -> range:
    """Return the indices of the rows or columns that belong to head `h`, if each head has `width` rows or columns.

    >>> block_of(1, 2)
    range(2, 4)
    """
    return range(h * width, (h + 1) * width)


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


def with_bias(products: Operation, name: str, b: Array | None, column: int) -> Operation:
    """Return the calculation of `products` plus the bias of a column, or `products` itself if there is no bias.

    `products` is a sum of products. `b` has the biases, and `name` is the name of `b`.
    """
    return products if b is None else Operation("sum", (*products.terms, cell_of(name, b, column)))


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
