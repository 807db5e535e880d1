"""Matrices with the calculations of their cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attention_core.arithmetic.terms import Term
from attention_core.checks import Array

Rule = tuple[Array, Callable[..., Term]]  # a matrix, and the function that gives the calculation of a cell by its index
Rules = Mapping[str, Rule]


@dataclass(frozen=True, slots=True, eq=False)
class CellCalculations:
    """Matrices by name, each with a function that returns the calculation of a cell from its index."""

    rules: Rules
