"""Softmax: turn scores into weights that are positive and sum to 1."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, positive
from attention_core.late_import import late_import


@dataclass(frozen=True, slots=True, eq=False)
class SoftmaxTrace:
    """Every intermediate result of a softmax. `peak` and `totals` keep the summed axis with length 1."""

    scores: Array  # any shape
    axis: int | None  # the axis that sums to 1; None: the whole array
    temperature: float
    base: float
    peak: Array  # the greatest score along the axis, or 0 if all are −∞
    shifted: Array  # (scores − peak) / temperature, at most 0
    powers: Array  # base ** shifted, from 0 to 1
    totals: Array  # the sum of the powers along the axis
    weights: Array  # powers / totals, or 0 if the total is 0

    @property
    def row_sums(self) -> Array:
        """The sum of each row of the weights, which is 1 if the softmax is along rows."""
        return self.weights.sum(axis=-1)

    @property
    def column_sums(self) -> Array:
        """The sum of each column of the weights, which is 1 if the softmax is along columns."""
        return self.weights.sum(axis=-2)

    @property
    def entropies(self) -> Array:
        """The entropy of each slice along the axis, in nats, or NaN if a weight is NaN.

        The axis is kept with length 1.
        """
        return _entropy(self.weights, self.axis).reshape(self.totals.shape)


def softmax(x: ArrayLike, axis: int | None = -1, temperature: float = 1.0) -> Array:
    """Turn scores into positive numbers that sum to 1 along one axis.

    exp(x / T) / Σ exp(x / T). The greatest score is subtracted first, so that nothing overflows. T is the temperature:
    above 1 it makes the results more even, below 1 it makes them sharper.

    Shapes: any → the same; axis=None treats the whole array as one.
    Range:  0 to 1; each slice along the axis sums to 1, or to 0 if all its scores are −∞.
    Raises: ValueError if x has NaN or +∞, x has no such axis, or the temperature is not positive.
    Source: Bridle 1990; the shift: Blanchard, Higham & Higham 2021, doi:10.1093/imanum/draa038.

    >>> softmax([[0.0, 0.0], [1000.0, 0.0]])
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    return softmax_steps(x, axis, temperature).weights


def softmax_steps(x: ArrayLike, axis: int | None = -1, temperature: float = 1.0, base: float = math.e) -> SoftmaxTrace:
    """Compute a softmax and return every step. With a base of 2 or 3, one can follow the steps with pencil and paper.

    base ** ((x − max x) / T) / Σ base ** ((x − max x) / T); base b is base e at temperature T / ln b.

    Shapes, range, errors and source: those of `softmax`; also ValueError if the base is not greater than 1.

    >>> softmax_steps([0.0, 1.0, 2.0], base=2).powers
    array([0.25, 0.5 , 1.  ])
    """
    x = floats("x", x, min_rank=0, minus_infinity=True)
    base, limits = float(base), np.finfo(x.dtype)  # the temperature must not round to 0 or ∞ in a narrow type
    temperature = min(max(positive("temperature", temperature), float(limits.tiny)), float(limits.max))
    if not (np.isfinite(base) and base > 1):
        raise ValueError(f"base must be finite and greater than 1; got {base}: give 2, 3 or math.e.")
    _check_axis(x, axis)
    return fast_softmax_steps(x, axis, temperature, base)


def fast_softmax_steps(x: Array, axis: int | None = -1, temperature: float = 1.0, base: float = math.e) -> SoftmaxTrace:
    """Compute `softmax_steps` without checking the arguments. Use this for scores that the app itself has computed."""
    peak: Array = np.asarray(x.max(axis=axis, keepdims=True))
    peak[peak == -np.inf] = 0
    with np.errstate(over="ignore"):  # a difference beyond the range of floats becomes −∞, so its power is 0
        shifted = (x - peak) / temperature
    powers: Array = np.exp(shifted) if base == math.e else base**shifted
    totals: Array = powers.sum(axis=axis, keepdims=True)
    weights = powers / np.maximum(totals, 1)  # the peak's power is 1, so a total below 1 is 0: all scores are −∞
    return SoftmaxTrace(x, axis, temperature, base, peak, shifted, powers, totals, weights)


def _check_axis(x: Array, axis: int | None) -> None:
    if axis is not None and not -x.ndim <= axis < x.ndim:
        raise ValueError(
            f"axis must name one of the {x.ndim} axes of x; got {axis} for shape {x.shape}: "
            "give -1 for rows, -2 for columns, None for the whole array."
        )


def add_constant(x: ArrayLike, constant: float) -> Array:
    """Add one number to every score. This does not change their softmax.

    Shapes: any → the same.
    Raises: ValueError if x has NaN or +∞, or the constant is not finite.

    >>> bool(abs(softmax(add_constant([1.0, 2.0], 5.0)) - softmax([1.0, 2.0])).max() < 1e-12)
    True
    """
    return floats("x", x, min_rank=0, minus_infinity=True) + float(floats("constant", constant, min_rank=0))


def entropy(weights: ArrayLike, axis: int | None = -1) -> Array:
    """Measure how evenly weights are distributed, in nats: 0 for a single 1, ln n for n equal weights.

    −Σ p ln p, with 0 ln 0 = 0.

    Shapes: any → the shape without the axis.
    Raises: ValueError if a weight is negative or not finite, or there is no such axis.
    Source: Shannon 1948.

    >>> entropy([[0.5, 0.5], [1.0, 0.0]]).round(2)
    array([0.69, 0.  ])
    """
    p = floats("weights", weights, min_rank=0)
    if (p < 0).any():
        raise ValueError(f"weights must not be negative; got {p.min()}: pass shares, not scores.")
    _check_axis(p, axis)
    return _entropy(p, axis)


def _entropy(p: Array, axis: int | None) -> Array:
    return np.asarray(_entr()(p).sum(axis=axis))


@late_import
def _entr():
    from scipy.special import entr

    return entr
