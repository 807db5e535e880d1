"""Measure how well an induction model predicts, and what its heads attend to, in sequences that are new to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.cross_entropy import cross_entropy
from attention_core.induction.model import CONTEXT, Model, run
from attention_core.induction.rewiring import weights_instead
from attention_core.induction.task import Batch, batch

N_SEQUENCES = 64
SEED = 20_220_924  # a training uses seeds of two numbers, so it never draws the sequences of this seed


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """How well a model predicts repeated symbols, and how much its two heads attend to the positions that they need."""

    loss: float  # in nats; equal probabilities for 32 symbols give ln 32 = 3.47
    accuracy: float  # the fraction of correct guesses, from 0 to 1
    previous: float  # the first head's mean weight from the position with the answer on the position before it
    induction: float  # the last head's mean weight on the position with the answer


def measure(model: Model, first: str = "trained") -> Measures:
    """Measure the loss, the accuracy and the weights of a model on 64 sequences, which are always the same.

    The means are over the positions whose symbol occurred before and is followed by the same symbol again. `first` is
    the argument of `weights_instead`, which replaces the weights of the first head.

    Range:  `accuracy`, `previous` and `induction` are means from 0 to 1.
    Raises: ValueError for the same reasons as `weights_instead`.
    """
    tested = _test_batch()
    trace = run(model, tested.tokens, weights_instead(first, CONTEXT))
    said = cross_entropy(trace.logits, tested.targets, tested.counted)
    right = trace.logits.argmax(axis=-1) == tested.targets
    return Measures(
        loss=float(said.loss),
        accuracy=float(right[tested.counted].mean()),
        previous=previous_weight(trace.layers[0].head.weights, tested),
        induction=induction_weight(trace.layers[-1].head.weights, tested),
    )


def previous_weight(weights: Array, tested: Batch) -> float:
    """Return the mean weight with which useful positions attend to the position before them.

    At a tested position, the model has to predict a symbol that occurred before. The position of its first occurrence
    is useful.

    Shapes: weights (n_sequences, context, context).
    Range:  0 to 1.
    """
    sequence, place = np.nonzero(tested.counted)
    found = tested.found[sequence, place]
    return float(weights[sequence, found, found - 1].mean())


def induction_weight(weights: Array, tested: Batch) -> float:
    """Return the mean weight with which tested positions attend to the first occurrence of the symbol to predict.

    Shapes: weights (n_sequences, context, context).
    Range:  0 to 1.
    """
    sequence, place = np.nonzero(tested.counted)
    return float(weights[sequence, place, tested.found[sequence, place]].mean())


@cache_recent
def _test_batch() -> Batch:
    """Return the 64 sequences on which models are measured. They are not used in training."""
    return batch(np.random.default_rng(SEED), N_SEQUENCES)
