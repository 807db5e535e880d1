"""The numbers that show a mistake in a task: a weight that the mask should hide, or the divisor of the scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import lines_to_compute, name_of
from attention_core.mistakes import Mistake
from pages.shared.lessons.check_my_matrix.places import place_in_matrix_text
from pages.shared.notation.numbers import number

VISIBLE = 1e-3  # a smaller difference of two weights is not shown


def mistake_by_numbers(mistake: Mistake[Any], problem: Problem) -> str:
    """Return a sentence that shows a mistake with numbers of this task.

    Return "" if it is not a mistake of the mask or the scale.
    """
    if mistake.stage == "masked":
        return _weight_text(mistake, problem)
    return _divisor_text(mistake, problem) if mistake.stage == "scaled" else ""


def _weight_text(mistake: Mistake[Any], problem: Problem) -> str:
    """Return a sentence about the first weight that a mistake of the mask makes wrong.

    If possible, it is a weight that should be 0. Return "" if the mistake changes no weight.
    """
    right, wrong = edited_run_of(problem.trace).expected("weights"), _wrong_matrix(mistake, problem, "weights")
    if wrong is None or wrong.shape != right.shape:
        return ""
    places = np.argwhere(~(np.abs(wrong - right) <= VISIBLE)).tolist()
    if not places:
        return ""
    place = tuple(next((each for each in places if not right[tuple(each)]), places[0]))
    is_now, should = float(wrong[place]), float(right[place])
    hidden = " because this key is hidden" if not should else ""
    value = "NaN" if np.isnan(is_now) else f"${number(is_now)}$"
    named = f"{place_in_matrix_text('weights', place)} should be ${number(should)}${hidden}"
    return f"For example, {named}, but this mistake makes it {value}."


def _divisor_text(mistake: Mistake[Any], problem: Problem) -> str:
    """Return sentences with the divisor that a mistake of the scale uses, and the correct divisor.

    Return "" if the mistake does not divide all scores by the same number.
    """
    scores, scaled = _wrong_matrix(mistake, problem, "scores"), _wrong_matrix(mistake, problem, "scaled")
    if problem.setting.scale is not None or scores is None or scaled is None or scores.shape != scaled.shape:
        return ""
    factor = float(np.vdot(scaled, scores) / np.vdot(scores, scores)) if scores.any() else 0.0
    if not factor or abs(factor - 1) < VISIBLE or not np.allclose(scaled, factor * scores):
        return ""
    root = number(float(np.sqrt(edited_run_of(problem.trace).names["d_k"])))
    divides = f"Here, this mistake divides the scores by ${number(1 / factor)}$."
    return rf"{divides} The correct divisor is $\sqrt{{d_k}} = {root}$."


def _wrong_matrix(mistake: Mistake[Any], problem: Problem, stage: str) -> Array | None:
    """Return the matrix `stage` as it is with a mistake, or None if the shapes do not allow the mistake."""
    work = edited_run_of(problem.trace)
    lines = lines_to_compute(work.pipeline, name_of(stage), mistake.lines_in(work.pipeline))
    return work.matrix_after(lines, stage) if lines else work.expected(stage)
