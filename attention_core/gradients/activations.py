"""The gradients of activations: each number by itself, times the slope at its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from attention_core.activations import ActivationTrace
from attention_core.checks import Array
from attention_core.gradients.arriving import checked_upstream


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ActivationGradient:
    """Every gradient of an activation, each in the shape of x."""

    d_output: Array  # what arrives
    slope: Array  # how much the output grows with x: gate + x · gate′
    d_x: Array  # d_output · slope


def activation_gradient(trace: ActivationTrace, upstream: ArrayLike) -> ActivationGradient:
    """Go back through an activation.

    d_x = d_output · slope, with slope = gate + x · gate′: [x > 0] of "relu", σ + x σ (1 − σ) of "silu",
    Φ + x φ of "gelu", where φ(x) = exp(−x² / 2) / √(2π) is the density of a standard normal number

    Shapes: upstream has the shape of x, and so has d_x.
    Range:  slopes are 0 or 1 (relu, which gets 0 at 0), −0.1 to 1.1 (silu), −0.13 to 1.13 (gelu).
    Raises: ValueError if upstream is not finite or has another shape than the output.
    Source: Hendrycks & Gimpel 2016, arXiv:1606.08415.

    >>> from attention_core.activations import activation_steps
    >>> activation_gradient(activation_steps([-2.0, 3.0], "relu"), [5.0, 5.0]).d_x
    array([0., 5.])
    """
    d_output = checked_upstream(upstream, trace.output)
    slope = trace.gate + trace.x * _STEEPNESS[trace.function](trace)
    return ActivationGradient(d_output=d_output, slope=slope, d_x=d_output * slope)


def _flat(trace: ActivationTrace) -> Array:
    return np.zeros_like(trace.x)


def _of_sigmoid(trace: ActivationTrace) -> Array:
    return trace.gate * (1 - trace.gate)


def _normal_density(trace: ActivationTrace) -> Array:
    with np.errstate(over="ignore", under="ignore"):  # far out the density is rightly 0
        return np.exp(-(trace.x**2) / 2) / sqrt(2 * pi)


_STEEPNESS: dict[str, Callable[[ActivationTrace], Array]] = {
    "relu": _flat,
    "silu": _of_sigmoid,
    "gelu": _normal_density,
}
