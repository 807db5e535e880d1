"""Checking a pasted result against an example, or against somebody's own numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array, greatest_difference
from attention_core.diagnosis.answer import (
    FEWEST_DECIMALS,
    MOST_DECIMALS,
    SAME,
    Answer,
    Finding,
    answer_to,
    decimals_of,
)
from attention_core.diagnosis.diagnose import Diagnosis, diagnose
from attention_core.diagnosis.edited_run import EditedRun, edited_run_of
from attention_core.diagnosis.one_number import one_budget
from attention_core.diagnosis.own_steps import matrix_with
from attention_core.diagnosis.problems import (
    ALL_HEADS,
    OWN,
    POSITIONS,
    Problem,
    example_of_embeddings,
    example_of_queries,
    example_of_weights,
    problem_of,
    problem_of_queries,
    problem_of_scores,
    same_question,
)
from attention_core.diagnosis.setting import Setting, read_mask
from attention_core.diagnosis.stages import matrix_at, name_of, possible_mistakes
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import HALF_A_DECIMAL, Mistake, with_mistakes
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.edits import edited_lines
from attention_core.mistakes.engine.named_traces import names_of, pipeline_of_trace
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
    stages = {**given, problem.stage: answer}
    told = {stage: one.rounded_from(matrix_at(problem.trace, stage)) for stage, one in stages.items()}
    with one_budget():
        return _diagnosis_in_its_notation(problem, answer, told)


def _diagnosis_in_its_notation(problem: Problem, answer: MatrixText, told: Mapping[str, MatrixText]) -> Diagnosis:
    if answer.roundings is None:
        return _diagnosis_up_to_digits(problem, told)
    found = _diagnosis_up_to_digits(problem, {stage: one.with_all_digits() for stage, one in told.items()})
    exact = told[problem.stage].values
    if found.answer_is_correct and not np.allclose(answer.values, exact, rtol=SAME, atol=SAME, equal_nan=True):
        ours = tuple(replace(each, kind="digits") if each.kind == "right" else each for each in found.findings)
        return replace(found, findings=ours)
    with_fewer = found if found.answer_is_correct or _names(found) else _diagnosis_up_to_digits(problem, told)
    says_correct = with_fewer.answer_is_correct or any(each.kind == "coarse" for each in with_fewer.findings)
    return found if says_correct else with_fewer


def _diagnosis_up_to_digits(problem: Problem, told: Mapping[str, MatrixText]) -> Diagnosis:
    answer, found = told[problem.stage], list[Diagnosis]()
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


# --- how many decimals are reliable if the given numbers are a rounded print-out ---

PRINTED = 4  # decimals: numbers with so many decimals count as a rounded print-out
DRAWS = 16  # random choices of exact numbers that would be rounded to the numbers of the problem


def certain_decimals(problem: Problem, written_decimals: int) -> int:
    """Return how many decimals of a result are certain if the numbers of the problem were rounded.

    `written_decimals` is the number of decimals of the result. Numbers that somebody typed in with four decimals or
    more may be copied from a print-out, so each may be wrong by half of its last decimal. All other numbers count as
    exact. If all numbers are exact, return `MOST_DECIMALS`.
    """
    if problem.example.name != OWN:
        return MOST_DECIMALS
    names, pipeline = names_of(problem.trace), pipeline_of_trace(problem.trace)
    printed = {
        name: n
        for name in pipeline.matrices
        if name in names and PRINTED <= (n := decimals_of(np.asarray(names[name]))) < MOST_DECIMALS
    }
    if not printed:
        return MOST_DECIMALS
    rng, off = np.random.default_rng(0), 0.0
    for _ in range(DRAWS):
        moved = {
            name: names[name] + 0.5 * 10.0**-n * rng.choice([-1.0, 1.0], np.shape(names[name]))
            for name, n in printed.items()
        }
        made = run(edited_lines(pipeline.lines, changed=moved), names | moved)[name_of(problem.stage)]
        off = max(off, greatest_difference(made, problem.correct_result))
    if not 0 < off < np.inf:
        return MOST_DECIMALS
    return max(int(np.floor(-np.log10(2 * off + 10.0**-written_decimals))), FEWEST_DECIMALS)


# --- how to distinguish mistakes that give the same result ---

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
    first, *others = (matrix_with(computation, finding, stage) for finding in findings)
    if first is None or not _differ(first, computation.expected(stage)):
        return 0
    return sum(other is not None and _differ(first, other) for other in others)


def _differ(first: Array | None, second: Array | None) -> bool:
    if first is None or second is None:
        return first is not second
    return first.shape != second.shape or not np.allclose(first, second, rtol=0, atol=VISIBLE, equal_nan=True)
