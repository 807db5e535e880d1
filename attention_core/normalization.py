"""Layer normalisation, and the residual connection around a layer."""

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


def residual(x: ArrayLike, found: ArrayLike) -> Array:
    """Add x, the input of a part of a layer, and `found`, the output of this part.

    x + found

    Shapes: x and found (…, n, d_model) → (…, n, d_model).
    Raises: ValueError if x or found is not finite, or their shapes differ.
    Source: He et al. 2015, arXiv:1512.03385; Vaswani et al. 2017, section 3.1, arXiv:1706.03762.

    >>> residual([[1.0, 0.0]], [[0.0, 1.5]])
    array([[1. , 1.5]])
    """
    x, found = floats("x", x), floats("found", found)
    if x.shape != found.shape:
        raise ValueError(
            f"x and found must have one shape; got x {x.shape}, found {found.shape}: bring found to the width of x."
        )
    return x + found


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AddAndNormTrace:
    """Every intermediate result of add and norm: the sum of input and output, and the layer norm of this sum."""

    x: Array  # (…, n, d_model) the input of the part
    found: Array  # (…, n, d_model) the output of the part
    summed: Array  # (…, n, d_model) x + found
    norm: LayerNormTrace  # the layer norm of the sum

    @property
    def output(self) -> Array:
        """The normalised sum, (…, n, d_model)."""
        return self.norm.output


def add_and_norm(x: ArrayLike, found: ArrayLike, eps: float = 1e-5) -> AddAndNormTrace:
    """Add the input and the output of a part of a layer, and bring each row of the sum to mean 0 and variance 1.

    `x` is the input of the part, for example of attention, and `found` is its output.

    layer_norm(x + found)

    Shapes: x and found (…, n, d_model) → (…, n, d_model).
    Raises: ValueError if x or found is not finite, their shapes differ, or eps is negative.
    Source: Vaswani et al. 2017, section 3.1, arXiv:1706.03762; He et al. 2015, arXiv:1512.03385, for the sum.

    >>> add_and_norm([[1.0, 3.0]], [[2.0, 2.0]], eps=0).output
    array([[-1.,  1.]])
    """
    summed = residual(x, found)
    return AddAndNormTrace(
        x=floats("x", x), found=floats("found", found), summed=summed, norm=layer_norm_steps(summed, eps=eps)
    )
