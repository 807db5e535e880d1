"""Sentences about a step of training, with the numbers on the page."""

from __future__ import annotations

import numpy as np

from attention_core.experiments.training import TrainingTrace
from pages.shared.lessons.training_step.state import TrainingState, loss_of
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import small


def why(here: TrainingState, token: str, column: str) -> str:
    """Say what is to be learned, how wrong the output is, and what a gradient is for."""
    share = float(here.trace.loss.probabilities[0, here.trace.aim.target])
    return (
        "In a model nobody writes $W^Q, W^K, W^V$ by hand: they are learned from what came out wrong. Suppose that "
        f"a text says otherwise than these matrices do: the output of “{token}” is to be greatest in **{column}**. As "
        f"shares by softmax, that column has **{small(share)}** of 1, so the loss, $-\\ln$ of it, is "
        f"**{small(loss_of(here.trace))}**. The way back (the backward pass) gives each of their numbers a "
        f"{define('gradient')}. A step takes it off, times the learning rate: **what has a minus grows.**"
    )


def progress(here: TrainingState) -> str:
    """Say what the steps taken have done to the loss."""
    taken = len(here.losses) - 1
    if not taken:
        return "No step is taken yet."
    first, last = small(float(here.losses[0])), small(float(here.losses[-1]))
    return f"After {taken} step{'s' * (taken > 1)} the loss is **{last}**; it began at {first}."


def greatest(values: np.ndarray) -> float:
    """Return the greatest magnitude of a gradient."""
    return float(np.abs(values).max())


def masked_cells_text(trace: TrainingTrace) -> str:
    """Say which gradient the cells get that a mask forbids, if there are any."""
    cells = np.isneginf(trace.forward.masked)
    if not cells.any():
        return ""
    return (
        f"The mask forbids {int(cells.sum())} cells. What nobody read cannot have been wrong: the greatest of their "
        f"gradients is **{small(greatest(trace.back.grad_scaled[cells]))}**."
    )
