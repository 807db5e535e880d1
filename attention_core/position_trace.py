"""The sinusoidal encoding with every intermediate result."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, positive, positive_integer
from attention_core.positions import even_width


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PositionTrace:
    """Every intermediate result of the sinusoidal encoding.

    Each column has an exponent. Both columns of a pair have the same exponent.
    """

    positions: Array  # (n,) the position of each row, from 0
    d_model: int
    base: float
    exponents: Array  # (1, d_model) 2i / d_model: 0, 0, 2/d, 2/d …
    angles: Array  # (n, d_model) position / base^exponent, in radians
    encoding: Array  # (n, d_model) the sine of the angle in even columns, the cosine in odd columns
    x: Array | None = None  # (n, d_model) embeddings to which the encoding is added
    positioned: Array | None = None  # (n, d_model) x · √d_model + encoding

    @property
    def output(self) -> Array:
        """The final result: the encoding plus the embeddings, or only the encoding if there are no embeddings."""
        return self.encoding if self.positioned is None else self.positioned


def sinusoidal_steps(n_positions: int, d_model: int, base: float = 10000.0) -> PositionTrace:
    """Compute the sinusoidal encoding of positions, and return every step.

    PE[pos, 2i] = sin(pos / base^(2i/d_model)), PE[pos, 2i+1] = cos(pos / base^(2i/d_model))

    Shapes: → encoding (n_positions, d_model); an odd width leaves out the last cosine of the next even width.
    Range:  −1 to 1.
    Raises: ValueError if a size is not a whole number of at least 1, or the base is not positive.
    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal_steps(1, 4).exponents
    array([[0. , 0. , 0.5, 0.5]])
    """
    positions = np.arange(positive_integer("n_positions", n_positions), dtype=np.float64)
    return _steps(positions, positive_integer("d_model", d_model), base)


def encode(x: ArrayLike, positions: ArrayLike, base: float = 10000.0) -> PositionTrace:
    """Add to each token's embedding the encoding of the token's position, and return every step.

    x · √d_model + PE[positions]

    Shapes: x (n, d_model), positions (n,) → positioned (n, d_model).
    Raises: ValueError if there are more or fewer positions than tokens, and the errors of `sinusoidal_steps`.
    Source: Vaswani et al. 2017, sections 3.4 and 3.5.

    >>> encode([[1.0, 1.0]], [0]).positioned.round(2)
    array([[1.41, 2.41]])
    """
    x, places = floats("x", x, min_rank=2), floats("positions", positions)
    if len(x) != len(places):
        raise ValueError(f"x needs a position a row; got {len(places)} positions for x {x.shape}: give each its own.")
    trace = _steps(places, x.shape[-1], base)
    return with_encoding(replace(trace, x=x), trace.encoding)


def _steps(positions: Array, d_model: int, base: float) -> PositionTrace:
    columns = np.arange(d_model)
    exponents = (columns - columns % 2)[None] / even_width(d_model)
    empty = np.empty((len(positions), d_model))
    trace = PositionTrace(
        positions=positions, d_model=d_model, base=positive("base", base),
        exponents=exponents, angles=empty, encoding=empty,
    )  # fmt: skip
    return with_exponents(trace, exponents, trace.base)


def with_exponents(trace: PositionTrace, exponents: Array, base: float) -> PositionTrace:
    """Return the trace with other exponents or another base, and compute all later steps again."""
    return with_angles(replace(trace, exponents=exponents, base=base), trace.positions[:, None] * base**-exponents)


def with_angles(trace: PositionTrace, angles: Array) -> PositionTrace:
    """Return the trace with other angles, and compute all later steps again.

    >>> with_angles(sinusoidal_steps(1, 2), np.zeros((1, 2))).encoding
    array([[0., 1.]])
    """
    waves = np.sin(angles)
    waves[:, 1::2] = np.cos(angles[:, 1::2])
    return with_encoding(replace(trace, angles=angles), waves)


def with_encoding(trace: PositionTrace, encoding: Array) -> PositionTrace:
    """Return the trace with another encoding, and compute the sum with the embeddings again."""
    positioned = None if trace.x is None else trace.x * trace.d_model**0.5 + encoding
    return replace(trace, encoding=encoding, positioned=positioned)
