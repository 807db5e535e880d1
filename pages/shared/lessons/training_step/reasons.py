"""Texts about a step of training, with the numbers on the page."""

from __future__ import annotations

import numpy as np

from attention_core.experiments.training import TrainingTrace
from pages.shared.lessons.training_step.state import TrainingState, loss_of
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import small


def why(training: TrainingState, token: str, column: str) -> str:
    """Return a text that says what the model should learn, how wrong its output is, and what a gradient is for.

    `column` is the feature in which the output of `token` should be greatest.
    """
    share = float(training.trace.loss.probabilities[0, training.trace.aim.target])
    return (
        "A model learns $W^Q$, $W^K$ and $W^V$ from its errors. Suppose that the output $z$ of "
        f"“{token}” should be greatest in **{column}**. Softmax turns $z$ into shares $p$: {column} gets "
        f"**{small(share)}**, and its target in $y$ is 1. The **loss** is minus the natural logarithm of this share: "
        f"**{small(loss_of(training.trace))}**. "
        f"A step subtracts from each learned number its {define('gradient')}, times the learning rate. "
        "**So a number with a negative gradient grows, and the loss usually falls.** $dz$ is the gradient of $z$."
    )


def progress_text(training: TrainingState) -> str:
    """Return a text that says how the steps of training so far have changed the loss."""
    taken = len(training.losses) - 1
    if not taken:
        return "You have not taken a step yet. Press **One step**, and watch the loss."
    first, last = small(float(training.losses[0])), small(float(training.losses[-1]))
    return f"After {taken} step{'s' * (taken > 1)} the loss is **{last}**; it began at {first}."


def greatest(values: np.ndarray) -> float:
    """Return the greatest magnitude of the numbers in a matrix."""
    return float(np.abs(values).max())


def masked_cells_text(trace: TrainingTrace) -> str:
    """Return a text that says which gradient the masked scores get, or "" if no score is masked."""
    cells = np.isneginf(trace.forward.masked)
    if not cells.any():
        return ""
    return (
        f"The mask hides {int(cells.sum())} cells. Their weights are 0, so they did not change the output, and their "
        f"scores get no gradient: the greatest is **{small(greatest(trace.back.grad_scaled[cells]))}**."
    )
