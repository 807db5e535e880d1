"""The sinusoidal encoding with every intermediate, as attention has its own trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array, positive, positive_integer
from attention_core.positions import even_width


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PositionTrace:
    """Every intermediate of the sinusoidal encoding; a column has its own exponent, a pair the same one twice."""

    n_positions: int
    d_model: int
    base: float
    exponents: Array  # (1, d_model) 2i / d_model: 0, 0, 2/d, 2/d …
    angles: Array  # (n_positions, d_model) position / base^exponent, in radians
    encoding: Array  # (n_positions, d_model) the sine of even columns, the cosine of odd ones

    @property
    def output(self) -> Array:
        """What the whole computation is for: the encoding."""
        return self.encoding


def sinusoidal_steps(n_positions: int, d_model: int, base: float = 10000.0) -> PositionTrace:
    """Encode positions and keep every step.

    PE[pos, 2i] = sin(pos / base^(2i/d_model)), PE[pos, 2i+1] = cos(pos / base^(2i/d_model))

    Shapes: → encoding (n_positions, d_model); an odd width leaves out the last cosine of the next even one.
    Range:  −1 to 1.
    Raises: ValueError if a size is not a whole number of at least 1, or the base is not positive.
    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal_steps(1, 4).exponents
    array([[0. , 0. , 0.5, 0.5]])
    """
    columns = np.arange(positive_integer("d_model", d_model))
    exponents = (columns - columns % 2)[None] / even_width(d_model)
    return with_exponents(positive_integer("n_positions", n_positions), exponents, positive("base", base))


def with_exponents(n_positions: int, exponents: Array, base: float) -> PositionTrace:
    """Encode positions with these exponents."""
    angles = np.arange(n_positions)[:, None] * base**-exponents
    return PositionTrace(
        n_positions=n_positions, d_model=exponents.shape[-1], base=base,
        exponents=exponents, angles=angles, encoding=waves(angles),
    )  # fmt: skip


def waves(angles: Array) -> Array:
    """Return the sine of even columns and the cosine of odd ones."""
    encoding = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, 1::2])
    return encoding
