"""Checking a pasted result against an example, or against somebody's own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array, greatest_difference
from attention_core.diagnosis.answer import MOST_DECIMALS, Answer, answer_to
from attention_core.diagnosis.diagnose import Diagnosis, diagnose
from attention_core.diagnosis.finding import Finding
from attention_core.diagnosis.known_decimals import certain_decimals
from attention_core.diagnosis.problems import (
    ALL_HEADS,
    POSITIONS,
    Problem,
    example_of_embeddings,
    example_of_queries,
    example_of_weights,
    problem_of,
    problem_of_queries,
    problem_of_scores,
)
from attention_core.diagnosis.setting import Setting, read_mask
from attention_core.diagnosis.stages import matrix_at, possible_mistakes
from attention_core.mistakes import HALF_A_DECIMAL, Mistake, with_mistakes
from attention_core.reading.matrix_text import MatrixText

__all__ = [
    "ALL_HEADS",
    "POSITIONS",
    "Problem",
    "Setting",
    "correct_cells",
    "diagnose_pasted",
    "example_of_embeddings",
    "example_of_queries",
    "example_of_weights",
    "problem_of",
    "problem_of_queries",
    "problem_of_scores",
    "read_mask",
    "wrong_result_to_try",
]
SINGLE = 5  # decimals that are certain in float32, even if more are printed


def diagnose_pasted(problem: Problem, answer: MatrixText, given: Mapping[str, MatrixText]) -> Diagnosis:
    """Return the diagnosis of a pasted result.

    All written decimals are compared first. If nothing explains them, only the decimals that are certain are compared.
    `given` holds earlier matrices of the same attempt, by stage.
    """
    told = {**given, problem.stage: answer}
    found = list[Diagnosis]()
    for most in _decimals_to_compare(problem, answer):
        found.append(_diagnosis_of_steps(problem, told, most))
        if found[-1].answer_is_correct or _names(found[-1]):
            break
    if not found[-1].answer_is_correct and _is_right_at_the_other_end(problem, answer):
        return Diagnosis((Finding("other_end"),), None, found[-1].steps)
    return next(
        (each for each in reversed(found) if each.answer_is_correct or _names(each)), _first_with_findings(found)
    )


def _names(found: Diagnosis) -> bool:
    return any(finding.mistakes for finding in found.findings)


def _first_with_findings(found: list[Diagnosis]) -> Diagnosis:
    return next((each for each in found if each.findings), found[0])


def _decimals_to_compare(problem: Problem, answer: MatrixText) -> list[int]:
    """Return the numbers of decimals with which the answer is compared, from most to fewest, such as [12, 5, 4].

    Here 12 means all decimals. 5 decimals are certain in float32. 4 decimals are certain if the numbers of the problem
    were rounded. Numbers that make no difference for this answer are left out.
    """
    written = MOST_DECIMALS if answer.decimals is None else answer.decimals
    limits = sorted({MOST_DECIMALS, SINGLE, certain_decimals(problem, written)}, reverse=True)
    return [most for i, most in enumerate(limits) if not i or min(written, most) != min(written, limits[i - 1])]


def _is_right_at_the_other_end(problem: Problem, answer: MatrixText) -> bool:
    if problem.aligned is None:
        return False
    other = replace(problem, trace=problem.aligned)
    return _diagnosis_of_steps(other, {problem.stage: answer}, SINGLE).answer_is_correct


def correct_cells(problem: Problem, answer: MatrixText) -> NDArray[np.bool_]:
    """Return for each number of a result whether its written digits are correct: False everywhere for a wrong shape."""
    if answer.values.shape != problem.correct_result.shape:
        return np.zeros(answer.values.shape, dtype=bool)
    written = MOST_DECIMALS if answer.decimals is None else answer.decimals
    return answer_to(problem.correct_result, answer.values, min(written, SINGLE)).agrees(problem.correct_result)


def wrong_result_to_try(problem: Problem) -> tuple[Array, Mistake[Any]] | None:
    """Return a wrong result that a visitor can try, and its mistake. Mistakes from course notebooks are preferred.

    Return None if no usual mistake is visible in this problem.
    """
    mistakes = (
        mistake
        for mistake in possible_mistakes(problem.trace)
        if mistake.rank == "usual" and mistake.shows_in(problem.trace)
    )
    for mistake in sorted(mistakes, key=lambda mistake: all("#" in source for source in mistake.sources)):
        try:
            wrong = matrix_at(mistake.apply(problem.trace), problem.stage)
        except ValueError:
            continue  # the shapes do not allow it
        if greatest_difference(wrong, problem.correct_result) > HALF_A_DECIMAL:
            return wrong, mistake
    return None


def _diagnosis_of_steps(problem: Problem, told: Mapping[str, MatrixText], most: int) -> Diagnosis:
    answers = {stage: _answer(problem, stage, one, most) for stage, one in told.items()}
    answer = answers.pop(problem.stage)
    found = diagnose(answer, problem.trace, problem.stage, given=answers, known=problem.known)
    told_by_both = tuple(each for each in found.findings if _is_certain(problem, each))
    return found if len(told_by_both) == len(found.findings) else replace(found, findings=told_by_both)


def _is_certain(problem: Problem, finding: Finding) -> bool:
    """Return whether a finding is certain, although some scores of the problem are unknown.

    A mask has replaced the unknown scores by −∞. The finding is certain if its mistakes give the same matrix for two
    different choices of the unknown scores.
    """
    if problem.other is None or not finding.mistakes:
        return True
    one, other = (
        matrix_at(with_mistakes(trace, *finding.mistakes), problem.stage) for trace in (problem.trace, problem.other)
    )
    return one.shape == other.shape and np.allclose(one, other, equal_nan=True)


def _answer(problem: Problem, stage: str, one: MatrixText, most: int) -> Answer:
    written = MOST_DECIMALS if one.decimals is None else one.decimals
    right, values = matrix_at(problem.trace, stage), one.values
    if stage != problem.stage and stage in ("scores", "scaled") and values.shape == right.shape:
        hidden = np.isneginf(values) & np.isneginf(matrix_at(problem.trace, "masked"))
        values = np.where(hidden, right, values)  # these scores were masked before they were pasted
    return answer_to(right, values, min(written, most))
