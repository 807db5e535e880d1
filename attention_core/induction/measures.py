"""What a model can do, and what its heads look at, over sequences that it has not been trained on."""

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
SEED = 20_220_924  # of the sequences; the seeds of a training are two numbers, so it never draws the same ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """How well a model continues repetitions, and how far its heads look where they should for that."""

    loss: float  # in nats; an even guess among 32 has ln 32 = 3.47
    accuracy: float  # the share of right guesses, from 0 to 1
    previous: float  # what the first head gives, from the place that is to be found, to the place before it
    induction: float  # what the last head gives to the place that is to be found


def measure(model: Model, first: str = "trained") -> Measures:
    """Measure a model on 64 new sequences, always the same.

    At each place that counts, the symbol was seen before, and the place to be found comes after that: it holds the
    answer. `first` replaces the weights of the first head, as `weights_instead` says.

    Range:  accuracy and both weights are means from 0 to 1.
    Raises: ValueError as `weights_instead`.
    """
    tested = _tested()
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
    """Return the average weight from each place that is to be found to the place before it.

    Shapes: weights (n_sequences, context, context).
    Range:  0 to 1.
    """
    sequence, place = np.nonzero(tested.counted)
    found = tested.found[sequence, place]
    return float(weights[sequence, found, found - 1].mean())


def induction_weight(weights: Array, tested: Batch) -> float:
    """Return the average weight from each place that counts to the place that is to be found.

    Shapes: weights (n_sequences, context, context).
    Range:  0 to 1.
    """
    sequence, place = np.nonzero(tested.counted)
    return float(weights[sequence, place, tested.found[sequence, place]].mean())


@cache_recent
def _tested() -> Batch:
    return batch(np.random.default_rng(SEED), N_SEQUENCES)
