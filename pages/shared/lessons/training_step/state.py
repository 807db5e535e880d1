"""The state of the training on the page: the steps so far, and the results of the next step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.caching import cache_recent, cache_up_to
from attention_core.examples import Example
from attention_core.experiments.training import Aim, TrainedExample, TrainingTrace, train, training_trace

MOST_STEPS = 200
KEPT_EVERY = 5  # steps: a later training continues from the last state that was kept
MOST_KEPT = 128
SMALL = 1000  # numbers in a matrix: many states of a larger one would take too much memory
MOST_COMPARED = 50  # a comparison shows the loss after so many more steps


@dataclass(frozen=True, slots=True, eq=False)
class TrainingState:
    """The model, its results and its losses after the steps of training so far."""

    example: Example  # with the matrices as learned so far
    trace: TrainingTrace  # the trace with these matrices
    losses: np.ndarray  # before the first step, and after each step


def aim_of(parameters, example: Example) -> Aim:
    """Return the aim of the training, with the visitor's settings: the token, its target, and how the model learns."""
    return Aim(
        token=parameters.token % len(example.tokens),  # −1 stands for the last
        target=parameters.target,
        mask=parameters.mask,
        times=float(parameters.times),
        learns=parameters.learns,
    )


def training_state(parameters, example: Example) -> TrainingState:
    """Return the state of the training of an example after the steps that the visitor has taken so far."""
    return _state_after(example, aim_of(parameters, example), float(parameters.rate), parameters.taken)


@cache_recent
def _state_after(example: Example, aim: Aim, rate: float, taken: int) -> TrainingState:
    trained = _trained_example(example, aim, rate, taken)
    trace = training_trace(trained.example, aim) if taken else first_trace(example, aim)
    return TrainingState(trained.example, trace, trained.losses)


@cache_recent
def first_trace(example: Example, aim: Aim) -> TrainingTrace:
    """Return the trace of an example before its training."""
    return training_trace(example, aim)


def _trained_example(example: Example, aim: Aim, rate: float, taken: int) -> TrainedExample:
    """Return the example after `taken` steps of training with the learning rate `rate`.

    For a small example, some earlier states are stored, and the training continues from the last of them.
    """
    if example.w_q.size > SMALL:
        return train(example, aim, lr=rate, steps=taken)
    return _continued(_stored_state(example, aim, rate, taken // KEPT_EVERY), aim, rate, taken % KEPT_EVERY)


@cache_up_to(MOST_KEPT)
def _stored_state(example: Example, aim: Aim, rate: float, number: int) -> TrainedExample:
    """Return the example after `number` times `KEPT_EVERY` steps of training. The result is cached."""
    if number == 0:
        return train(example, aim, lr=rate, steps=0)
    return _continued(_stored_state(example, aim, rate, number - 1), aim, rate, KEPT_EVERY)


def _continued(before: TrainedExample, aim: Aim, rate: float, steps: int) -> TrainedExample:
    if steps == 0:
        return before
    more = train(before.example, aim, lr=rate, steps=steps)
    return TrainedExample(example=more.example, losses=np.concatenate([before.losses[:-1], more.losses]))


def loss_of(trace: TrainingTrace) -> float:
    """Return the loss in `trace` as a Python float."""
    return float(trace.loss.loss)
