"""Several wants: a token that looks for two others at once. In one head they share its weight; two heads find both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats


@dataclass(frozen=True, slots=True)
class TwoWants:
    """A token that two heads send to two others."""

    token: int
    heads: tuple[int, int]
    keys: tuple[int, int]  # whom each of them finds
    apart: tuple[float, float]  # the weight that each of them gives to what it finds
    alone: tuple[float, float]  # what one head gives to each of the two
    gain: float  # the lesser of what two heads give more


def two_wants(one: ArrayLike, heads: ArrayLike) -> TwoWants | None:
    """Return the token to whom two heads are worth most, or None if no two heads find more than one head.

    A head finds the key to which it gives most. Two heads are worth the lesser of what they give more to the two keys
    that they find than one head does.

    Shapes: one (n_q, n_k), heads (h, n_q, n_k).
    Raises: ValueError if the shapes do not fit each other.
    """
    one, heads = floats("one", one), floats("heads", heads)
    if heads.ndim != 3 or heads.shape[1:] != one.shape:
        raise ValueError(
            f"heads must be weights like those of one; got one {one.shape}, heads {heads.shape}: stack them."
        )
    best = max(_wants(one, heads), key=lambda wants: wants.gain, default=None)
    return best if best and best.gain > 0 else None


def _wants(one: Array, heads: Array) -> Iterator[TwoWants]:
    found = heads.argmax(axis=-1)
    for token in range(len(one)):
        for a, b in combinations(range(len(heads)), 2):
            keys = int(found[a, token]), int(found[b, token])
            if keys[0] != keys[1]:
                apart = float(heads[a, token, keys[0]]), float(heads[b, token, keys[1]])
                alone = float(one[token, keys[0]]), float(one[token, keys[1]])
                gain = min(np.subtract(apart, alone))
                yield TwoWants(token, (a, b), keys, apart, alone, float(gain))
