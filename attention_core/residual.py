"""Residual connection: add the output of a part of a layer to its input."""

from __future__ import annotations

from numpy.typing import ArrayLike

from attention_core.checks import Array, floats


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
