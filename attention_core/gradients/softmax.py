"""The gradient of softmax: its weights sum to 1, so each score changes all weights of its row."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array
from attention_core.gradients.arriving import checked_upstream
from attention_core.softmax import SoftmaxTrace


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SoftmaxGradient:
    """The gradient of every step of a softmax. The summed axis has length 1 in `average`."""

    grad_weights: Array  # the shape of the scores; upstream
    average: Array  # Σ weights · grad_weights along the axis: the weighted average of the gradients
    grad_x: Array  # the shape of the scores; each slice sums to 0


def softmax_gradient(trace: SoftmaxTrace, upstream: ArrayLike) -> SoftmaxGradient:
    """Compute the gradients of a softmax, from the weights back to the scores.

    grad_x = (ln base / T) · weights · (grad_weights − Σ weights · grad_weights)

    The gradient of a score is its weight times (the gradient of this weight minus the weighted average of the slice).

    Shapes: upstream and grad_x have the shape of the scores.
    Range:  each slice of grad_x along the axis sums to 0, because a constant added to all scores changes nothing;
            0 for a weight of 0.
    Raises: ValueError if upstream is not finite or has another shape than the weights.
    Source: Bridle 1990.

    >>> from attention_core.softmax import softmax_steps
    >>> softmax_gradient(softmax_steps([0.0, 0.0]), [1.0, 0.0]).grad_x
    array([ 0.25, -0.25])
    """
    grad_weights = checked_upstream(upstream, trace.weights)
    return SoftmaxGradient(
        grad_weights=grad_weights,
        average=_average(trace.weights, grad_weights, trace.axis),
        grad_x=math.log(trace.base) / trace.temperature * through_softmax(trace.weights, grad_weights, trace.axis),
    )


def softmax_jacobian(weights: Array) -> Array:
    """Return the derivative of each weight of one softmax with respect to each score.

    J[i, j] = weights_i · ([i = j] − weights_j), which is symmetric

    Shapes: weights (n,) → (n, n).
    Range:  at most 1/4 in magnitude; each row and each column sums to 0; almost 0 everywhere if one weight is nearly 1.
    Source: Bridle 1990.

    >>> softmax_jacobian(np.array([0.5, 0.5]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    return np.diag(weights) - np.outer(weights, weights)


def through_softmax(weights: Array, grad_weights: Array, axis: int | None = -1) -> Array:
    """Return the gradient of the scores of a softmax: weights · (grad_weights − Σ weights · grad_weights).

    >>> through_softmax(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    array([ 0.25, -0.25])
    """
    return weights * (grad_weights - _average(weights, grad_weights, axis))


def _average(weights: Array, grad_weights: Array, axis: int | None) -> Array:
    return np.sum(weights * grad_weights, axis=axis, keepdims=True)
