"""Diagnosis: which mistake gives exactly these numbers.

An answer is compared with the correct result, and then with the results of each mistake and of pairs of mistakes. If
intermediate matrices are given, each is compared with the result of the matrices before it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from attention_core.diagnosis.answer import FEWEST_DECIMALS, RIGHT_KINDS, Answer, Diagnosis, Finding, Kind, answer_to
from attention_core.diagnosis.as_a_whole import as_a_whole, mistakes_with_few_decimals, rounded_inputs
from attention_core.diagnosis.edited_run import EditedRun, edited_run_of, starting_from_stages
from attention_core.diagnosis.explaining import (
    explain_by_rounding,
    explained_by_errors,
    one_mistake,
    one_number_in_wrong_row,
    one_usual_mistake,
)
from attention_core.diagnosis.one_number import few_numbers
from attention_core.diagnosis.own_steps import StepCheck, check_steps
from attention_core.diagnosis.rounding import is_near
from attention_core.diagnosis.stages import STAGES, Trace, matrix_at, stages_of

__all__ = ["STAGES", "Diagnosis", "Finding", "diagnose", "matrix_at"]
BEYOND = 2  # decimals that the steps of an answer with two decimals may have in addition
BY_HAND = 3  # decimals: an answer with more decimals was not computed from steps with two


def diagnose(
    answer: ArrayLike | Answer,
    correct_trace: Trace,
    stage: str = "output",
    *,
    decimals: int | None = None,
    given: Mapping[str, ArrayLike | Answer] | None = None,
    known: Collection[str] = (),
) -> Diagnosis:
    """Compare an answer with the matrix `stage` of `correct_trace`, and return what explains the difference.

    The diagnosis has the explanations, the first wrong cell, and a result for each matrix in `given`. An explanation
    is a mistake, two mistakes, one changed number, or another simple cause.

    `decimals` is the number of decimals to which the answer was rounded. If it is None, the decimals are counted.
    `given` holds earlier matrices of the same attempt, by stage. `known` holds the stages that the problem gives: they
    contain no mistake.

    Raises: ValueError if the trace has no such stage, a given matrix does not come before this stage, or the answer is
            not a matrix of real numbers.
    """
    stages, told = stages_of(correct_trace), {**(given or {}), stage: answer}
    _check_stages(told, stage, stages)
    answers = {name: _answer(name, told[name], decimals, correct_trace) for name in stages if name in told}
    own, work = answers[stage], starting_from_stages(edited_run_of(correct_trace), frozenset(known))
    found, work = _findings_and_computation(own, work, stage)
    alone = tuple(found)
    steps = check_steps(work, answers, alone) if len(answers) > 1 else StepCheck()
    findings = _by_steps(steps, stage, alone) if steps.steps else alone
    return Diagnosis(findings, _first_wrong_cell(own, correct_trace, stage, findings, steps), steps.steps)


def _findings_and_computation(answer: Answer, computation: EditedRun, stage: str) -> tuple[list[Finding], EditedRun]:
    found = as_a_whole(answer, computation, stage) or _by_rounding(answer, computation, stage)
    if found:
        return found, computation
    from_rounded, rounded = rounded_inputs(computation, answer, stage) if answer.is_finite else ([], computation)
    return from_rounded or _by_rounding_or_errors(answer, computation, stage), rounded


def _check_stages(given: Collection[str], stage: str, stages: tuple[str, ...]) -> None:
    unknown = sorted({*given} - {*stages})
    if unknown:
        raise ValueError(
            f"stage must be one of {', '.join(stages)}; got {', '.join(unknown)}: name the matrix that was asked for."
        )
    late = [name for name in stages[stages.index(stage) + 1 :] if name in given]
    if late:
        raise ValueError(f"given matrices must come before {stage}; got {', '.join(late)}: leave out what comes later.")


def _answer(stage: str, values: ArrayLike | Answer, decimals: int | None, correct_trace: Trace) -> Answer:
    if isinstance(values, Answer):
        return values
    array = np.asarray(values, dtype=float)
    if array.ndim < 2:
        raise ValueError(f"{stage} must be a matrix; got shape {array.shape}: write it as [[…], […]].")
    return answer_to(matrix_at(correct_trace, stage), array, decimals)


def _by_rounding(answer: Answer, computation: EditedRun, stage: str) -> list[Finding]:
    """Return the findings about a wrong answer that usual mistakes or rounded steps explain; otherwise [].

    If both explain the answer, the finding is about rounding, and also names the mistakes. If only usual mistakes
    explain the answer, single wrong numbers that explain it are added. Without such numbers, rarer mistakes are added.
    """
    if _has_odd_numbers(answer, computation, stage):
        return []
    usual, rounded = one_usual_mistake(computation, answer, stage), explain_by_rounding(computation, answer, stage)
    if not usual:
        return rounded
    more = (finding for n in (BEYOND, 1) for finding in _near(answer, computation, stage, answer.decimals + n))
    honest = next(iter(rounded), None) or next(more, None)
    if honest:
        return [
            Finding(
                "near", decimals=honest.decimals, further_mistakes=tuple(each for one in usual for each in one.mistakes)
            )
        ]
    numbers = one_number_in_wrong_row(computation, answer, stage)
    return [*usual, *numbers] if numbers else one_mistake(computation, answer, stage)


def _by_rounding_or_errors(answer: Answer, computation: EditedRun, stage: str) -> list[Finding]:
    """Return the findings of the likeliest explanation of a wrong answer that no usual mistake gives.

    Rounding is tried before rarer mistakes, because somebody who has rounded by hand has made no mistake. Steps with
    two decimals are tried only for answers with at most `BY_HAND` decimals. Rounding never explains infinite numbers
    or NaN.
    """
    if _has_odd_numbers(answer, computation, stage):
        return explained_by_errors(computation, answer, stage)
    return (
        _near(answer, computation, stage, answer.decimals)
        or (_near(answer, computation, stage, FEWEST_DECIMALS) if answer.decimals <= BY_HAND else [])
        or _near(answer, computation, stage, answer.decimals + 1)
        or _near(answer, computation, stage, answer.decimals + BEYOND)
        or explained_by_errors(computation, answer, stage)
        or few_numbers(computation, answer, stage)
        or mistakes_with_few_decimals(computation, answer, stage)
    )


def _has_odd_numbers(answer: Answer, computation: EditedRun, stage: str) -> bool:
    return not answer.is_finite and bool(np.isfinite(computation.expected(stage)).all())


def _near(answer: Answer, computation: EditedRun, stage: str, decimals: int) -> list[Finding]:
    return [Finding("near", decimals=decimals)] if is_near(computation, answer, stage, decimals) else []


def _by_steps(steps: StepCheck, stage: str, answer_findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return the findings about an answer whose earlier steps are given.

    `answer_findings` has the findings that explain the answer without the steps. They are kept if no given step
    contradicts them. If a given step is wrong, return the explanations of the first wrong step.
    """
    is_right = any(each.kind in RIGHT_KINDS for each in answer_findings)
    if is_right:
        return _of_right(steps, stage, answer_findings)
    answer_findings = _without_contradictions(steps, answer_findings)
    if not steps.cause:
        return _of_rounding(steps, answer_findings)
    last = steps.steps[-1]
    of_alone = tuple(each for each in answer_findings if each.mistakes)
    is_weak = all(each.kind in ("all_equal", "one_free") for each in steps.findings)
    told = of_alone or steps.findings if is_weak else steps.findings
    if steps.cause == stage:
        is_moved = any(each.kind in ("transposed", "reordered") for each in answer_findings)
        return answer_findings if is_moved else told or _without_wrong_numbers(answer_findings)
    if last.kind == "wrong" or sum(step.kind == "wrong" for step in steps.steps) > 1:
        return tuple(replace(each, wrong_from=steps.cause) for each in told)
    causes = told or (Finding("follow_through"),)  # the explanation of the wrong step may be unknown
    return tuple(replace(each, kind=_kind_after_wrong_step(each), wrong_from=steps.cause) for each in causes)


def _without_contradictions(steps: StepCheck, answer_findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return those of `answer_findings` that do not contradict a correct given step.

    For example, another scale changes the scaled scores. If the given scaled scores are correct, this finding is left
    out. A mistake of the catalogue is always kept: the page names the correct step that this mistake would change.
    """
    right = {step.stage for step in steps.steps[:-1] if step.kind == "right"}
    excluded = {"other_scale": "scaled", "hidden_keys": "weights"}
    kept = list[Finding]()
    for each in answer_findings:
        stages = tuple(stage for stage in each.stages if stage not in right)
        if excluded.get(each.kind) not in right and (stages or not each.stages):
            kept.append(replace(each, stages=stages, step=stages[-1] if each.kind == "copied_row" else each.step))
    return tuple(kept)


def _kind_after_wrong_step(finding: Finding) -> Kind:
    return (
        "follow_through" if finding.kind in ("mistakes", "one_number", "one_free", "follow_through") else finding.kind
    )


def _of_right(steps: StepCheck, stage: str, answer_findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    if not steps.cause or steps.cause == stage:
        return answer_findings
    return (*answer_findings, *(replace(each, wrong_from=steps.cause) for each in steps.findings))


def _of_rounding(steps: StepCheck, answer_findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return the findings for an answer that was computed correctly from rounded steps.

    `answer_findings` has the findings for the answer without its steps. If one of them names a mistake or another
    cause, return `answer_findings`. Otherwise, return a finding that names the rounded steps.
    """
    if any(
        each.kind in ("transposed", "reordered", "coarse", "rounded_inputs") or each.mistakes or each.rows
        for each in answer_findings
    ):
        return answer_findings
    if all(step.kind == "right" for step in steps.steps):
        return (Finding("on_the_way", rounded=tuple(step.stage for step in steps.steps[:-1])),)
    return (Finding("near", rounded=tuple(step.stage for step in steps.steps if step.kind == "near")),)


def _without_wrong_numbers(answer_findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(each for each in answer_findings if each.kind not in ("near", "one_number", "one_free", "few_numbers"))


def _first_wrong_cell(
    answer: Answer, correct_trace: Trace, stage: str, findings: tuple[Finding, ...], steps: StepCheck
) -> tuple[str, int, int] | None:
    wrong = next((step for step in steps.steps if step.kind == "wrong"), None)
    if wrong:
        return wrong.stage, *wrong.place[-2:]  # type: ignore[return-value]
    as_it_stands = any(finding.kind in (*RIGHT_KINDS, "coarse", "near") or finding.rows for finding in findings)
    return None if as_it_stands else _first_wrong(stage, answer, correct_trace)


def _first_wrong(name: str, answer: Answer, correct_trace: Trace) -> tuple[str, int, int]:
    wanted = matrix_at(correct_trace, name)
    if answer.values.shape != wanted.shape:
        return name, 0, 0
    row, column = np.argwhere(~answer.agrees(wanted))[0][-2:].tolist()
    return name, row, column
