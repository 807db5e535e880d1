"""The matrices that the screens of the path show, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from attention_core.arithmetic.path_rules import path_rules, plain_softmax_rules
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.path_steps import path_steps
from pages.shared.equation import Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.labels import Labels, labels_of
from pages.shared.equation.matrices import attention_matrices
from pages.shared.equation.model import greatest_magnitude


@cache_recent
def story_matrices(example: Example) -> Mapping[str, Matrix]:
    """Return all matrices of the path by name: those of one head, and some more.

    "overlaps" has the dot products of all rows of the input, "mixed" is what attention adds to each row, and "summed"
    is the sum. Names that end in `_plain` belong to scores that are not divided by √d_k.
    """
    steps = path_steps(example)
    m = dict(attention_matrices(example, steps.attention))
    computation = Computation(path_rules(steps, example.w_o))
    pairs, rows = labels_of("scores", example, 0), labels_of("x", example, example.x.shape[1])
    limit = greatest_magnitude(steps.summed)
    m["overlaps"] = Matrix.named("overlaps", steps.overlaps, **pairs).with_computation(computation)
    m["mixed"] = Matrix.named("mixed", steps.mixed, limit=limit, **rows).with_computation(computation)
    m["summed"] = Matrix.named("summed", steps.summed, limit=limit, **rows).with_computation(computation)
    return MappingProxyType(m | _plain(example, pairs))


def _plain(example: Example, labels: Labels) -> dict[str, Matrix]:
    steps = path_steps(example)
    computation = Computation(plain_softmax_rules(steps))
    powers = Matrix.named("powers", steps.powers, limit=greatest_magnitude(steps.powers), **labels)
    made = {"powers": powers, "weights": Matrix.named("weights", steps.plain.weights, **labels)}
    return {
        f"{name}_plain": each.with_computation(computation).with_suffix("_plain", made) for name, each in made.items()
    }


def bare_matrix(id: str, values: np.ndarray, labels: Labels) -> Matrix:
    """Return a matrix whose cells have no explanation. Its name is the part of `id` before the first "_"."""
    return Matrix.named(id.partition("_")[0], values, id=id, **labels)
