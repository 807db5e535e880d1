"""The feed-forward network after attention, and its activation functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from attention_core.checks import Array, floats
from attention_core.late_import import late_import
from attention_core.projection import project_named

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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SwigluTrace:
    """Every intermediate result of SwiGLU, a gated perceptron."""

    x: Array  # (…, n, d_model)
    w_gate: Array  # (d_model, d_hidden)
    w_up: Array  # (d_model, d_hidden)
    w_down: Array  # (d_hidden, d_model)
    gate: ActivationTrace  # (…, n, d_hidden) its x is x w_gate; its output says how much of each hidden feature passes
    up: Array  # (…, n, d_hidden) x w_up
    hidden: Array  # (…, n, d_hidden) silu(x w_gate) · x w_up
    output: Array  # (…, n, d_model) hidden w_down


def swiglu(x: ArrayLike, w_gate: ArrayLike, w_up: ArrayLike, w_down: ArrayLike) -> SwigluTrace:
    """Compute more features of every token, multiply each by a gate, and combine the products to fewer features.

    (silu(x w_gate) · x w_up) w_down

    Shapes: x (…, n, d_model), w_gate and w_up (d_model, d_hidden), w_down (d_hidden, d_model) → (…, n, d_model).
    Raises: ValueError if the shapes of two multiplied matrices do not fit, or w_gate and w_up differ in width.
    Source: Shazeer 2020, arXiv:2002.05202, eq. 6.

    >>> swiglu([[1.0]], [[0.0]], [[4.0]], [[3.0]]).output
    array([[0.]])
    """
    x = floats("x", x, min_rank=2)
    gate = activation_steps(project_named("w_gate", x, w_gate, None), "silu")
    up = project_named("w_up", x, w_up, None)
    _check_widths(gate.x, up)
    hidden = gate.output * up
    return SwigluTrace(
        x=x, w_gate=floats("w_gate", w_gate), w_up=floats("w_up", w_up), w_down=floats("w_down", w_down),
        gate=gate, up=up, hidden=hidden, output=project_named("w_down", hidden, w_down, None),
    )  # fmt: skip


def _check_widths(gate: Array, up: Array) -> None:
    if gate.shape != up.shape:
        raise ValueError(
            f"w_gate and w_up must share d_hidden; got {gate.shape[-1]} and {up.shape[-1]} columns: "
            "every hidden feature needs its gate."
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FeedForwardTrace:
    """Every intermediate result of a feed-forward network."""

    x: Array  # (…, n, d_model)
    w_up: Array  # (d_model, d_hidden)
    w_down: Array  # (d_hidden, d_model)
    b_up: Array | None  # (d_hidden,)
    b_down: Array | None  # (d_model,)
    hidden: ActivationTrace  # (…, n, d_hidden) the activation: its x is x w_up + b_up
    output: Array  # (…, n, d_model) hidden w_down + b_down


def feed_forward(
    x: ArrayLike,
    w_up: ArrayLike,
    w_down: ArrayLike,
    *,
    b_up: ArrayLike | None = None,
    b_down: ArrayLike | None = None,
    activation: Activation = "relu",
) -> FeedForwardTrace:
    """Multiply each row by a matrix, apply an activation to each number, and multiply by a second matrix.

    activation(x w_up + b_up) w_down + b_down. `swiglu` has a gate in place of the activation.

    Shapes: x (…, n, d_model), w_up (d_model, d_hidden), w_down (d_hidden, d_model), biases as wide as their matrices
            → (…, n, d_model).
    Raises: ValueError if the shapes of two multiplied matrices do not fit, or there is no such activation.
    Source: Vaswani et al. 2017, section 3.3, eq. 2.

    >>> feed_forward([[1.0, -1.0]], [[2.0], [3.0]], [[5.0, 5.0]]).output
    array([[0., 0.]])
    """
    x = floats("x", x, min_rank=2)
    hidden = activation_steps(project_named("w_up", x, w_up, b_up), activation)
    return FeedForwardTrace(
        x=x,
        w_up=floats("w_up", w_up),
        w_down=floats("w_down", w_down),
        b_up=None if b_up is None else floats("b_up", b_up),
        b_down=None if b_down is None else floats("b_down", b_down),
        hidden=hidden,
        output=project_named("w_down", hidden.output, w_down, b_down),
    )
