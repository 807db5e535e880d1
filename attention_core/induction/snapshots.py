"""Snapshots: models that were trained before, each as whole thousandths, and how to round a new one alike.

Rounding to thousandths changes no guess, and a page can then show all digits of a weight.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.caching import cached_up_to
from attention_core.checks import Array
from attention_core.induction.model import Model
from attention_core.induction.parameters import draw_parameters, model_of

FILE = Path(__file__).with_name("snapshots.npz")
MANIFEST = Path(__file__).with_name("snapshots.json")
THOUSAND = 1000
STEPS = (0, 100, 140, 160, 200, 400)  # of a training, as it is kept; at step 0 nothing is learned, and all is drawn
SEEDS = range(6)


class ModelId(NamedTuple):
    """Which model: of which training, and after how many steps."""

    seed: int
    n_layers: int
    step: int

    @property
    def key(self) -> str:
        """Its name in the file."""
        return f"seed{self.seed}_layers{self.n_layers}_step{self.step}"


# One training all the way, the ends of the others, and the end of one with a single layer.
KEPT = (
    *(ModelId(0, 2, step) for step in STEPS[1:]),
    *(ModelId(seed, 2, STEPS[-1]) for seed in SEEDS[1:]),
    ModelId(0, 1, STEPS[-1]),
)


def as_thousandths(vector: Array) -> NDArray[np.int16]:
    """Return the numbers of a model as whole thousandths, as the file has them.

    Raises: ValueError if a number is beyond ±32.767.
    """
    whole = np.rint(np.asarray(vector, dtype=np.float64) * THOUSAND)
    if np.abs(whole).max() > np.iinfo(np.int16).max:
        raise ValueError(f"weights must be within ±32.767; got {np.abs(vector).max()}: train at a smaller rate.")
    return whole.astype(np.int16)


def model_from(thousandths: NDArray[np.int16]) -> Model:
    """Return the model that whole thousandths stand for, in float64."""
    return model_of(thousandths / THOUSAND)


def is_at_hand(model_id: ModelId) -> bool:
    """Say whether a model need not be trained: it is kept, or has learned nothing yet."""
    return model_id.step == 0 or model_id in KEPT


@cached_up_to(len(KEPT) + len(SEEDS))
def find_model(model_id: ModelId) -> Model:
    """Return a model that is kept, or one before its first step.

    Raises: ValueError if it has to be trained first.
    """
    if not is_at_hand(model_id):
        raise ValueError(f"a model must be kept or untrained; got {model_id.key}: train it, with training.train_step.")
    if model_id.step == 0:
        return model_from(as_thousandths(draw_parameters(model_id.seed, model_id.n_layers)))
    with np.load(FILE) as kept:
        return model_from(kept[model_id.key])


def fingerprint(thousandths: NDArray[np.int16]) -> str:
    """Return the SHA-256 of a snapshot, which the manifest has as well."""
    return hashlib.sha256(thousandths.astype("<i2").tobytes()).hexdigest()
