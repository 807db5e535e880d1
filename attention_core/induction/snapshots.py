"""Trained models from a file, whose numbers are stored as whole thousandths, and the same rounding for new models.

Rounding to thousandths changes no guess, and lets a page show all digits of a number.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.caching import cache_up_to
from attention_core.checks import Array
from attention_core.induction.model import Model
from attention_core.induction.parameters import draw_parameters, model_of

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
