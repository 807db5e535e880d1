"""SwiGLU: a network for each row alone, in which one projection decides how much of another projection passes."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from attention_core.activations import ActivationTrace, activation_steps
from attention_core.checks import Array, floats
from attention_core.projection import project_named


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
