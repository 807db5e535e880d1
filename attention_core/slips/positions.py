"""Slips of the sinusoidal encoding: the index misread."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array, positive_integer
from attention_core.positions import frequencies


def sinusoidal_doubled_exponent(n_positions: int, d_model: int, base: float = 10000.0) -> Array:
    """Count i in steps of 2, as columns, and double it all the same.

    PE[pos, i] = sin(pos / base^(2i/d_model)), PE[pos, i+1] = cos(pos / base^(2i/d_model)) for i = 0, 2, 4 …

    Shapes: → (n_positions, d_model).
    Raises: ValueError as `sinusoidal`.
    Wrong:  it is the paper's formula with base². Sine and cosine still pair, so dot products depend on distance only,
            but the frequencies fall twice as fast, and the upper half of the columns hardly moves.
    Source: erratum 001-01.
    """
    angles = _positions(n_positions) * frequencies(d_model, base) ** 2
    return _interleaved(np.sin(angles), np.cos(angles))


def sinusoidal_shifted_cosine(n_positions: int, d_model: int, base: float = 10000.0) -> Array:
    """Double the exponent, and give the cosine the next column's.

    PE[pos, i] = sin(pos / base^(2i/d_model)), PE[pos, i+1] = cos(pos / base^(2(i+1)/d_model)) for i = 0, 2, 4 …

    Shapes: → (n_positions, d_model).
    Raises: ValueError as `sinusoidal`.
    Wrong:  sine and cosine of a pair no longer turn together, so the dot product of two rows depends on where they
            are, not on their distance alone.
    Source: SamLynnEvans/Transformer#25, jadore801120/attention-is-all-you-need-pytorch#32, shenweichen/DeepCTR#379.
    """
    doubled = frequencies(d_model, base) ** 2
    next_column = doubled * float(base) ** (-2 / d_model)
    return _interleaved(np.sin(_positions(n_positions) * doubled), np.cos(_positions(n_positions) * next_column))


def _positions(n_positions: int) -> Array:
    return np.arange(positive_integer("n_positions", n_positions), dtype=np.float64)[:, None]


def _interleaved(sines: Array, cosines: Array) -> Array:
    return np.stack([sines, cosines], axis=-1).reshape(len(sines), -1)
