"""The gradient of cross-entropy: the probabilities minus the correct probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array
from attention_core.cross_entropy import CrossEntropyTrace
from attention_core.gradients.arriving import checked_upstream


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

    >>> from attention_core.cross_entropy import cross_entropy
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
