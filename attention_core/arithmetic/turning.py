"""The calculation of a cell in a row that RoPE rotates by its position."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core.arithmetic.terms import Number, Operation, Term
from attention_core.rotation import rope_partners


def rotated_cell(row: Sequence[Number], column: int, position: int, base: float, *, interleaved: bool) -> Term:
    """Return the calculation of one cell of a row after RoPE has rotated the row by its position.

    x[column] cos θ ∓ x[partner] sin θ, θ = position / base^(2i / width)

    The column is one of pair i, and the partner is the other (see `rope_partners`). An odd last column does not change.
    """
    even = len(row) - len(row) % 2
    width = Number(even, "d_k" if even == len(row) else None)
    partner = int(rope_partners(len(row), interleaved)[column])
    if partner == column:
        return row[column]
    first = min(column, partner)
    angle = angle_of(Number(position, "pos"), first if interleaved else 2 * first, width, base)
    along = Operation("product", (row[column], Operation("cos", (angle,))))
    across = Operation("product", (row[partner], Operation("sin", (angle,))))
    return Operation("difference" if column == first else "sum", (along, across))


def angle_of(position: Number, double: int, width: Number, base: float) -> Operation:
    """Return the calculation of the angle position / base^(2i / width), in which i is the number of a pair of columns.

    `double` is 2i.
    """
    exponent = Operation("quotient", (Number(double, "2i"), width))
    return Operation("quotient", (position, Operation("power", (Number(base, "base"), exponent))))
