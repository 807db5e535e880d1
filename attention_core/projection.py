"""Project rows onto features, and scale scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, positive_integer


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ProjectionTrace:
    """A projection with its inputs and its output."""

    x: Array  # (…, n, d_in)
    w: Array  # (d_in, d_out)
    b: Array | None  # (d_out,)
    output: Array  # (…, n, d_out) x w + b


def project(x: ArrayLike, w: ArrayLike, b: ArrayLike | None = None) -> Array:
    """Compute new features of every row of x. Each new feature is a weighted sum of the old features.

    x w + b

    Shapes: x (…, n, d_in), w (d_in, d_out), b (d_out,) → (…, n, d_out).
    Raises: ValueError if x and w differ in d_in, or w and b in d_out.
    Source: Vaswani et al. 2017, section 3.2.2.

    >>> project([[1, 0, 2]], [[1, 1], [5, 5], [0, 3]])
    array([[1., 7.]])
    """
    x, w = floats("x", x, min_rank=2), floats("w", w, min_rank=2)
    if w.ndim != 2 or x.shape[-1] != w.shape[0]:
        raise ValueError(
            f"x and w must share d_in, but x is {x.shape} and w is {w.shape}. Give w as many rows as x has columns."
        )
    if b is None:
        return x @ w
    b = floats("b", b)
    if b.shape != w.shape[1:]:
        raise ValueError(
            f"w and b must share d_out, but w is {w.shape} and b is {b.shape}. Give b one number for each column of w."
        )
    return x @ w + b


def project_steps(x: ArrayLike, w: ArrayLike, b: ArrayLike | None = None) -> ProjectionTrace:
    """Compute a projection, and return it with its inputs, which the gradient needs.

    >>> project_steps([[1.0, 2.0]], [[3.0], [4.0]]).output
    array([[11.]])
    """
    output = project(x, w, b)
    return ProjectionTrace(
        x=floats("x", x, min_rank=2),
        w=floats("w", w, min_rank=2),
        b=None if b is None else floats("b", b),
        output=output,
    )


def project_named(name: str, x: ArrayLike, w: ArrayLike, b: ArrayLike | None) -> Array:
    """Return `project(x, w, b)`. If this raises an error, add `name`, the name of the result, to the error."""
    try:
        return project(x, w, b)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def root_scale(d_k: int) -> float:
    """Return the factor of the scores in attention.

    1/√d_k: a score is a sum of d_k products. If features are independent and have mean 0 and variance 1, the standard
    deviation of a score is √d_k.

    Raises: ValueError if d_k is not at least 1.
    Source: Vaswani et al. 2017, section 3.2.1.

    >>> root_scale(4)
    0.5
    """
    return 1 / math.sqrt(positive_integer("d_k", d_k))


def scales(d_k: int) -> dict[str, float]:
    """Return the factor of the scores for three divisors: "one" for 1, "root" for √d_k, "dk" for d_k.

    Raises: ValueError if d_k is not at least 1.

    >>> scales(4)
    {'one': 1.0, 'root': 0.5, 'dk': 0.25}
    """
    d_k = positive_integer("d_k", d_k)
    return {"one": 1.0, "root": root_scale(d_k), "dk": 1 / d_k}
