"""What large scores do to the weights, and a nudge to one score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats
from attention_core.softmax import fast_softmax_steps, softmax


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


@dataclass(frozen=True, slots=True)
class TwoWants:
    """A token for which two heads attend to two different keys."""

    token: int  # the number of the token, from 0
    heads: tuple[int, int]  # the numbers of the two heads
    keys: tuple[int, int]  # the key with the greatest weight in each of the two heads
    apart: tuple[float, float]  # the weight of this key in each of the two heads
    alone: tuple[float, float]  # the weights of both keys with one head
    gain: float  # how much more weight a key gets in its own head than with one head: the smaller of both gains


def two_wants(single_head: ArrayLike, heads: ArrayLike) -> TwoWants | None:
    """Return the token whose two keys get the most additional weight from two heads, or None if no token has such keys.

    `heads` has the weights of several heads, and `single_head` the weights of a single head. Two heads of a token may
    have their greatest weights on different keys. The gain of such a key is its weight in its head minus its weight in
    `single_head`. The gain of the token is the smaller gain of the two keys.

    Shapes: single_head (n_q, n_k), heads (h, n_q, n_k).
    Raises: ValueError if the shapes do not fit each other.

    >>> two_wants([[0.5, 0.5]], [[[0.9, 0.1]], [[0.2, 0.8]]]).keys
    (0, 1)
    """
    single_head, heads = floats("single_head", single_head), floats("heads", heads)
    if heads.ndim != 3 or heads.shape[1:] != single_head.shape:
        raise ValueError(
            f"heads must be weights of the shape of single_head; got single_head {single_head.shape}, "
            f"heads {heads.shape}: stack them."
        )
    best = max(_pairs_of_heads(single_head, heads), key=lambda wants: wants.gain, default=None)
    return best if best and best.gain > 0 else None


def _pairs_of_heads(one: Array, heads: Array) -> Iterator[TwoWants]:
    found = heads.argmax(axis=-1)
    for token in range(len(one)):
        for a, b in combinations(range(len(heads)), 2):
            keys = int(found[a, token]), int(found[b, token])
            if keys[0] != keys[1]:
                apart = float(heads[a, token, keys[0]]), float(heads[b, token, keys[1]])
                alone = float(one[token, keys[0]]), float(one[token, keys[1]])
                gain = min(np.subtract(apart, alone))
                yield TwoWants(token, (a, b), keys, apart, alone, float(gain))
