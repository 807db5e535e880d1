"""Misreadings: mistakes that somebody can make in a task on paper, and that the catalogue of mistakes does not have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.softmax import softmax
from attention_core.tasks.forward_backward import LEARNED
from attention_core.tasks.task import Task


@dataclass(frozen=True, slots=True, eq=False)
class Misreading:
    """A mistake on paper: its title, why it is wrong, and the answer that it gives."""

    title: str
    why: str
    answer: Array  # the wrong answer, in the shape of the matrix that the task asks for


def misreadings(task: Task) -> tuple[Misreading, ...]:
    """Return the mistakes that somebody may make on paper in a task, such as another base, or swapped heads.

    Shapes: each answer has the shape of the matrix that the task asks for.
    """
    return tuple(each for each in _possible_misreadings(task) if each.answer.shape == task.correct_answer.shape)


def _possible_misreadings(task: Task) -> Iterator[Misreading]:
    """Yield all mistakes on paper for a task. The answer of some of them may have a wrong shape."""
    if task.concept == "softmax_axes":
        yield _other_base(task)
    if task.asked == "output" and {"weights", "v"} <= {*task.given}:
        yield from _transposed_products(task.matrix("weights"), task.matrix("v"))
    if task.concept == "multi_head":
        yield _swapped_heads(task)
    if task.asked == "grad_scaled":
        why = "A score’s gradient is its weight times (the weight’s gradient minus the weighted average of the row)."
        yield Misreading("The average left out", why, task.matrix("weights") * task.matrix("grad_weights"))
    if task.asked == LEARNED:
        why = "A value gets a gradient from each output that took from it, so the weights must be transposed."
        w_v, rate = task.matrix("w_v"), task.trace.rate
        turned = task.matrix("x").T @ task.matrix("weights") @ task.matrix("grad_output")
        yield Misreading("Weights not transposed", why, w_v - rate * turned)
        uphill = "The gradient says in which direction the loss grows, so a step subtracts the gradient."
        yield Misreading("The gradient added", uphill, 2 * w_v - task.correct_answer)


def _other_base(task: Task) -> Misreading:
    scores = task.matrix("scores")
    if task.base == math.e:
        return Misreading("Base 2 in place of e", "This task asks for powers of e.", softmax(scores * math.log(2)))
    return Misreading("Base e in place of 2", "This task asks for powers of 2.", softmax(scores))


def _transposed_products(weights: Array, v: Array) -> Iterator[Misreading]:
    if len(weights) == len(v):
        why = "Each query has a row of the weights. Multiply the values by this row, not by a column."
        yield Misreading("Weights transposed", why, weights.T @ v)
    if weights.shape[1] == v.shape[1]:
        why = "The value of a token is its row of V, not a column."
        yield Misreading("Values transposed", why, weights @ v.T)


def _swapped_heads(task: Task) -> Misreading:
    width = task.trace.concat.shape[-1] // 2
    concat = np.roll(task.trace.concat, width, axis=-1)
    answer = concat if task.asked == "concat" else concat @ task.matrix("w_o")
    return Misreading(
        "Heads swapped", "The output of head 1 comes first, because the rows of W^O are in this order.", answer
    )
