"""Tell attention the order of tokens: by added waves (sinusoidal), by rotations (RoPE) or by penalties (ALiBi)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, positive, positive_integer


def frequencies(d: int, base: float = 10000.0) -> Array:
    """Return the angle by which each pair of features advances from one position to the next, in radians.

    base ** (−2i / d) for i = 0 … d/2 − 1: from 1 down to nearly 1/base.

    Raises: ValueError if d is odd or the base is not positive.
    Source: Vaswani et al. 2017, section 3.5.

    >>> frequencies(4)
    array([1.  , 0.01])
    """
    if positive_integer("d", d) % 2:
        raise ValueError(f"d must be even, a sine and a cosine a pair; got {d}: use {d + 1} or {d - 1}.")
    return positive("base", base) ** (-np.arange(0, d, 2) / d)


def sinusoidal(n_positions: int, d_model: int, base: float = 10000.0) -> Array:
    """Return a row of sines and cosines for each position, which is added to the embedding at this position.

    PE[pos, 2i] = sin(pos / base^(2i/d_model)), PE[pos, 2i+1] = cos(pos / base^(2i/d_model))

    Shapes: → (n_positions, d_model).
    Range:  −1 to 1; the dot product of two rows depends only on their distance.
    Raises: ValueError if d_model is odd, n_positions is not at least 1, or the base is not positive.
    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal(1, 4)
    array([[0., 1., 0., 1.]])
    """
    return sinusoidal_at(np.arange(positive_integer("n_positions", n_positions)), d_model, base)


def sinusoidal_at(positions: ArrayLike, d_model: int, base: float = 10000.0) -> Array:
    """Return the encoding of any positions, also of positions between whole numbers, one row for each position.

    Shapes: positions (n,) → (n, d_model).
    Range:  −1 to 1.
    Raises: ValueError for the same reasons as `sinusoidal`, or if the positions are not finite.

    >>> sinusoidal_at([0.5], 2).round(2)
    array([[0.48, 0.88]])
    """
    angles = floats("positions", positions)[:, None] * frequencies(d_model, base)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), d_model)


def sinusoidal_of_any_width(n_positions: int, d_model: int, base: float = 10000.0) -> Array:
    """Return the encoding for embeddings of any width. An odd width leaves out the last cosine of the next even width.

    Sines and cosines come in pairs, so the formula is only for even widths. With an odd width, the last column is a
    sine without its cosine. Therefore dot products of rows no longer depend only on the distance.

    Shapes: → (n_positions, d_model).
    Range:  −1 to 1.
    Raises: ValueError if a size is not a whole number of at least 1 or the base is not positive.
    Source: even widths: Vaswani et al. 2017, section 3.5. Odd widths are a convention of this dashboard.

    >>> sinusoidal_of_any_width(1, 3)
    array([[0., 1., 0.]])
    """
    return sinusoidal(n_positions, even_width(d_model), base)[:, :d_model]


def even_width(d_model: int) -> int:
    """Return the width itself if it is even, and the next greater number otherwise.

    Raises: ValueError if the width is not a whole number of at least 1.

    >>> even_width(4), even_width(5)
    (4, 6)
    """
    return positive_integer("d_model", d_model) + d_model % 2


def wavelengths(d_model: int, base: float = 10000.0) -> Array:
    """Return the number of positions after which each pair of columns has the same numbers again.

    2π · base^(2i/d_model) for i = 0 … d_model/2 − 1

    Shapes: → (d_model/2,).
    Range:  at least 2π, for a base of at least 1.
    Raises: ValueError if d_model is odd or the base is not positive.
    Source: Vaswani et al. 2017, section 3.5.

    >>> wavelengths(4).round(2)
    array([  6.28, 628.32])
    """
    return 2 * np.pi / frequencies(d_model, base)


def rope(x: ArrayLike, positions: ArrayLike, base: float = 10000.0, interleaved: bool = False) -> Array:
    """Rotate each pair of features by an angle that grows with the position.

    (a, b) → (a cos θ − b sin θ, a sin θ + b cos θ), θ = position · base^(−2i/d)

    Shapes: x (…, n, d), positions (n,) or (…, n) → (…, n, d). Pairs are (i, i + d/2) or, if interleaved, neighbours
            (2i, 2i+1).
    Range:  lengths stay the same; the dot product of two rows depends only on their distance.
    Raises: ValueError if d is odd or the positions do not match n.
    Source: Su et al. 2021, arXiv:2104.09864, eq. 34.

    >>> rope([[1.0, 0.0]], [0]), rope([[1.0, 0.0]], [1]).round(2)
    (array([[1., 0.]]), array([[0.54, 0.84]]))
    """
    x, positions = floats("x", x, min_rank=2), floats("positions", positions)
    if positions.shape[-1] != x.shape[-2]:
        raise ValueError(
            f"x and positions must share n; got x {x.shape}, positions {positions.shape}: give one position a row."
        )
    angles = (positions[..., None] * frequencies(x.shape[-1], base)).astype(x.dtype)
    return rotary(x, np.cos(angles), np.sin(angles), interleaved)


def rotary(x: ArrayLike, cos: ArrayLike, sin: ArrayLike, interleaved: bool = False) -> Array:
    """Rotate pairs of features by angles, whose cosines and sines are given.

    The angles are for 2r features. The other features do not change. Pairs are as in `rope`.

    Shapes: x (…, n, d), cos and sin (…, n, r) with 2r ≤ d → (…, n, d).
    Raises: ValueError if cos and sin differ in shape, are wider than d/2, or do not broadcast to x.
    Source: Su et al. 2021, arXiv:2104.09864, eq. 34.

    >>> rotary([[1.0, 0.0]], cos=[[0.0]], sin=[[1.0]])
    array([[0., 1.]])
    """
    x, cos, sin = floats("x", x, min_rank=2), floats("cos", cos), floats("sin", sin)
    _check_angles(x, cos, sin)
    turning, rest = x[..., : 2 * cos.shape[-1]], x[..., 2 * cos.shape[-1] :]
    a, b = (turning[..., 0::2], turning[..., 1::2]) if interleaved else np.split(turning, 2, axis=-1)
    pair = (a * cos - b * sin, a * sin + b * cos)
    turned = np.stack(pair, axis=-1).reshape(turning.shape) if interleaved else np.concatenate(pair, axis=-1)
    return np.concatenate([turned, rest], axis=-1)


def _check_angles(x: Array, cos: Array, sin: Array) -> None:
    if cos.shape != sin.shape or 2 * cos.shape[-1] > x.shape[-1]:
        raise ValueError(
            f"cos and sin must have one shape, at most half as wide as x; got x {x.shape}, cos {cos.shape}, "
            f"sin {sin.shape}: give one angle a pair of features."
        )
    try:
        fits = np.broadcast_shapes(cos.shape[:-1], x.shape[:-1]) == x.shape[:-1]
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"angles must broadcast to x; got x {x.shape}, angles {cos.shape}: "
            "give one row of angles a token, with an axis of length 1 for every axis they share."
        )


def alibi_slopes(n_heads: int) -> Array:
    """Return the slope of each head: how much ALiBi lowers its scores if the distance grows by one position.

    2^(−8h/n_heads) for h = 1 … n_heads, if n_heads is a power of 2. Otherwise, these are the slopes for the power of 2
    below, and then every other slope for the power above.

    Shapes: → (n_heads,).
    Raises: ValueError if n_heads is not a whole number of at least 1.
    Source: Press et al. 2022, arXiv:2108.12409, section 3.

    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    below = 1 << positive_integer("n_heads", n_heads).bit_length() - 1
    slopes = 2.0 ** (-8 * np.arange(1, below + 1) / below)
    extra = 2.0 ** (-8 * np.arange(1, 2 * below + 1, 2) / (2 * below))
    return np.concatenate([slopes, extra])[:n_heads]


def alibi_bias(n_heads: int, n_q: int, n_k: int | None = None) -> Array:
    """Return ALiBi's penalties, which are added to the scaled scores and grow with the distance.

    −slope_h · |i − j|

    Shapes: → (n_heads, n_q, n_k); n_k is n_q unless given.
    Raises: ValueError for the same reasons as `alibi_slopes`.
    Source: Press et al. 2022, arXiv:2108.12409, section 3.

    >>> alibi_bias(1, 2)
    array([[[-0.        , -0.00390625],
            [-0.00390625, -0.        ]]])
    """
    keys = np.arange(positive_integer("n_k", n_q if n_k is None else n_k))
    distances = np.abs(np.arange(positive_integer("n_q", n_q))[:, None] - keys)
    return -alibi_slopes(n_heads)[:, None, None] * distances


def sines_first(table: ArrayLike) -> Array:
    """Put all sine columns of an encoding before all cosine columns, because such pictures are easier to read.

    Shapes: (n, d) → (n, d).
    Raises: ValueError if the table is not a matrix.
    Source: tensor2tensor and its descendants order the columns like this, tensorflow/tensor2tensor#391.

    >>> sines_first([[1, 2, 3, 4]]).tolist()
    [[1.0, 3.0, 2.0, 4.0]]
    """
    table = floats("table", table, min_rank=2)
    return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=-1)
