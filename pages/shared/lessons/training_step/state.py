"""The state of the training that the page shows: the steps that were taken, and the trace of the next one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.training import Aim, TrainingTrace, train, training_trace

MOST_STEPS = 200
MOST_COMPARED = 50  # after how many more steps a comparison shows the loss


@dataclass(frozen=True, slots=True, eq=False)
class TrainingState:
    """The state of the training after the steps that were taken."""

    example: Example  # with the matrices that it has learned so far
    trace: TrainingTrace  # the trace of these matrices
    losses: np.ndarray  # before the first step, and after each that was taken


def aim_of(parameters, example: Example) -> Aim:
    """Return the aim that the parameters of the page set."""
    return Aim(
        token=parameters.token % len(example.tokens),  # −1 stands for the last
        target=parameters.target,
        mask=parameters.mask,
        times=float(parameters.times),
        learns=parameters.learns,
    )


def training_state(parameters, example: Example) -> TrainingState:
    """Return where the training of an example stands after the steps that were taken."""
    return _state_after(example, aim_of(parameters, example), float(parameters.rate), parameters.taken)


@cache_recent
def _state_after(example: Example, aim: Aim, rate: float, taken: int) -> TrainingState:
    trained = train(example, aim, lr=rate, steps=taken)
    return TrainingState(trained.example, training_trace(trained.example, aim), trained.losses)


def loss_of(trace: TrainingTrace) -> float:
    """Return the loss of a trace as a number."""
    return float(trace.loss.loss)
