"""Add and norm: add the output of a part of a layer to its input, and normalise the sum."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from attention_core.checks import Array, floats
from attention_core.normalization import LayerNormTrace, layer_norm_steps
from attention_core.residual import residual


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
