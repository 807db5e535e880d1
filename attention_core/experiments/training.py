"""Train one head of attention, step by step, to give the correct output at one token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.cross_entropy import CrossEntropyTrace, cross_entropy
from attention_core.examples import Example
from attention_core.gradients.cross_entropy import cross_entropy_gradient
from attention_core.gradients.optimizers import sgd_step
from attention_core.gradients.self_attention import SelfAttentionGradient, self_attention_gradient

WayBack = Callable[[SelfAttentionTrace, ArrayLike], SelfAttentionGradient]

# The matrices that learn: all, only the values, or only queries and keys.
LEARNING = {"all": ("w_q", "w_k", "w_v"), "what": ("w_v",), "where": ("w_q", "w_k")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """The aim of the training: in one token's output, the greatest number should be in the column `target`."""

    token: int  # the token whose output counts
    target: int  # the correct column of the output, from 0
    mask: str = "none"  # the name of a mask, as `Example.mask` takes it
    times: float = 1.0  # a factor of the scaled scores: 10 saturates the softmax
    learns: Literal["all", "what", "where"] = "all"  # which matrices learn: a key of `LEARNING`


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingTrace:
    """Attention on one example, forward to its loss, and backward to the gradient of every matrix."""

    aim: Aim
    forward: SelfAttentionTrace
    loss: CrossEntropyTrace  # the loss of one row: the output of the token is read as logits (1, d_v)
    back: SelfAttentionGradient

    @property
    def targets(self) -> Array:
        """The correct probabilities: 1 in the column of the target, 0 elsewhere (1, d_v)."""
        return np.eye(self.loss.logits.shape[-1])[self.loss.targets]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainedExample:
    """An example after some steps of training, the loss before the first step, and the loss after each step."""

    example: Example  # the example with the learned matrices
    losses: Array  # (steps + 1,) the loss before the first step, and after each step


def training_trace(example: Example, aim: Aim, backward_pass: WayBack = self_attention_gradient) -> TrainingTrace:
    """Compute the loss of an example, and the gradient of every matrix.

    loss = −ln softmax(output[token])[target]. The gradient of the output is softmax(output[token]) − one-hot(target) in
    the row of the token, and 0 in all other rows. `aim` has the token and the target. `backward_pass` computes the
    gradients of attention.

    Shapes: output (n_q, d_v), of which only the row of the token counts.
    Raises: ValueError if the example does not have the token or the target.
    Source: Bridle 1990; Rumelhart, Hinton & Williams 1986.
    """
    _check_place("token", aim.token, len(example.tokens))
    scale = aim.times / example.w_q.shape[-1] ** 0.5
    forward = example.attention(mask=example.mask(aim.mask), scale=scale)
    loss = cross_entropy(forward.output[[aim.token]], np.array([aim.target]))
    upstream = np.zeros_like(forward.output)
    upstream[aim.token] = cross_entropy_gradient(loss).grad_logits[0]
    return TrainingTrace(aim=aim, forward=forward, loss=loss, back=backward_pass(forward, upstream))


def take_step(example: Example, trace: TrainingTrace, lr: float) -> Example:
    """Take one step of gradient descent for each matrix that learns, and return the changed example.

    w − lr · grad_w. The biases do not change.

    Raises: ValueError if lr is negative.
    """
    names = LEARNING[trace.aim.learns]
    learned = {name: sgd_step(getattr(example, name), getattr(trace.back, f"grad_{name}"), lr) for name in names}
    return replace(example, **learned)


def train(
    example: Example, aim: Aim, *, lr: float, steps: int, backward_pass: WayBack = self_attention_gradient
) -> TrainedExample:
    """Take some steps of training, one after another, and return the trained example with its losses.

    Shapes: losses (steps + 1,).
    Raises: ValueError for the same reasons as `training_trace` and `take_step`.

    >>> from attention_core.examples import example
    >>> train(example("story"), Aim(token=4, target=1), lr=0.1, steps=2).losses.round(2)
    array([1.46, 1.25, 1.04])
    """
    losses = list[float]()
    for _ in range(steps):
        trace = training_trace(example, aim, backward_pass)
        losses.append(float(trace.loss.loss))
        example = take_step(example, trace, lr)
    losses.append(float(training_trace(example, aim, backward_pass).loss.loss))
    return TrainedExample(example=example, losses=np.array(losses))


def nudged_loss(example: Example, aim: Aim, name: str, row: int, column: int, by: float) -> float:
    """Return the loss of the example if one number of the matrix `name`, such as "w_q", grows by `by`.

    Raises: ValueError for the same reasons as `training_trace`.
    """
    matrix = getattr(example, name).copy()
    matrix[row, column] += by
    return float(training_trace(replace(example, **{name: matrix}), aim).loss.loss)


def _check_place(name: str, place: int, n: int) -> None:
    if not 0 <= place < n:
        raise ValueError(f"{name} must be from 0 to {n - 1}; got {place}: there are no more.")
