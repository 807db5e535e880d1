"""The softmax of the page “Softmax axes”: its scores, its axis, its base and its temperature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_core import add_constant, softmax_steps
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.mistakes import naive_softmax_steps
from attention_core.softmax import SoftmaxTrace
from pages.shared.equation import Matrix, Sign
from pages.shared.equation.matrices import softmax_matrices
from pages.shared.lessons.check_my_matrix.reading import matrix_as_text
from pages.shared.lessons.softmax_axes.reasons import place_of_greatest
from pages.shared.notation.symbols import SYMBOLS

AXES = {"rows": -1, "columns": 0, "whole": None}
BASES = {"e": 2.718281828459045, "2": 2.0, "3": 3.0}
LADDER = (0.25, 0.5, 1.0, 2.0, 4.0)  # temperatures to compare

_softmax_matrices = cache_recent(softmax_matrices)


def scores_of(parameters: Any, example: Example) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
    """Return the scores that the page shows, the labels of their rows, and the labels of their columns.

    Scores that the visitor has typed in have no labels.
    """
    if parameters.source == "array":
        return parameters.scores, (), ()
    return getattr(example.attention(), id_of_scores(parameters)), example.tokens, example.key_tokens


def id_of_scores(parameters: Any) -> str:
    """Return the id of the scores in the table of symbols.

    It is "scaled" for the scores of an example, and "scores" for scores that the visitor has typed in.
    """
    return "scaled" if parameters.source == "example" else "scores"


def symbol_of_scores(parameters: Any) -> str:
    """Return the symbol of the scores in a formula."""
    return SYMBOLS[id_of_scores(parameters)].symbol


def names_of(parameters: Any, example: Example) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names for the rows and for the columns of the scores: tokens, or “row 1” and “column 1”, and so on."""
    scores, tokens, key_tokens = scores_of(parameters, example)
    rows = tuple(parameters.in_layout(f"row {i}") for i, _ in enumerate(scores, start=1))
    columns = tuple(parameters.in_layout(f"column {j}") for j, _ in enumerate(scores[0], start=1))
    return tokens or rows, key_tokens or columns


def trace(parameters: Any, example: Example, axis: str) -> SoftmaxTrace:
    """Return the steps of softmax along `axis` ("rows", "columns" or "whole"), with the settings of the page."""
    p = parameters
    return _softmax(_scores_or_example(p, example), axis, p.temperature, p.base, p.constant, p.subtract)


def without_overflow(parameters: Any, example: Example, axis: str = "rows", **others: Any) -> SoftmaxTrace:
    """Return the steps of softmax with the greatest score subtracted first, so that nothing overflows.

    `others` replaces settings of the page, such as `temperature=1.0`.
    """
    p = parameters
    settings = {"temperature": p.temperature, "base": p.base, "constant": p.constant, **others}
    return _softmax(_scores_or_example(p, example), axis, **settings, subtract=True)


def matrices(parameters: Any, example: Example) -> dict[str, dict[str, Matrix]]:
    """Return the powers, the weights and the entropies of softmax, for each axis by its name."""
    (_, rows, columns), name = scores_of(parameters, example), id_of_scores(parameters)
    return {axis: _softmax_matrices(trace(parameters, example, axis), axis, rows, columns, name) for axis in AXES}


def has_numbers(matrix: Matrix) -> bool:
    """Return whether a matrix has at least one number. If all powers overflow, all its cells are NaN."""
    return not np.isnan(matrix.values).all()


def weights_by_temperature(parameters: Any, example: Example) -> tuple[int, Mapping[float, np.ndarray]]:
    """Return the index of the token with the greatest weight, and its weights by temperature."""
    asks, _ = place_of_greatest(without_overflow(parameters, example, temperature=1.0).weights)
    return asks, {t: without_overflow(parameters, example, temperature=t).weights[asks] for t in LADDER}


def powers_sign(parameters: Any) -> Sign:
    """Return the sign between the scores and their powers, such as e^S with an arrow."""
    constant = f" + {parameters.constant}" if parameters.constant else ""
    exponent = f"{symbol_of_scores(parameters)}{constant}{' − max' if parameters.subtract else ''}"
    if parameters.temperature != 1:
        exponent = f"( {exponent} ) / {parameters.temperature:g}"
    return Sign(f"{parameters.base}^{{{exponent}}}", arrow=True)


def _scores_or_example(parameters: Any, example: Example) -> Any:
    if parameters.source == "undivided":
        return tuple(map(tuple, example.attention().scores.tolist()))
    return parameters.scores if parameters.source == "array" else example


@cache_recent
def _softmax(given: Any, axis: str, temperature: float, base: str, constant: int, subtract: bool) -> SoftmaxTrace:
    softmax = softmax_steps if subtract else naive_softmax_steps
    scores = given.attention().scaled if isinstance(given, Example) else given
    return softmax(add_constant(scores, constant), AXES[axis], temperature, BASES[base])


def link_to_check(parameters: Any, example: Example) -> Mapping[str, str] | None:
    """Return the parameters with which a link opens “Check my matrix” to check the weights of the shown scores.

    Return None if the softmax of the shown scores is not the usual one.
    """
    if (parameters.temperature, parameters.base) != (1.0, "e"):
        return None
    own = {"source": "scores", "own_scores": matrix_as_text(parameters, np.array(parameters.scores))}
    return {"asked": "weights"} | {"array": own, "undivided": {"scale": "none"}}.get(parameters.source, {})
