"""The gradient of a projection: for the input, row by row, and for the matrix, summed over all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array
from attention_core.gradients.arriving import checked_upstream
from attention_core.projection import ProjectionTrace


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ProjectionGradient:
    """The gradients of the input, the matrix and the bias of a projection."""

    grad_output: Array  # (…, n, d_out) upstream
    grad_x: Array  # (…, n, d_in) grad_output wᵀ
    grad_w: Array  # (d_in, d_out) xᵀ grad_output, over all rows of all sequences
    grad_b: Array | None  # (d_out,) the sum of all rows of grad_output


def projection_gradient(trace: ProjectionTrace, upstream: ArrayLike) -> ProjectionGradient:
    """Compute the gradients of a projection.

    grad_x = grad_output wᵀ, grad_w = Σ xᵀ grad_output, grad_b = Σ grad_output

    The sums are over all rows, because all rows used the same matrix.

    Shapes: upstream (…, n, d_out) → grad_x (…, n, d_in), grad_w (d_in, d_out), grad_b (d_out,), or None without a bias.
    Raises: ValueError if upstream is not finite or has another shape than the output.
    Source: Rumelhart, Hinton & Williams 1986.

    >>> from attention_core.projection import project_steps
    >>> projection_gradient(project_steps([[1.0, 2.0]], [[3.0], [4.0]]), [[10.0]]).grad_w
    array([[10.],
           [20.]])
    """
    return through_projection(trace.x, trace.w, trace.b, checked_upstream(upstream, trace.output))


def through_projection(x: Array, w: Array, b: Array | None, grad_output: Array) -> ProjectionGradient:
    """Compute `projection_gradient` without checks, for arrays whose shapes are known to fit."""
    return ProjectionGradient(
        grad_output=grad_output,
        grad_x=grad_output @ np.asarray(w).T,
        grad_w=_as_rows(x).T @ _as_rows(grad_output),
        grad_b=None if b is None else _as_rows(grad_output).sum(axis=0),
    )


def _as_rows(x: Array) -> Array:
    return x.reshape(-1, x.shape[-1])
