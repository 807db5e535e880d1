"""How the small model learns: its gradient, its training, and the shipped snapshots."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.caching import cache_up_to
from attention_core.checks import Array
from attention_core.gradients.attention import self_attention_gradient
from attention_core.gradients.optimizers import AdamTrace, adam_step
from attention_core.gradients.parts import cross_entropy_gradient, through_projection
from attention_core.induction.model import (
    Layer,
    LayerTrace,
    Measures,
    Model,
    ModelTrace,
    batch,
    draw_parameters,
    measure,
    model_of,
    run,
    vector_of,
)
from attention_core.next_word import CrossEntropyTrace, cross_entropy


def model_gradient(model: Model, trace: ModelTrace, loss_trace: CrossEntropyTrace) -> Model:
    """Return the gradient of the loss for each learned number, as a `Model` whose matrices are the gradients.

    The gradient of the logits is that of `cross_entropy_gradient`. The output of a layer is its input plus the output
    of its head, so the gradient goes back along both: grad_x = grad_output + the head's grad_x. The gradient of a
    symbol or a position is the sum over all its uses.

    Source: the chain rule, after `self_attention_gradient` and `projection_gradient`.
    """
    last = trace.layers[-1].output
    named = through_projection(last, model.unembedding, None, cross_entropy_gradient(loss_trace).grad_logits)
    arrives, layers = named.grad_x, list[Layer]()
    for layer, steps in zip(reversed(model.layers), reversed(trace.layers), strict=True):
        gradient, arrives = _through_layer(layer, steps, arrives)
        layers.insert(0, gradient)
    return Model(
        embedding=_sum_by_symbol(trace, arrives, model.embedding),
        positions=_sum_by_position(arrives, model.positions),
        unembedding=named.grad_w,
        layers=tuple(layers),
    )


def _through_layer(layer: Layer, steps: LayerTrace, grad_output: Array) -> tuple[Layer, Array]:
    mixed = through_projection(steps.head.output, layer.w_o, None, grad_output)
    head = self_attention_gradient(steps.head, mixed.grad_x)
    return Layer(w_q=head.grad_w_q, w_k=head.grad_w_k, w_v=head.grad_w_v, w_o=mixed.grad_w), grad_output + head.grad_x


def _sum_by_symbol(trace: ModelTrace, grad_x: Array, embedding: Array) -> Array:
    uses = np.equal(trace.tokens.ravel(), np.arange(len(embedding))[:, None]).astype(grad_x.dtype)
    return uses @ grad_x.reshape(-1, grad_x.shape[-1])


def _sum_by_position(grad_x: Array, positions: Array) -> Array:
    gathered = np.zeros_like(positions)
    gathered[: grad_x.shape[-2]] = grad_x.reshape(-1, *grad_x.shape[-2:]).sum(axis=0)
    return gathered


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


FILE = Path(__file__).with_name("snapshots.npz")
MANIFEST = Path(__file__).with_name("snapshots.json")
THOUSAND = 1000
STEPS = (0, 100, 140, 160, 200, 400)  # the stored steps of a training; at step 0 all numbers are random
SEEDS = range(6)


class ModelId(NamedTuple):
    """The identity of a model: the seed of its training, its number of layers, and the number of training steps."""

    seed: int
    n_layers: int
    step: int

    @property
    def key(self) -> str:
        """The name of the model in the file."""
        return f"seed{self.seed}_layers{self.n_layers}_step{self.step}"


# The stored models: one training at all its steps, other trainings at the last step, and one with a single layer.
KEPT = (
    *(ModelId(0, 2, step) for step in STEPS[1:]),
    *(ModelId(seed, 2, STEPS[-1]) for seed in SEEDS[1:]),
    ModelId(0, 1, STEPS[-1]),
)


def as_thousandths(vector: Array) -> NDArray[np.int16]:
    """Return the numbers of a model as whole thousandths, as the file stores them.

    Raises: ValueError if a number is beyond ±32.767.
    """
    whole = np.rint(np.asarray(vector, dtype=np.float64) * THOUSAND)
    if np.abs(whole).max() > np.iinfo(np.int16).max:
        raise ValueError(f"weights must be within ±32.767; got {np.abs(vector).max()}: train at a smaller rate.")
    return whole.astype(np.int16)


def model_from(thousandths: NDArray[np.int16]) -> Model:
    """Return the model whose numbers are stored as whole thousandths, in float64."""
    return model_of(thousandths / THOUSAND)


def is_available(model_id: ModelId) -> bool:
    """Return whether a model is available without training: the file has it, or the model has learned nothing yet."""
    return model_id.step == 0 or model_id in KEPT


@cache_up_to(len(KEPT) + len(SEEDS))
def find_model(model_id: ModelId) -> Model:
    """Return the model `model_id`: from the file or, before its first training step, with random numbers.

    Raises: ValueError if the model has to be trained first.
    """
    if not is_available(model_id):
        raise ValueError(f"a model must be kept or untrained; got {model_id.key}: train it, with training.train_step.")
    if model_id.step == 0:
        return model_from(as_thousandths(draw_parameters(model_id.seed, model_id.n_layers)))
    with np.load(FILE) as kept:
        return model_from(kept[model_id.key])


def fingerprint(thousandths: NDArray[np.int16]) -> str:
    """Return the SHA-256 of a stored model. The manifest has the same hash."""
    return hashlib.sha256(thousandths.astype("<i2").tobytes()).hexdigest()


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
