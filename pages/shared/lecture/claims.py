"""Claims: comparisons about the numbers on the screen, and the numbers in the braces of a scene's text.

A test checks that the claims of all scenes are true. `notation/expressions.py` has the language of claims. A claim can
name the matrices that the page shows and the parameters of the page that are numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.notation.expressions import Names, evaluate
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.texts import IN_BRACES


def names_on_screen(equations: Iterable[Iterable[Line]], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a claim (a comparison in a scene, such as "a[0,1] > 0.5") can name."""
    names: dict[str, Any] = {name: value for name, value in parameters.items() if isinstance(value, int | float)}
    matrices = [matrix for lines in equations for matrix in matrices_of(lines)]
    for matrix in sorted(matrices, key=lambda matrix: matrix.only_row is None):  # whole matrices replace single rows
        names[matrix.id] = _shown_numbers(matrix)
    return names


def _shown_numbers(matrix: Matrix) -> np.ndarray:
    values = np.array(matrix.values, dtype=float)
    if matrix.only_row is not None:
        values[np.arange(len(values)) != matrix.only_row] = np.nan
    return values


def holds(claim: str, names: Names) -> bool:
    """Return whether a claim is true. A claim is a comparison such as "a[0,1] > 0.5"."""
    return bool(np.all(evaluate(claim, names)))


def fill_braces(text: str, names: Names, decimals: int) -> str:
    """Return a text in which each expression in braces is replaced by its value, rounded as on the screen.

    >>> fill_braces("It gets {a[0,0]} of {a[0,0] + 3}.", {"a": np.array([[-0.256]])}, 2)
    'It gets −0.26 of 2.74.'
    """
    return IN_BRACES.sub(
        lambda found: format_as_shown(float(evaluate(found[1], names)), decimals) if found[1] else found[0][0], text
    )
