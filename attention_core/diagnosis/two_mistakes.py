"""Two mistakes together, and answers whose rows or columns are all equal."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import Answer
from attention_core.diagnosis.by_chance import excludes_chance, findings_of
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding
from attention_core.diagnosis.plans import lines_to_compute, pairs
from attention_core.diagnosis.stages import name_of
from attention_core.mistakes import Mistake

FEW = 2  # pairs that may be named without a shared mistake


def two_mistakes(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding for each pair of mistakes that together give an answer.

    Return [] if too many unrelated pairs give the answer, because nothing then shows which pair was made.
    """
    if computation.changed:
        return []
    plans = pairs(computation.pipeline, name_of(stage), computation.paired)
    enough = computation.can_afford(len(plans)) and excludes_chance(computation, answer, stage, len(plans))
    found = findings_of(computation.plans_leading_to(answer, stage, plans)) if enough else []
    return found if _can_be_named(_most_usual(found)) else []


def _can_be_named(pairs: list[Finding]) -> bool:
    """Return whether pairs of mistakes that all give the same answer may be named.

    They may be named if they are few, or if shared mistakes connect them all, as in A with B, and B with C. Many
    unrelated pairs prove nothing.
    """
    left = [{mistake.name for mistake in each.mistakes} for each in pairs]
    together = left.pop() if left else set[str]()
    while near := [each for each in left if each & together]:
        left = [each for each in left if not each & together]
        together = together.union(*near)
    return len(pairs) <= FEW or not left


def _most_usual(findings: list[Finding]) -> list[Finding]:
    """Return only the findings whose mistakes are all usual. If there are no such findings, return all findings."""
    return [each for each in findings if all(mistake.rank == "usual" for mistake in each.mistakes)] or findings


def rows_or_columns_equal(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return findings about a wrong answer whose rows, or columns, are all equal; otherwise [].

    If the equal rows are a row of the correct matrix, the only finding names this row. Otherwise, return the pairs of
    mistakes that give the answer, if one of the two mistakes alone makes all rows equal. Without such a pair, return a
    finding that names no cause. The same holds for columns.
    """
    values, expected = answer.values, computation.expected(stage)
    if values.ndim != 2 or values.shape != expected.shape:
        return []
    equal = {"rows": (values, expected), "columns": (values.T, expected.T)}
    for which, (ours, right) in equal.items():
        if len(ours) > 1 and _are_equal(ours, answer) and not _are_equal(right, answer):
            repeated = np.flatnonzero((np.abs(right - ours[0]) <= 2 * answer.tolerance).all(axis=1))
            if len(repeated):
                return [Finding("all_equal", step=which, order=(int(repeated[0]),))]
            pairs = two_mistakes(computation, answer, stage)
            kept = [
                each
                for each in pairs
                if any(_makes_equal(computation, mistake, stage, which) for mistake in each.mistakes)
            ]
            return kept or [Finding("all_equal", step=which)]
    return []


def _makes_equal(computation: EditedRun, mistake: Mistake[Any], stage: str, which: str) -> bool:
    """Return whether a mistake alone makes all rows of a matrix equal, or all columns if `which` is "columns"."""
    lines = lines_to_compute(computation.pipeline, name_of(stage), mistake.lines_in(computation.pipeline))
    made = computation.matrix_after(lines, stage) if lines else None
    ours = None if made is None else made if which == "rows" else made.T
    return ours is not None and bool(np.allclose(ours, ours[:1]))


def _are_equal(rows: Array, answer: Answer) -> bool:
    return bool((np.abs(rows - rows[0]) <= 2 * answer.tolerance).all())
