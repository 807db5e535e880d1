"""The gradients of single operations: projection, softmax, cross-entropy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats
from attention_core.next_word import CrossEntropyTrace
from attention_core.projection import ProjectionTrace
from attention_core.softmax import SoftmaxTrace


def checked_upstream(upstream: ArrayLike, output: Array) -> Array:
    """Check the gradient of an output, and return it in the output's data type.

    Raises: ValueError if the gradient is not finite, or has another shape than the output.
    """
    upstream = floats("upstream", upstream, min_rank=0)
    if upstream.shape != output.shape:
        raise ValueError(
            f"upstream must have the shape of the output; got upstream {upstream.shape}, output {output.shape}: "
            "give one number for each number of the output."
        )
    return upstream.astype(output.dtype, copy=False)


def summed_to(gradient: Array, shape: tuple[int, ...]) -> Array:
    """Sum a gradient over the broadcast axes. The result has the shape of the array before broadcasting.

    Σ over the axes that broadcasting added or stretched

    >>> from numpy import ones
    >>> summed_to(ones((5, 2, 3)), (2, 1))
    array([[15.],
           [15.]])
    """
    added = gradient.ndim - len(shape)
    stretched = [added + i for i, length in enumerate(shape) if length == 1]
    return gradient.sum(axis=(*range(added), *stretched), keepdims=True).reshape(shape)


def swap_last_axes(x: Array) -> Array:
    """Return an array with its last two axes swapped."""
    return x.swapaxes(-1, -2)


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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CrossEntropyGradient:
    """The gradient of every step of cross-entropy."""

    grad_loss: Array  # () upstream: 1 if the loss is the last step
    grad_losses: Array  # (…) grad_loss / the number of rows that count; 0 for the other rows
    grad_logits: Array  # (…, n_classes) (probabilities − one-hot targets) · grad_losses; each row sums to 0


def cross_entropy_gradient(trace: CrossEntropyTrace, upstream: ArrayLike = 1.0) -> CrossEntropyGradient:
    """Compute the gradients of cross-entropy, from the loss back to the logits.

    grad_logits = (softmax(logits) − one-hot(targets)) / n · grad_loss, with n rows that count

    Shapes: upstream () → grad_logits (…, n_classes).
    Range:  each row sums to 0; only the correct class is negative; 0 in a row that does not count.
    Raises: ValueError if upstream is not one finite number.
    Source: Bridle 1990.

    >>> from attention_core.next_word import cross_entropy
    >>> cross_entropy_gradient(cross_entropy([[0.0, 0.0]], [1])).grad_logits
    array([[ 0.5, -0.5]])
    """
    grad_loss = checked_upstream(upstream, trace.loss)
    grad_losses = np.where(trace.counted, grad_loss / int(np.count_nonzero(trace.counted)), 0)
    too_much = trace.probabilities - _one_hot(trace)
    grad_logits = too_much * grad_losses[..., None]
    return CrossEntropyGradient(grad_loss=grad_loss, grad_losses=grad_losses, grad_logits=grad_logits)


def _one_hot(trace: CrossEntropyTrace) -> Array:
    classes = np.arange(int(trace.logits.shape[-1]))
    return np.equal(classes, trace.targets[..., None]).astype(trace.logits.dtype)
