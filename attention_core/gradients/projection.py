"""The gradient of a projection: that of the features, row by row, and that of the matrix, summed over all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array
from attention_core.gradients.arriving import checked_upstream
from attention_core.projection import ProjectionTrace


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ProjectionGradient:
    """Every gradient of a projection."""

    d_output: Array  # (…, n, d_out) what arrives
    d_x: Array  # (…, n, d_in) d_output wᵀ
    d_w: Array  # (d_in, d_out) xᵀ d_output, over all rows of all sequences
    d_b: Array | None  # (d_out,) the sum of all rows of d_output


def projection_gradient(trace: ProjectionTrace, upstream: ArrayLike) -> ProjectionGradient:
    """Go back through a projection.

    d_x = d_output wᵀ, d_w = Σ xᵀ d_output, d_b = Σ d_output, summed over all rows: one matrix served them all.

    Shapes: upstream (…, n, d_out) → d_x (…, n, d_in), d_w (d_in, d_out), d_b (d_out,), or None without a bias.
    Raises: ValueError if upstream is not finite or has another shape than the output.
    Source: Rumelhart, Hinton & Williams 1986.

    >>> from attention_core.projection import project_steps
    >>> projection_gradient(project_steps([[1.0, 2.0]], [[3.0], [4.0]]), [[10.0]]).d_w
    array([[10.],
           [20.]])
    """
    return through_projection(trace.x, trace.w, trace.b, checked_upstream(upstream, trace.output))


def through_projection(x: Array, w: Array, b: Array | None, d_output: Array) -> ProjectionGradient:
    """Do `projection_gradient` with what is known to fit."""
    return ProjectionGradient(
        d_output=d_output,
        d_x=d_output @ np.asarray(w).T,
        d_w=_rows(x).T @ _rows(d_output),
        d_b=None if b is None else _rows(d_output).sum(axis=0),
    )


def _rows(x: Array) -> Array:
    return x.reshape(-1, x.shape[-1])
