"""Make tasks on the backward pass: from the gradient of an output to other gradients, or to an updated matrix."""

from __future__ import annotations

import numpy as np

from attention_core.attention import SelfAttentionTrace, self_attention, with_weights
from attention_core.checks import Array
from attention_core.tasks.forward_backward import LEARNED, ForwardBackward, forward_backward
from attention_core.tasks.recipe import Recipe
from attention_core.tasks.task_numbers import Draw


def softmax_gradient_task(draw: Draw) -> Recipe:
    """Draw random weights of one token and their gradient. The task asks for the gradient of the scaled scores."""
    forward = _attention_with_weights(np.ones((1, 3)), draw.shares(1, 3), values=np.eye(3), keys=np.eye(3))
    back = forward_backward(forward, draw.integers(-4, 5, 1, 3))  # also grad_weights, because v is the identity
    return _recipe(back, ("weights", "grad_weights"), "grad_scaled", "elementwise_softmax")


def key_gradient(draw: Draw) -> Recipe:
    """Draw random queries and a random gradient of the scaled scores. The task asks for the gradient of the keys."""
    q, arriving = draw.integers(-3, 4, 2, 4), draw.integers(-9, 9, 2, 1) @ np.array([[1.0, -1.0]])
    forward = _attention_with_weights(q, np.full((2, 2), 0.5), values=np.eye(2), keys=np.eye(2, 4))
    back = forward_backward(forward, arriving)  # half of it reaches `scaled`: each row sums to 0
    return _recipe(back, ("grad_scaled", "q"), "grad_k", "scale_left_out", "keys_transposed")


def learned_value_weights(draw: Draw) -> Recipe:
    """Draw random tokens, weights, W^V and gradients of the outputs. The task asks for W^V after one training step."""
    x, arriving = draw.integers(-2, 3, 3, 2), draw.integers(-4, 5, 3, 2)
    forward = self_attention(x, np.eye(2), np.eye(2), draw.integers(-4, 5, 2, 2))
    back = forward_backward(with_weights(forward, draw.shares(3, 3)), arriving)
    return _recipe(back, ("w_v", "x", "weights", "grad_output"), LEARNED, "tokens_not_summed")


def _attention_with_weights(q: Array, weights: Array, *, values: Array, keys: Array) -> SelfAttentionTrace:
    """Return the trace of attention with these queries, keys, values and weights.

    The weights do not follow from the scores of the trace.
    """
    width = keys.shape[1] + values.shape[1]
    w_k, w_v = np.eye(width, keys.shape[1]), np.eye(width, values.shape[1], k=-keys.shape[1])
    forward = self_attention(q, np.eye(q.shape[1]), w_k, w_v, context=np.hstack([keys, values]))
    return with_weights(forward, weights)


def _recipe(back: ForwardBackward, given: tuple[str, ...], asked: str, *mistakes: str) -> Recipe:
    """Return the recipe of a task on the backward pass. All strings are names, of matrices or of possible mistakes."""
    return Recipe(trace=back, given=given, done_until="", asked=asked, worked=back.worked, mistakes=mistakes)
