"""Sentences about a step of training, with the numbers on the page."""

from __future__ import annotations

import numpy as np

from attention_core.experiments.training import TrainingTrace
from pages.shared.lessons.training_step.state import TrainingState, loss_of
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import small


def why(here: TrainingState, token: str, column: str) -> str:
    """Say what the model should learn, how wrong the output is, and what a gradient is for."""
    share = float(here.trace.loss.probabilities[0, here.trace.aim.target])
    return (
        "Nobody writes $W^Q, W^K, W^V$ by hand. A model learns them from its mistakes. Suppose that the output of "
        f"“{token}” should be greatest in **{column}**. Softmax turns the output into shares, and {column} gets "
        f"**{small(share)}**. The **loss**, $-\\ln$ of this share, says how wrong the output is: "
        f"**{small(loss_of(here.trace))}**. "
        f"Training computes the {define('gradient')} of each weight, and subtracts it times the learning rate. "
        "**So a weight with a negative gradient grows, and the loss falls.**"
    )


def progress(here: TrainingState) -> str:
    """Say how the steps so far have changed the loss."""
    taken = len(here.losses) - 1
    if not taken:
        return "You have not taken a step yet. Press **One step**, and watch the loss."
    first, last = small(float(here.losses[0])), small(float(here.losses[-1]))
    return f"After {taken} step{'s' * (taken > 1)} the loss is **{last}**; it began at {first}."


def greatest(values: np.ndarray) -> float:
    """Return the greatest magnitude of a gradient."""
    return float(np.abs(values).max())


def masked_cells_text(trace: TrainingTrace) -> str:
    """Say which gradient the masked cells get, if there are any."""
    cells = np.isneginf(trace.forward.masked)
    if not cells.any():
        return ""
    return (
        f"The mask hides {int(cells.sum())} cells. Their weights are 0, so they did not change the output, and their "
        f"scores get no gradient: the greatest is **{small(greatest(trace.back.grad_scaled[cells]))}**."
    )
