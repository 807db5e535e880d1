"""Feed-forward: a part of a block that works on each row alone.

It adds features, applies an activation, removes features.
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from attention_core.activations import Activation, ActivationTrace, activation_steps
from attention_core.checks import Array, floats
from attention_core.projection import project_named


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
