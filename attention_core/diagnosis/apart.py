"""How to distinguish mistakes that give the same result: by a step before the result, or by another example."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.edited_run import EditedRun, edited_run_of
from attention_core.diagnosis.finding import Finding
from attention_core.diagnosis.own_steps import matrix_with
from attention_core.diagnosis.problems import Problem, same_question
from attention_core.examples import EXAMPLES, example

MOST_COMPARED = 12  # findings that are tried on other examples
VISIBLE = 0.01  # a smaller difference cannot be seen in two decimals


def step_that_tells_apart(computation: EditedRun, findings: Sequence[Finding], steps: Sequence[str]) -> str:
    """Return the first of `steps` whose matrix is not the same for all findings, or "" if there is no such step.

    Each finding explains the same answer by other mistakes.
    """
    for step in steps:
        first, *others = (matrix_with(computation, finding, step) for finding in findings)
        if first is not None and any(_differ(first, other) for other in others):
            return step
    return ""


def example_that_tells_apart(problem: Problem, findings: Sequence[Finding]) -> tuple[str, int] | None:
    """Return the title of the example that distinguishes the most findings, and how many findings it distinguishes.

    An example distinguishes a finding if the finding gives another matrix than the first finding. Only the first few
    findings are compared. Examples with random numbers are left out. Examples in which the first finding gives the
    correct result are left out, too.

    Return None if no example distinguishes a finding, or the problem's setting is not possible with every example.
    """
    if not problem.setting.is_usual:
        return None
    some = findings[:MOST_COMPARED]
    best: tuple[str, int] | None = None
    for name in EXAMPLES:
        other = example(name)
        if other.drawn or other is problem.example:
            continue
        n_apart = _count_different(edited_run_of(same_question(problem, other).trace), problem.stage, some)
        if n_apart > (best[1] if best else 0):
            best = other.title, n_apart
    return best


def _count_different(computation: EditedRun, stage: str, findings: Sequence[Finding]) -> int:
    """Return for how many findings the matrix of `stage` is not the same as for the first finding.

    Return 0 if the matrix of the first finding is correct, or cannot be computed.
    """
    first, *others = (matrix_with(computation, finding, stage) for finding in findings)
    if first is None or not _differ(first, computation.expected(stage)):
        return 0
    return sum(other is not None and _differ(first, other) for other in others)


def _differ(first: Array | None, second: Array | None) -> bool:
    """Return whether two matrices differ.

    None stands for a matrix that cannot be computed, and differs from any matrix.
    """
    if first is None or second is None:
        return first is not second
    return first.shape != second.shape or not np.allclose(first, second, rtol=0, atol=VISIBLE, equal_nan=True)
