"""Check a result without knowing the correct result, as a careful reader can: its shapes, its sums, its numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.museum.exhibit import Outcome


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """The checks of a result that need no correct result: shapes, sums of weights, and NaN."""

    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...]]]  # by name: the actual shape, and the correct shape
    sums: Array | None  # the sum of each row of the weights, one head after another; None without weights
    finite: bool

    @property
    def has_correct_shapes(self) -> bool:
        """Whether every matrix has the correct shape."""
        return all(came == meant for came, meant in self.shapes.values())

    @property
    def sum_to_one(self) -> bool:
        """Whether every row of the weights sums to 1. True if there are no weights."""
        return self.sums is None or bool(np.allclose(self.sums, 1))

    @property
    def passes(self) -> bool:
        """Whether all checks pass, so that nothing looks wrong."""
        return self.has_correct_shapes and self.sum_to_one and self.finite


def inspect(outcome: Outcome) -> Inspection:
    """Check the wrong results of a cell without the correct numbers: the shapes, the sums of the weights, and NaN.

    >>> from attention_core.museum import exhibit
    >>> inspect(exhibit("two_loops").outcome()).passes
    True
    """
    names = [name for name in ("scores", "weights", "heads", "concat", "output", "encoding") if name in outcome.wrong]
    shapes = {name: (outcome.wrong[name].shape, outcome.correct[name].shape) for name in names}
    weights = outcome.wrong.get("weights")
    finite = all(bool(np.isfinite(outcome.wrong[name]).all()) for name in names)
    return Inspection(shapes, None if weights is None else weights.sum(axis=-1).ravel(), finite)
