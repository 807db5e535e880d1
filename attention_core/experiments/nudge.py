"""Measure how much a weight changes if its own score changes. Training can learn only from this change."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats
from attention_core.softmax import softmax


def weight_by_score(scores: ArrayLike, key: int, values: ArrayLike, scale: float) -> Array:
    """Return the weight of one key for several values of its score. The other scores of the row stay the same.

    softmax(s · scale)[key], with s[key] = each value in turn

    Shapes: scores (n,), values (m,) → (m,).
    Raises: ValueError if a score or a value is not finite.

    >>> weight_by_score([0.0, 5.0], 1, [0.0, 100.0], scale=1.0)
    array([0.5, 1. ])
    """
    values = floats("values", values)
    rows = np.tile(floats("scores", scores), (len(values), 1))
    rows[:, key] = values
    return softmax(rows * scale)[:, key]


def nudge(scores: ArrayLike, key: int, scale: float, by: float) -> float:
    """Return how much the weight of one key changes if its score is raised by `by`.

    For a small `by`, a weight a changes by a (1 − a) · scale · by. This is almost nothing if a is nearly 1.

    Shapes: scores (n,).
    Raises: ValueError if a score is not finite.

    >>> round(nudge([0.0, 0.0], 0, scale=1.0, by=0.01), 4), round(nudge([100.0, 0.0], 0, scale=1.0, by=0.01), 4)
    (0.0025, 0.0)
    """
    score = floats("scores", scores)[key]
    before, after = weight_by_score(scores, key, [score, score + by], scale)
    return float(after - before)
