"""Where a number stands and what its matrix is called, in words."""

from __future__ import annotations

from collections.abc import Sequence

from pages.shared.notation.symbols import SYMBOLS, shown_as

STEPS = {"exponents": "exponents", "angles": "angles"}  # without a symbol of their own


def cell(place: Sequence[int]) -> str:
    """Say where a number stands, counted from 1; a head comes before the row."""
    *head, row, column = (i + 1 for i in place)
    return f"row {row}, column {column}" + (f" of head {head[0]}" if head else "")


def what(stage: str) -> str:
    """Return what the matrix of a stage is called."""
    return STEPS.get(stage) or SYMBOLS[shown_as(stage)][1]
