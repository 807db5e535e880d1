"""The matrices of the story that screens of the path show, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from attention_core.arithmetic.path_rules import path_rules, plain_softmax_rules
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.path_steps import path_steps
from pages.shared.equation import Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.labels import Labels, labels_of
from pages.shared.equation.matrices import attention_matrices, limits_of
from pages.shared.notation.symbols import SYMBOLS

_PLAIN = ("powers", "weights")  # of scores that are not divided


@cache_recent
def story_matrices(example: Example) -> Mapping[str, Matrix]:
    """Return the matrices of one head, rows compared with rows, what is added to each row, and undivided weights.

    The powers and weights of scores that are not divided end in `_plain`.
    """
    steps = path_steps(example)
    m = dict(attention_matrices(example, steps.attention))
    values = {name: matrix.values for name, matrix in m.items()}
    values |= {name: getattr(steps, name) for name in ("overlaps", "mixed", "summed")}
    computation = Computation(path_rules(steps, example.w_o))
    limits = limits_of(values) | {"mixed": _greatest(steps.summed), "summed": _greatest(steps.summed)}
    pairs, rows = labels_of("scores", example, 0), labels_of("x", example, example.x.shape[1])
    for name, labels in (("overlaps", pairs), ("mixed", rows), ("summed", rows)):
        m[name] = _matrix(name, values[name], limits.get(name, _greatest(values[name])), labels).computed(computation)
    return MappingProxyType(m | _plain(example, pairs))


def _plain(example: Example, labels: Labels) -> dict[str, Matrix]:
    steps = path_steps(example)
    values = {"scores": steps.attention.scores, "powers": steps.powers, "weights": steps.plain.weights}
    computation = Computation(plain_softmax_rules(steps))
    made = {name: _matrix(name, values[name], _greatest(values[name]), labels).computed(computation) for name in _PLAIN}
    return {f"{name}_plain": matrix.with_suffix("_plain", made) for name, matrix in made.items()}


def bare_matrix(id: str, values: np.ndarray, labels: Labels) -> Matrix:
    """Return a matrix of numbers that nothing on the screen explains; its id begins with its name."""
    return replace(_matrix(id.partition("_")[0], values, _greatest(values), labels), id=id)


def _matrix(name: str, values: np.ndarray, limit: float, labels: Labels) -> Matrix:
    symbol, words, *_ = SYMBOLS[name]
    return Matrix(
        id=name, symbol=symbol, name=words.capitalize(), values=values, limit=1.0 if name == "weights" else limit,
        tint="weight" if name in ("weights", "powers") else "signed", **labels,
    )  # fmt: skip


def _greatest(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0.0)) or 1.0
