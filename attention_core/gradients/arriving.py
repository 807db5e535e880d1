"""Helpers of the gradients: check the gradient of an output, and sum a gradient over broadcast axes."""

from __future__ import annotations

from numpy.typing import ArrayLike

from attention_core.checks import Array, floats


def checked_upstream(upstream: ArrayLike, output: Array) -> Array:
    """Check the gradient of an output, and return it in the output's data type.

    Raises: ValueError if it is not finite or has another shape than the output.
    """
    upstream = floats("upstream", upstream, min_rank=0)
    if upstream.shape != output.shape:
        raise ValueError(
            f"upstream must have the shape of the output; got upstream {upstream.shape}, output {output.shape}: "
            "give one number for each number of the output."
        )
    return upstream.astype(output.dtype, copy=False)


def summed_to(gradient: Array, shape: tuple[int, ...]) -> Array:
    """Sum a gradient over the broadcast axes, back to the shape that the array had before broadcasting.

    Σ over the axes that broadcasting added or stretched

    >>> from numpy import ones
    >>> summed_to(ones((5, 2, 3)), (2, 1))
    array([[15.],
           [15.]])
    """
    added = gradient.ndim - len(shape)
    stretched = [added + i for i, length in enumerate(shape) if length == 1]
    return gradient.sum(axis=(*range(added), *stretched), keepdims=True).reshape(shape)


def swap_last_axes(x: Array) -> Array:
    """Swap the last two axes."""
    return x.swapaxes(-1, -2)
