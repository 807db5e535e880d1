"""Rotations: a shift of the sinusoidal encoding is a rotation, and RoPE rotates queries and keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.checks import Array, floats, positive_integer
from attention_core.positions import frequencies, rope, sinusoidal


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShiftTrace:
    """One pair of columns of the encoding, before and after a shift by some positions."""

    position: int  # the position before the shift
    shift: int  # by how many positions the pair is shifted
    pair: int  # the number of the pair, from 0
    d_model: int
    base: float
    before: Array  # (1, 2) sine and cosine at the position
    rotation: Array  # (2, 2) the matrix of the shift, which is the same for every position
    after: Array  # (1, 2) before · rotation
    direct: Array  # (1, 2) sine and cosine at position + shift, by the formula of the encoding
    circle: Array  # (n, 2) the pair at every position of the sequence


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RopeTrace:
    """One query and one key, both rotated at every position, and their scores."""

    q: Array  # (d_k,)
    k: Array  # (d_k,)
    base: float
    interleaved: bool
    q_turned: Array  # (n, d_k) the query rotated at each position
    k_turned: Array  # (n, d_k) the key rotated at each position
    scores: Array  # (n, n) q_turned k_turnedᵀ


def shift_rotation(shift: float, frequency: float) -> Array:
    """Return the matrix that shifts a pair of columns of the encoding by `shift` positions, from any position.

    [sin pω, cos pω] R = [sin (p+k)ω, cos (p+k)ω] with R = [[cos kω, −sin kω], [sin kω, cos kω]]

    Shapes: → (2, 2).
    Range:  a rotation: its transpose is its inverse.
    Source: Vaswani et al. 2017, section 3.5, which states that such a matrix exists.

    >>> shift_rotation(0, 1.0).tolist()
    [[1.0, -0.0], [0.0, 1.0]]
    """
    cos, sin = np.cos(shift * frequency), np.sin(shift * frequency)
    return np.array([[cos, -sin], [sin, cos]])


def shift_pair(
    position: int, shift: int, pair: int, d_model: int, base: float = 10000.0, *, n_positions: int = 1
) -> ShiftTrace:
    """Shift one pair of columns of the encoding from a position to another position.

    `pair` is the number of the pair, from 0. The result also has the pair at the first `n_positions` positions, in the
    field `circle`. `after` is computed by the rotation, and `direct`, the same pair, by the formula of the encoding.

    Shapes: before (1, 2) · rotation (2, 2) = after (1, 2); circle (n_positions, 2).
    Raises: ValueError if a position is below 0, or d_model has no such pair.
    Source: Vaswani et al. 2017, section 3.5.

    >>> trace = shift_pair(position=3, shift=2, pair=0, d_model=4)
    >>> trace.after.round(3), trace.direct.round(3)
    (array([[-0.959,  0.284]]), array([[-0.959,  0.284]]))
    """
    rates = frequencies(d_model, base)
    if not 0 <= pair < len(rates):
        raise ValueError(f"pair must be one of the {len(rates)} of d_model {d_model}; got {pair}: count from 0.")
    if position < 0 or position + shift < 0:
        raise ValueError(
            f"positions start at 0; got position {position}, shift {shift}: choose a shift of at least {-position}."
        )
    last = max(position, position + shift, positive_integer("n_positions", n_positions) - 1)
    columns = sinusoidal(last + 1, d_model, base)[:, 2 * pair : 2 * pair + 2]
    before, rotation = columns[position : position + 1], shift_rotation(shift, rates[pair])
    return ShiftTrace(
        position=position, shift=shift, pair=pair, d_model=d_model, base=base, before=before, rotation=rotation,
        after=before @ rotation, direct=columns[position + shift : position + shift + 1],
        circle=columns[:n_positions],
    )  # fmt: skip


def rope_partners(d: int, interleaved: bool = False) -> NDArray[np.intp]:
    """Return for each feature the index of the other feature of its pair. An odd last feature is its own partner.

    Shapes: → (d,), from 0.
    Raises: ValueError if d is not a whole number of at least 1.

    >>> rope_partners(5).tolist(), rope_partners(5, interleaved=True).tolist()
    ([2, 3, 0, 1, 4], [1, 0, 3, 2, 4])
    """
    even = positive_integer("d", d) - d % 2
    own = np.arange(even)
    pairs = own ^ 1 if interleaved else (own + even // 2) % max(even, 1)
    return np.append(pairs, np.arange(even, d))


def rope_scores(
    q: ArrayLike, k: ArrayLike, n_positions: int, base: float = 10000.0, interleaved: bool = False
) -> RopeTrace:
    """Compute the scores of one query at every position with one key at every position, both rotated by RoPE.

    scores[i, j] = rope(q, i) · rope(k, j), which depends only on i − j

    Shapes: q and k (d_k,) → scores (n_positions, n_positions). RoPE rotates pairs. If d_k is odd, the last feature
            stays as it is, as in models that rotate only a part of their features.
    Raises: ValueError if q and k differ in width.
    Source: Su et al. 2021, arXiv:2104.09864, eq. 34.

    >>> rope_scores([1.0, 0.0], [1.0, 0.0], n_positions=3).scores.round(2)
    array([[ 1.  ,  0.54, -0.42],
           [ 0.54,  1.  ,  0.54],
           [-0.42,  0.54,  1.  ]])
    """
    q, k = floats("q", q), floats("k", k)
    if q.shape != k.shape:
        raise ValueError(f"q and k must share d_k; got q {q.shape}, k {k.shape}: give one query and one key.")
    q_turned, k_turned = (_rotate(x, positive_integer("n_positions", n_positions), base, interleaved) for x in (q, k))
    return RopeTrace(
        q=q, k=k, base=base, interleaved=interleaved,
        q_turned=q_turned, k_turned=k_turned, scores=q_turned @ k_turned.T,
    )  # fmt: skip


def _rotate(x: Array, n: int, base: float, interleaved: bool) -> Array:
    copies, even = np.tile(x, (n, 1)), len(x) - len(x) % 2
    if even == 0:
        return copies
    return np.concatenate([rope(copies[:, :even], np.arange(n), base, interleaved), copies[:, even:]], axis=-1)
