"""Inspection: what a careful reader can check without knowing the right result: shapes, sums, numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.museum.exhibit import Outcome


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """What a reader can check in a result without knowing the right result."""

    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]  # by name: the shape it has, the shape it should have
    sums: Array | None  # of each row of the weights, one head after the other; None without weights
    finite: bool

    @property
    def fit(self) -> bool:
        """Whether every shape is as it should be."""
        return all(came == meant for came, meant in self.shapes.values())

    @property
    def sum_to_one(self) -> bool:
        """Whether every row of the weights sums to 1, if there are any."""
        return self.sums is None or bool(np.allclose(self.sums, 1))

    @property
    def passes(self) -> bool:
        """Whether nothing looks wrong."""
        return self.fit and self.sum_to_one and self.finite


def inspect(outcome: Outcome) -> Inspection:
    """Check a result without knowing the right numbers.

    >>> from attention_core.museum import exhibit
    >>> inspect(exhibit("two_loops").outcome()).passes
    True
    """
    names = [name for name in ("scores", "weights", "heads", "concat", "output", "encoding") if name in outcome.wrong]
    shapes = {name: (outcome.wrong[name].shape, outcome.right[name].shape) for name in names}
    weights = outcome.wrong.get("weights")
    finite = all(bool(np.isfinite(outcome.wrong[name]).all()) for name in names)
    return Inspection(shapes, None if weights is None else weights.sum(axis=-1).ravel(), finite)
