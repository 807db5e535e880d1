"""Activations, which are the nonlinear functions of a network. Each multiplies x by a gate between 0 and 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from attention_core.checks import Array, floats
from attention_core.late_import import late_import

Activation = Literal["relu", "silu", "gelu"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ActivationTrace:
    """Every intermediate result of an activation."""

    function: Activation
    x: Array  # any shape
    gate: Array  # the shape of x; the fraction of x that passes, from 0 to 1
    output: Array  # the shape of x; x · gate


def relu(x: ArrayLike) -> Array:
    """Keep positive numbers, and replace negative numbers by 0.

    x · [x > 0], which is max(x, 0)

    Shapes: any → the same.
    Range:  at least 0.
    Raises: ValueError if x is not finite.
    Source: Nair & Hinton 2010.

    >>> relu([-2.0, 3.0])
    array([0., 3.])
    """
    return activation_steps(x, "relu").output


def silu(x: ArrayLike) -> Array:
    """Return x · sigmoid(x), which is also called swish. The sigmoid is a fraction between 0 and 1 that grows with x.

    x · σ(x) = x / (1 + exp(−x))

    Shapes: any → the same.
    Range:  at least −0.2785; close to x if x is large, close to 0 if x is far below 0.
    Raises: ValueError if x is not finite.
    Source: Hendrycks & Gimpel 2016, arXiv:1606.08415; Ramachandran, Zoph & Le 2017, arXiv:1710.05941.

    >>> silu([-2.0, 0.0, 2.0]).round(2)
    array([-0.24,  0.  ,  1.76])
    """
    return activation_steps(x, "silu").output


def gelu(x: ArrayLike) -> Array:
    """Multiply x by the probability that a standard normal number is smaller than x.

    x · Φ(x) = x · ½ (1 + erf(x / √2))

    Shapes: any → the same.
    Range:  at least −0.17.
    Raises: ValueError if x is not finite.
    Source: Hendrycks & Gimpel 2016, arXiv:1606.08415: the exact formula, not its approximation by tanh.

    >>> gelu([-2.0, 0.0, 2.0]).round(2)
    array([-0.05,  0.  ,  1.95])
    """
    return activation_steps(x, "gelu").output


def activation_steps(x: ArrayLike, function: Activation) -> ActivationTrace:
    """Compute an activation and return every step.

    x · gate(x), with the gate [x > 0] for "relu", σ(x) for "silu", Φ(x) for "gelu".

    Shapes: any → the same.
    Raises: ValueError if x is not finite, or there is no such function.

    >>> activation_steps([-2.0, 3.0], "relu").gate
    array([0., 1.])
    """
    x = floats("x", x, min_rank=0)
    if function not in _GATES:
        raise ValueError(f"function must be one of {[*_GATES]}; got {function!r}: write its name in small letters.")
    gate = _GATES[function](x)
    return ActivationTrace(function=function, x=x, gate=gate, output=x * gate + 0.0)  # + 0.0 turns −0 into 0


def _is_positive(x: Array) -> Array:
    return (x > 0).astype(x.dtype)


def _sigmoid(x: Array) -> Array:
    return _expit()(x)


def _normal_below(x: Array) -> Array:
    return _ndtr()(x)  # ½ (1 + erf(x / √2)), also exact if erf is nearly −1


_GATES: dict[str, Callable[[Array], Array]] = {"relu": _is_positive, "silu": _sigmoid, "gelu": _normal_below}


@late_import
def _expit():
    from scipy.special import expit

    return expit


@late_import
def _ndtr():
    from scipy.special import ndtr

    return ndtr
