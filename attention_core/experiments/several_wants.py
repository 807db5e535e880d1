"""A token that looks for two other tokens, and what it gains from a second head.

In one head, the two tokens share its weight. With two heads, each head attends to one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats


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
