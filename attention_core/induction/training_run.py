"""A training run: the model in training, its measurements so far, and the stored models. All functions are pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.induction.measures import Measures, measure
from attention_core.induction.parameters import model_of
from attention_core.induction.snapshots import STEPS, ModelId, as_thousandths
from attention_core.induction.training import Training, begin, train_step

EVERY = 20  # the number of steps from one measurement to the next

Points = tuple[tuple[int, Measures], ...]  # pairs: the number of a step, and the measurements after it


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingRun:
    """A training run: the model in training, its measurements so far, and the stored models."""

    training: Training
    points: Points = ()
    latest: NDArray[np.int16] | None = None  # the model at the last measurement, in whole thousandths
    kept: Mapping[int, NDArray[np.int16]] = field(default_factory=lambda: MappingProxyType({}))  # by their step

    @property
    def done(self) -> bool:
        """Whether all steps are done."""
        return self.training.step >= STEPS[-1]

    @property
    def now(self) -> ModelId:
        """The identity of the model in its present state."""
        return ModelId(self.training.seed, self.training.n_layers, self.training.step)


def start(seed: int, n_layers: int) -> TrainingRun:
    """Return a new training run, with a measurement of the model before the first step."""
    return _with_measurement(TrainingRun(training=begin(seed, n_layers)))


def run_after_step(training_run: TrainingRun) -> TrainingRun:
    """Train the model for one more step, and return the new training run. Every 20th step, measure the model."""
    return _with_measurement(replace(training_run, training=train_step(training_run.training)))


def _with_measurement(training_run: TrainingRun) -> TrainingRun:
    """Return the training run with one more measurement if its step is a multiple of 20, and unchanged otherwise."""
    step, vector = training_run.training.step, training_run.training.vector
    if step % EVERY:
        return training_run
    latest = as_thousandths(vector)
    kept: dict[int, Any] = {**training_run.kept, **({step: latest} if step in STEPS else {})}
    points = (*training_run.points, (step, measure(model_of(vector))))
    return replace(training_run, points=points, latest=latest, kept=MappingProxyType(kept))
