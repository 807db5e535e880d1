"""Matrices with the rule that gives each of their cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attention_core.arithmetic.terms import Term
from attention_core.checks import Array

Rule = tuple[Array, Callable[..., Term]]  # the matrix, and a function that gives the calculation of a cell
Rules = Mapping[str, Rule]


@dataclass(frozen=True, slots=True, eq=False)
class Worked:
    """Matrices, each with a rule: a function that gives the calculation of a cell."""

    rules: Rules
