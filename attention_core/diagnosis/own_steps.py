"""Own steps: each given matrix is compared with the one before it, so that only the first cause is blamed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, Answer
from attention_core.diagnosis.bounds import bounds, rounded_anywhere
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.explaining import explained_by_errors
from attention_core.diagnosis.finding import Finding, StepFound
from attention_core.diagnosis.stages import name_of


@dataclass(frozen=True, slots=True, eq=False)
class StepCheck:
    """The result of checking some steps: each step, and the first wrong one with its explanations."""

    steps: tuple[StepFound, ...]
    cause: str = ""  # the first step that does not follow from those before it
    findings: tuple[Finding, ...] = ()  # the explanations of the cause; none: it is unknown


def check_steps(right: EditedRun, answers: Mapping[str, Answer]) -> StepCheck:
    """Compare each step, in order, with what follows from the learner's own steps before it.

    A step that follows from a wrong one is not wrong, and neither is a step in which the same mistake is made again.
    """
    work, decimals, found = right, dict[str, int](), StepCheck(())
    for stage, answer in answers.items():
        step = _step(work, stage, answer, decimals, found.cause)
        if step.kind == "wrong" and not found.cause:
            found = StepCheck(found.steps, stage, tuple(explained_by_errors(work, answer, stage)))
            work = _with_the_mistake(work, found.findings)
        found = StepCheck((*found.steps, step), found.cause, found.findings)
        if answer.values.shape == work.expected(stage).shape:
            work = work.with_own_matrix(stage, answer.values)
            decimals |= {name_of(stage): answer.decimals} if answer.decimals >= FEWEST_DECIMALS else {}
    return found


def _step(work: EditedRun, stage: str, answer: Answer, decimals: Mapping[str, int], cause: str) -> StepFound:
    expected = work.expected(stage)
    if answer.values.shape != expected.shape:
        return StepFound(stage, "wrong", (0, 0), float(answer.values[0, 0]), np.nan, answer.values.size)
    wrong = np.argwhere(~_follows(work, stage, answer, decimals))
    if not len(wrong):
        return StepFound(stage, "follows" if cause else "right")
    place = tuple(int(i) for i in wrong[0])
    return StepFound(stage, "wrong", place, float(answer.values[place]), float(expected[place]), len(wrong))


def _follows(work: EditedRun, stage: str, answer: Answer, decimals: Mapping[str, int]) -> NDArray[np.bool_]:
    """Say for each number whether it follows from the numbers before it, which may be rounded."""
    last = max(answer.decimals, FEWEST_DECIMALS)
    return answer.agrees(work.expected(stage), bound_of(work, stage, decimals, FEWEST_DECIMALS, last))


def bound_of(work: EditedRun, stage: str, shown: Mapping[str, int], hidden: int, last: int) -> Array:
    """Return by how much a matrix may be off if the steps before it are rounded.

    Steps that somebody has shown are rounded to their own decimals (`shown`), steps in between to `hidden` decimals.
    The matrix itself is rounded to `last` decimals, and so may be the numbers inside its step, such as the root of d_k.
    """
    name = name_of(stage)
    before = rounded_anywhere(work.pipeline, work.names, name, hidden)
    before = {each: decimals for each, decimals in before.items() if each not in work.changed}
    return bounds(work.pipeline, work.names, {**before, **shown, name: last}, work.changed)[name]


def _with_the_mistake(work: EditedRun, findings: tuple[Finding, ...]) -> EditedRun:
    """Return the computation in which the mistake that was found is made in all later steps as well.

    A mistake that gives a matrix of another shape may leave no way on: then the later steps are compared with the
    right ones.
    """
    slips = findings[0].slips if findings else ()
    try:
        return work.with_slips(slips) if slips else work
    except ValueError:
        return work
