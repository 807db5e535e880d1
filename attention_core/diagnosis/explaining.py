"""Explain a wrong matrix by the simplest cause that gives exactly these numbers and is not a coincidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, Answer
from attention_core.diagnosis.by_chance import EQUAL_BY_CHANCE, excludes_chance, findings_of
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding, OneNumber
from attention_core.diagnosis.one_number import can_search_everywhere, one_number
from attention_core.diagnosis.other_keys import other_keys
from attention_core.diagnosis.other_scale import other_scale
from attention_core.diagnosis.plain_causes import copied_row, one_factor
from attention_core.diagnosis.plans import POWERS, Plan, pairs, rounded_singles, roundings, singles
from attention_core.diagnosis.plausible import is_writing_error
from attention_core.diagnosis.rounded_steps import chance_of_rounding
from attention_core.diagnosis.stages import name_of
from attention_core.diagnosis.two_mistakes import rows_or_columns_equal, two_mistakes

MOST_ON_THE_WAY = 5  # decimals to which steps are rounded


def skipped_searches(computation: EditedRun, stage: str) -> list[str]:
    """Return the names of the searches that would take too long: some of "rare", "pairs" and "one_number"."""
    affordable = {
        "rare": computation.tries_all,
        "pairs": computation.can_afford(len(pairs(computation.pipeline, name_of(stage), computation.paired))),
        "one_number": can_search_everywhere(computation, stage),
    }
    return [what for what, is_affordable in affordable.items() if not is_affordable]


def one_mistake(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding for each single mistake that gives the answer.

    Rare mistakes are tried only if the answer has enough numbers to exclude chance.
    """
    plans = _singles(computation, stage)
    if not excludes_chance(computation, answer, stage, len(plans)):
        return one_usual_mistake(computation, answer, stage)
    return findings_of(computation.plans_leading_to(answer, stage, plans))


def one_usual_mistake(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding for each usual mistake that gives the answer without any other mistake."""
    plans = (plan for plan in _singles(computation, stage) if plan.mistakes[0].rank == "usual")
    return findings_of(computation.plans_leading_to(answer, stage, plans))


def _singles(computation: EditedRun, stage: str) -> tuple[Plan, ...]:
    return computation.affordable_plans(
        singles(computation.pipeline, name_of(stage), computation.mistakes, computation.changed)
    )


def one_mistake_rounded(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding for each usual mistake that gives the answer if the steps, or only the weights, are rounded.

    The steps are rounded to the decimals of the answer, and at least to two decimals.
    """
    if computation.changed or answer.decimals >= MOST_DECIMALS:
        return []
    decimals = max(answer.decimals, FEWEST_DECIMALS)
    plans = rounded_singles(computation.pipeline, name_of(stage), computation.usual, decimals)
    enough = computation.can_afford(len(plans)) and excludes_chance(computation, answer, stage, len(plans))
    return findings_of(computation.plans_leading_to(answer, stage, plans)) if enough else []


def explain_by_rounding(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a list with one finding if an answer results from correct but rounded steps; otherwise [].

    The finding names as few rounded steps as possible. Return [] also if the numbers may have another reason: a single
    wrong number may be a typing mistake.
    """
    if answer.values.shape != computation.expected(stage).shape:
        return []
    plans = [
        each
        for each in _ways_of_rounding(computation, stage, min(answer.decimals + 1, MOST_ON_THE_WAY))
        if _is_plausible_rounding(each)
    ]
    found = next(computation.plans_leading_to(answer, stage, plans), None)
    if found is None:
        return []
    by_chance = chance_of_rounding(computation, answer, stage, found.decimals or 0) * (plans.index(found) + 1)
    return (
        [Finding("on_the_way", decimals=found.decimals, rounded=found.rounded)] if by_chance < EQUAL_BY_CHANCE else []
    )


def _is_plausible_rounding(plan: Plan) -> bool:
    """Return whether somebody may have rounded exactly the steps of a plan.

    Somebody who rounds the powers of the softmax also rounds the weights, so a plan may not round only the powers.
    """
    is_after_weights = any("weights" in line.gives for line in plan.lines[:-1])
    return "weights" in plan.rounded or not is_after_weights or not POWERS & {*plan.rounded}


def explain_not_finite(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return the findings about an answer with NaN or infinite numbers: mistakes, or a wrong mask.

    If the answer has no finite number, the only finding is of the kind "no_numbers". If the answer has too few finite
    numbers to exclude chance, only usual mistakes and mistakes of masks are named.
    """
    if not np.isfinite(answer.values).any():
        usual = one_usual_mistake(computation, answer, stage)
        return [Finding("no_numbers", further_mistakes=tuple(mistake for each in usual for mistake in each.mistakes))]
    found = findings_of(computation.plans_leading_to(answer, stage, _singles(computation, stage)))
    if not excludes_chance(computation, answer, stage, len(computation.mistakes)):
        found = [each for each in found if _makes_no_numbers(each)]
    return found or other_keys(computation, answer, stage)


def _makes_no_numbers(finding: Finding) -> bool:
    (mistake,) = finding.mistakes
    return mistake.rank == "usual" or (mistake.stage in ("masked", "weights") and "mask" in mistake.name)


def explained_by_errors(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return the findings of the simplest explanation of a wrong matrix, or [] if no explanation is found.

    The explanations are tried in turn: one mistake, a wrong mask, one changed number, a copied row, one factor for all
    numbers, another scale, a mistake with rounding, equal rows, and two mistakes.
    """
    if not answer.is_finite and np.isfinite(computation.expected(stage)).all():
        return explain_not_finite(computation, answer, stage)
    found = one_mistake(computation, answer, stage)
    if any(each.mistakes[0].rank == "usual" for each in found):
        return found
    keys = [] if any(each.mistakes[0].stage == "masked" for each in found) else other_keys(computation, answer, stage)
    return (
        [*keys, *found]
        if keys
        else _one_number(computation, answer, stage, found)
        or found
        or copied_row(computation, answer, stage)
        or one_factor(computation, answer, stage)
        or other_scale(computation, answer, stage)
        or one_mistake_rounded(computation, answer, stage)
        or rows_or_columns_equal(computation, answer, stage)
        or two_mistakes(computation, answer, stage)
    )


def one_number_in_wrong_row(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return findings about single changed numbers that explain an answer with exactly one wrong row; otherwise [].

    A usual mistake may explain the same answer. The numbers cannot show whether it was this mistake or an error in
    arithmetic, so both are named.
    """
    wanted = computation.expected(stage)
    if answer.values.shape != wanted.shape or computation.changed or answer.rows:
        return []
    rows = np.unique(np.argwhere(~answer.agrees(wanted))[:, :-1], axis=0)
    return one_number(computation, answer, stage) if len(rows) == 1 else []


def _one_number(computation: EditedRun, answer: Answer, stage: str, rare_findings: list[Finding]) -> list[Finding]:
    """Return findings for single changed numbers that explain an answer.

    `rare_findings` has rare mistakes that explain the same answer. Each returned finding also names these mistakes.
    But if there are rare mistakes, and no changed number is certain or looks like a slip of the pen, return [].
    """
    also = tuple(mistake for each in rare_findings for mistake in each.mistakes)
    numbers = one_number(computation, answer, stage)
    if rare_findings and not any(each.kind == "one_number" or _is_slip_of_the_pen(each.changed) for each in numbers):
        return []
    return [replace(each, further_mistakes=also) for each in numbers]


def _is_slip_of_the_pen(changed: OneNumber | None) -> bool:
    return changed is not None and is_writing_error(changed.value, changed.correct_value)


def _ways_of_rounding(computation: EditedRun, stage: str, most: int) -> Iterator[Plan]:
    for decimals in range(FEWEST_DECIMALS, most + 1):
        plans = roundings(computation.pipeline, name_of(stage), decimals)
        yield from plans if computation.can_afford(len(plans)) else plans[:1]
