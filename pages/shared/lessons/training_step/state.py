"""The state of the training on the page: the steps so far, and the results of the next step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.training import Aim, TrainingTrace, train, training_trace

MOST_STEPS = 200
MOST_COMPARED = 50  # a comparison shows the loss after so many more steps


@dataclass(frozen=True, slots=True, eq=False)
class TrainingState:
    """The model, its results and its losses after the steps of training so far."""

    example: Example  # with the matrices as learned so far
    trace: TrainingTrace  # the trace with these matrices
    losses: np.ndarray  # before the first step, and after each step


def aim_of(parameters, example: Example) -> Aim:
    """Return what the training aims at, as the parameters of the page set it: for example the token and its target."""
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
    trained = train(example, aim, lr=rate, steps=taken)
    return TrainingState(trained.example, training_trace(trained.example, aim), trained.losses)


def loss_of(trace: TrainingTrace) -> float:
    """Return the loss as a number."""
    return float(trace.loss.loss)
