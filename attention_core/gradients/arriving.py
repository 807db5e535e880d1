"""Functions that all gradients need: check the gradient of an output, and sum a gradient over broadcast axes."""

from __future__ import annotations

from numpy.typing import ArrayLike

from attention_core.checks import Array, floats


def checked_upstream(upstream: ArrayLike, output: Array) -> Array:
    """Check the gradient of an output, and return it in the output's data type.

    Raises: ValueError if the gradient is not finite, or has another shape than the output.
    """
    upstream = floats("upstream", upstream, min_rank=0)
    if upstream.shape != output.shape:
        raise ValueError(
            f"upstream must have the shape of the output; got upstream {upstream.shape}, output {output.shape}: "
            "give one number for each number of the output."
        )
    return upstream.astype(output.dtype, copy=False)


def summed_to(gradient: Array, shape: tuple[int, ...]) -> Array:
    """Sum a gradient over the broadcast axes. The result has the shape of the array before broadcasting.

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
    """Return an array with its last two axes swapped."""
    return x.swapaxes(-1, -2)
