"""Normalization: bring the features of every token to the same size, by layer norm or by RMSNorm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, not_negative

Axis = int | tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NormTrace:
    """The intermediate results that layer norm and RMSNorm have in common.

    `spread` keeps the normalised axes with length 1.
    """

    x: Array  # (…, d)
    weight: Array | None  # broadcasts to x
    eps: float
    axis: Axis
    spread: Array  # (…, 1) √(mean square + eps)
    normal: Array  # (…, d) the features divided by the spread; 0 if the spread is 0
    output: Array  # (…, d)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LayerNormTrace(NormTrace):
    """Every intermediate result of layer norm."""

    mean: Array  # (…, 1)
    centred: Array  # (…, d) x − mean; `spread` is the spread of these numbers
    bias: Array | None  # broadcasts to x


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RmsNormTrace(NormTrace):
    """Every intermediate result of RMSNorm. Its `spread` is computed from x itself, without subtracting the mean."""


def layer_norm(
    x: ArrayLike,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    eps: float = 1e-5,
    axis: int | tuple[int, ...] = -1,
) -> Array:
    """Bring the features of each row to mean 0 and variance 1, then scale and shift them.

    (x − mean) / √(variance + eps) · weight + bias

    Shapes: x (…, d), weight and bias broadcast to the normalised axes → (…, d).
    Raises: ValueError if x is not finite, eps is negative, or weight or bias does not broadcast to x.
    Source: Ba, Kiros & Hinton 2016, arXiv:1607.06450, eq. 4.

    >>> layer_norm([[1.0, 3.0]], eps=0)
    array([[-1.,  1.]])
    """
    return layer_norm_steps(x, weight, bias, eps, axis).output


def layer_norm_steps(
    x: ArrayLike, weight: ArrayLike | None = None, bias: ArrayLike | None = None, eps: float = 1e-5, axis: Axis = -1
) -> LayerNormTrace:
    """Compute a layer norm and return every step.

    Formula, shapes, errors and source: those of `layer_norm`.

    >>> layer_norm_steps([[1.0, 3.0]], eps=0).mean
    array([[2.]])
    """
    x, eps = floats("x", x), not_negative("eps", eps, "1e-5 is usual")
    weight, bias = _broadcastable("weight", weight, x), _broadcastable("bias", bias, x)
    mean = x.mean(axis=axis, keepdims=True)
    centred = x - mean
    spread, normal = _normalise(centred, eps, axis)
    return LayerNormTrace(
        x=x, weight=weight, bias=bias, eps=eps, axis=axis, mean=mean, centred=centred, spread=spread, normal=normal,
        output=_shift(_scale(normal, weight), bias),
    )  # fmt: skip


def rms_norm(x: ArrayLike, weight: ArrayLike | None = None, eps: float = 1e-5, axis: Axis = -1) -> Array:
    """Bring the features of each row to a mean square of 1, then scale them.

    x / √(mean of x² + eps) · weight. This is a layer norm without the mean and without a bias.

    Shapes: x (…, d), weight broadcasts to the normalised axes → (…, d).
    Raises: ValueError if x is not finite, eps is negative, or weight does not broadcast to x.
    Source: Zhang & Sennrich 2019, arXiv:1910.07467, eq. 4; eps: as in models that use it.

    >>> rms_norm([[3.0, 4.0]], eps=0) * 5 / 2**0.5
    array([[3., 4.]])
    """
    return rms_norm_steps(x, weight, eps, axis).output


def rms_norm_steps(x: ArrayLike, weight: ArrayLike | None = None, eps: float = 1e-5, axis: Axis = -1) -> RmsNormTrace:
    """Compute an RMSNorm and return every step.

    Formula, shapes, errors and source: those of `rms_norm`.

    >>> rms_norm_steps([[3.0, 3.0]], eps=0).spread
    array([[3.]])
    """
    x, eps = floats("x", x), not_negative("eps", eps, "1e-5 is usual")
    weight = _broadcastable("weight", weight, x)
    spread, normal = _normalise(x, eps, axis)
    return RmsNormTrace(
        x=x, weight=weight, eps=eps, axis=axis, spread=spread, normal=normal, output=_scale(normal, weight)
    )


def _normalise(x: Array, eps: float, axis: Axis) -> tuple[Array, Array]:
    spread = np.sqrt((x**2).mean(axis=axis, keepdims=True) + eps)
    return spread, np.divide(x, spread, out=np.zeros_like(x), where=spread > 0)


def _scale(normal: Array, weight: Array | None) -> Array:
    return normal if weight is None else normal * weight


def _shift(scaled: Array, bias: Array | None) -> Array:
    return scaled if bias is None else scaled + bias


def _broadcastable(name: str, values: ArrayLike | None, x: Array) -> Array | None:
    if values is None:
        return None
    array = floats(name, values)
    try:
        np.broadcast_to(array, x.shape)
    except ValueError as error:
        raise ValueError(
            f"{name} must broadcast to x; got {name} {array.shape}, x {x.shape}: give one number a feature."
        ) from error
    return array
