"""Another scale: explain weights, or an output, by scaled scores that are all multiplied by the same number."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import SMALLEST_SPREAD, Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding
from attention_core.diagnosis.middle import middle_changes
from attention_core.mistakes.engine.code_lines import softmax

CLOSE = 0.02  # a factor this near to 1 is the correct scale, rounded
STARTS = np.log([0.03, 0.1, 0.3, 0.7, 1.5, 3.0, 8.0, 20.0])  # logarithms of the scales from which the search begins
ROUNDS, SMALL, LONGEST_STEP = 25, 1e-6, 0.7
MOST_SCORES = 4096  # with more scores, solving for the scale takes long
BY_CHANCE = 1e-3  # with a greater probability of a coincidence, a scale proves nothing


def other_scale(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a list with one finding if the scaled scores times one wrong factor give the answer; otherwise [].

    The answer may be weights, or the output of one head.
    """
    expected = computation.expected(stage)
    if (
        stage not in ("weights", "output")
        or computation.changed
        or computation.has_several_heads
        or not answer.is_finite
    ):
        return []
    if answer.values.shape != expected.shape or computation.n_scores > MOST_SCORES:
        return []
    n_off = int((~answer.agrees(expected)).sum())
    by_chance = min(2 * answer.tolerance / max(float(np.ptp(expected)), SMALLEST_SPREAD), 1.0)
    if len(STARTS) * by_chance ** (n_off - 1 - (stage == "weights") * len(expected)) > BY_CHANCE:
        return []
    factors = _improve_scales(computation, answer, stage)
    off = np.abs(_stage_of_scales(computation, stage, factors) - answer.values).max(axis=(1, 2))
    best = _middle_scale(computation, answer, stage, factors[int(np.argmin(off))])
    off_best = np.abs(_stage_of_scales(computation, stage, best) - answer.values).max()
    if off_best > answer.tolerance or abs(float(best[0]) - 1) < CLOSE:
        return []
    return [Finding("other_scale", factor=float(best[0]))]


def _improve_scales(computation: EditedRun, answer: Answer, stage: str) -> Array:
    """Return one scale for each start in `STARTS`: the scale near this start that comes closest to the answer.

    Gauss–Newton steps improve the logarithms of the scales.
    """
    logs = STARTS.copy()
    for _ in range(ROUNDS):
        misses = (_stage_of_scales(computation, stage, np.exp(logs)) - answer.values).reshape(len(logs), -1)
        moved = (_stage_of_scales(computation, stage, np.exp(logs + SMALL)) - answer.values).reshape(len(logs), -1)
        slopes = (moved - misses) / SMALL
        steep = (slopes**2).sum(axis=1)
        step = (misses * slopes).sum(axis=1) / np.where(steep > 0, steep, 1.0)
        logs = np.clip(logs - np.clip(step, -LONGEST_STEP, LONGEST_STEP), STARTS[0] - 2, STARTS[-1] + 2)
    return np.exp(logs)


def _middle_scale(computation: EditedRun, answer: Answer, stage: str, factor: float) -> Array:
    """Return the middle of all scales near `factor` that give the answer up to rounding. If none does, return `factor`.

    The result is an array with one scale.
    """
    made = _stage_of_scales(computation, stage, np.array([factor, factor + SMALL]))
    misses, slopes = (made[0] - answer.values).reshape(1, -1), ((made[1] - made[0]) / SMALL).reshape(1, -1)
    return factor + middle_changes(misses, slopes, answer.tolerance)


def _stage_of_scales(computation: EditedRun, stage: str, factors: Array) -> Array:
    """Return the weights or the output (`stage`) for each of `factors`. A factor multiplies all scaled scores."""
    scaled = factors[:, None, None] * computation.expected("scaled") + computation.names.get("bias", 0.0)
    weights = softmax(np.where(np.isfinite(computation.expected("masked")), scaled, -np.inf))
    return weights if stage == "weights" else weights @ computation.expected("v")
