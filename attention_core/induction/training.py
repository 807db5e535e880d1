"""One training step as a pure function, from the model after one batch to the model after the next batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.cross_entropy import cross_entropy
from attention_core.gradients.optimizers import AdamTrace, adam_step
from attention_core.induction.gradient import model_gradient
from attention_core.induction.model import Model, run
from attention_core.induction.parameters import draw_parameters, model_of, vector_of
from attention_core.induction.task import batch

N_SEQUENCES = 32  # the number of sequences in one batch
LR, WARM_UP = 6e-3, 50  # the learning rate grows to its full size over the first steps
BETAS = {"beta1": 0.9, "beta2": 0.98}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Training:
    """A model in training, with all numbers that its next step needs."""

    seed: int
    n_layers: int
    step: int  # how many batches the model has learned from
    vector: Array  # (n,) all numbers of the model
    adam: AdamTrace | None = None
    loss: float = float("nan")  # the loss of the last batch, before its step; NaN before the first step

    @property
    def model(self) -> Model:
        """The model in its present state."""
        return model_of(self.vector)


def begin(seed: int, n_layers: int = 2) -> Training:
    """Return a training whose model has learned nothing yet.

    The seed determines all random numbers, and therefore the whole training.
    """
    return Training(seed=seed, n_layers=n_layers, step=0, vector=draw_parameters(seed, n_layers))


def train_step(before: Training) -> Training:
    """Return the training after one more batch. The batch is drawn from the seed and the number of the step.

    Adam on the cross-entropy of the positions that count, at a rate of LR · min(1, step / WARM_UP)

    Source: Kingma & Ba 2015.
    """
    step = before.step + 1
    drawn_now, model = batch(np.random.default_rng([before.seed, step]), N_SEQUENCES), before.model
    trace = run(model, drawn_now.tokens)
    said = cross_entropy(trace.logits, drawn_now.targets, drawn_now.counted)
    gradient = vector_of(model_gradient(model, trace, said))
    adam = adam_step(before.vector, gradient, before.adam, lr=LR * min(1.0, step / WARM_UP), **BETAS)
    return Training(
        seed=before.seed, n_layers=before.n_layers, step=step, vector=adam.parameter, adam=adam, loss=float(said.loss)
    )
