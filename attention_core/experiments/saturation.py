"""Measure how close softmax comes to a single 1, and how the division of the scores by √d_k prevents that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats
from attention_core.softmax import fast_softmax_steps


@dataclass(frozen=True, slots=True, eq=False)
class Saturation:
    """How close softmax comes to a single 1 in a row, as means over many rows."""

    largest: Array  # the largest weight of a row
    entropies: Array  # the entropy of a row, in nats
    jacobians: Array  # the Frobenius norm of the softmax's Jacobian


def jacobian_norm(weights: ArrayLike) -> Array:
    """Measure how much softmax weights change if their scores change: the Frobenius norm of the Jacobian of softmax.

    J = diag(a) − a aᵀ, so ‖J‖² = Σ a² − 2 Σ a³ + (Σ a²)²

    Shapes: (…, n) → (…).
    Range:  0 if a is one-hot, √(n − 1) / n if all weights are equal, at most ½.
    Raises: ValueError if the weights are not finite numbers.

    >>> jacobian_norm([[0.5, 0.5], [1.0, 0.0]])
    array([0.5, 0. ])
    """
    return _jacobian_norm(floats("weights", weights), axis=-1)


def _jacobian_norm(a: Array, axis: int) -> Array:
    squares = a * a
    second, third = squares.sum(axis=axis), (squares * a).sum(axis=axis)
    return np.sqrt(np.maximum(second - 2 * third + second**2, 0))


def saturation(scores: ArrayLike, scale: float) -> Saturation:
    """Measure how close softmax(scores · scale) comes to a single 1, as means over its rows.

    Shapes: (…, n_rows, n_keys) → (…) each.
    Raises: ValueError if the scores are not finite.

    >>> saturation([[0.0, 0.0], [100.0, 0.0]], scale=1.0).largest
    array(0.75)
    """
    scaled = floats("scores", scores, min_rank=2) * scale
    # Keys first, because NumPy sums ten long rows three times as fast as thousands of rows of ten.
    trace = fast_softmax_steps(np.ascontiguousarray(np.moveaxis(scaled, -1, 0)), axis=0)
    means = (trace.weights.max(axis=0), trace.entropies[0], _jacobian_norm(trace.weights, axis=0))
    return Saturation(*(np.asarray(each.mean(axis=-1)) for each in means))


def swapped_pairs(before: ArrayLike, after: ArrayLike) -> int:
    """Count the pairs of numbers of a row that have one order in `before` and the reverse order in `after`.

    If only the sharpness of softmax changes, the order of the weights stays the same, and the count is 0.

    Shapes: before (…, n), after (…, n).
    Raises: ValueError if the shapes differ.

    >>> swapped_pairs([[3, 1, 2]], [[0.5, 0.2, 0.3]]), swapped_pairs([[3, 1, 2]], [[0.2, 0.5, 0.3]])
    (0, 3)
    """
    a, b = floats("before", before), floats("after", after)
    if a.shape != b.shape:
        raise ValueError(f"before and after must have one shape; got {a.shape}, {b.shape}: compare like with like.")
    signs = (np.sign(m[..., :, None] - m[..., None, :]) for m in (a, b))
    return int((np.multiply(*signs) < 0).sum() // 2)
