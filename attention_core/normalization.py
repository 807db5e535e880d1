"""Layer normalization: every token's features brought to mean 0 and variance 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats


def layer_norm(
    x: ArrayLike,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    eps: float = 1e-5,
    axis: int | tuple[int, ...] = -1,
) -> Array:
    """Bring features to mean 0 and variance 1, then scale and shift them.

    (x − mean) / √(variance + eps) · weight + bias

    Shapes: x (…, d), weight and bias broadcast to the normalised axes → (…, d).
    Raises: ValueError if x is not finite, eps is negative, or weight or bias does not broadcast to x.
    Source: Ba, Kiros & Hinton 2016, arXiv:1607.06450, eq. 4.
    """
    x, eps = floats("x", x), float(eps)
    if not (np.isfinite(eps) and eps >= 0):
        raise ValueError(f"eps must be finite and at least 0; got {eps}: 1e-5 is usual.")
    centred = x - x.mean(axis=axis, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=axis, keepdims=True) + eps)
    normal = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    scaled = normal if weight is None else normal * _fitting("weight", weight, x)
    return scaled if bias is None else scaled + _fitting("bias", bias, x)


def _fitting(name: str, values: ArrayLike, x: Array) -> Array:
    array = floats(name, values)
    try:
        np.broadcast_to(array, x.shape)
    except ValueError as error:
        raise ValueError(
            f"{name} must broadcast to x; got {name} {array.shape}, x {x.shape}: give one number a feature."
        ) from error
    return array
