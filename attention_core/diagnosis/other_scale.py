"""Another scale: weights that are the softmax of the scores multiplied by another number than the right one."""

from __future__ import annotations

import numpy as np

from attention_core.diagnosis.answer import Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding
from attention_core.slips.engine.running import softmax

FEWEST = 3  # numbers that have to agree besides the one from which the scale is read
CLOSE = 0.02  # as a share of 1: a scale this near is the right one, rounded


def other_scale(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain weights by a factor of the scaled scores that is the same for all of them."""
    if stage != "weights" or work.changed or answer.values.shape != work.expected(stage).shape:
        return []
    masked, values = work.expected("masked"), answer.values
    if not answer.is_finite or (values < 0).any():
        return []
    told = np.isfinite(masked) & (values > 20 * answer.tolerance)
    counts = told.sum(axis=-1, keepdims=True)
    if (counts - 1).clip(0).sum() < FEWEST:
        return []
    ours, right = (_centred(m, told, counts) for m in (np.log(np.where(told, values, 1.0)), masked))
    below = float((right**2).sum())
    factor = float((ours * right).sum()) / below if below else 1.0
    if abs(factor - 1) < CLOSE or not np.isfinite(factor):
        return []
    made = softmax(np.where(np.isfinite(masked), factor * masked, -np.inf))
    room = 4 * answer.tolerance  # the factor itself is read from rounded numbers
    return [Finding("other_scale", factor=factor)] if (np.abs(made - values) <= room).all() else []


def _centred(matrix: np.ndarray, told: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return a matrix less the mean of each row, where it is told; 0 elsewhere."""
    kept = np.where(told, matrix, 0.0)
    return np.where(told, kept - kept.sum(axis=-1, keepdims=True) / np.maximum(counts, 1), 0.0)
