"""Explaining a wrong matrix, by the plainest cause that gives exactly these numbers and is no coincidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding, OneNumber
from attention_core.diagnosis.one_number import one_number
from attention_core.diagnosis.other_keys import other_keys
from attention_core.diagnosis.other_scale import other_scale
from attention_core.diagnosis.plans import POWERS, Plan, pairs, plan, rounded_singles, roundings, singles
from attention_core.diagnosis.plausible import is_another_writing
from attention_core.diagnosis.rounded_steps import chance_of_rounding
from attention_core.diagnosis.stages import name_of
from attention_core.slips import Slip

EQUAL_BY_CHANCE = 1e-2  # if numbers agree by chance with a greater probability, only usual mistakes are named
MOST_ON_THE_WAY = 5  # decimals to which steps are rounded
FEW = 2  # pairs
COMMONEST = ("empty_row_to_nan", "fill_of_a_billion")  # where a row has every key hidden, other mistakes are rarer


def one_slip(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain a matrix by one mistake, a rare one only if that is no coincidence."""
    plans = _singles(work, stage)
    if not _proves(work, answer, stage, len(plans)):
        return one_usual_slip(work, answer, stage)
    return _findings(work.leading_to(answer, stage, plans))


def one_usual_slip(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain a matrix by one of the usual mistakes."""
    plans = (plan for plan in _singles(work, stage) if plan.slips[0].rank == "usual")
    return _findings(work.leading_to(answer, stage, plans))


def _singles(work: EditedRun, stage: str) -> tuple[Plan, ...]:
    return work.affordable_plans(singles(work.pipeline, name_of(stage), work.slips, work.changed))


def one_slip_rounded(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain a matrix by one mistake, after which the steps were rounded to the decimals of the answer."""
    if work.changed or answer.decimals >= MOST_DECIMALS:
        return []
    decimals = max(answer.decimals, FEWEST_DECIMALS)
    plans = rounded_singles(work.pipeline, name_of(stage), work.usual, decimals)
    enough = work.can_afford(len(plans)) and _proves(work, answer, stage, len(plans))
    return _findings(work.leading_to(answer, stage, plans)) if enough else []


def two_slips(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain a matrix by two mistakes that are made together, if it tells which, or at least at which steps."""
    if work.changed:
        return []
    plans = pairs(work.pipeline, name_of(stage), work.paired)
    enough = work.can_afford(len(plans)) and _proves(work, answer, stage, len(plans))
    found = _findings(work.leading_to(answer, stage, plans)) if enough else []
    return found if _are_told(_most_usual(found)) else []


def _are_told(pairs: list[Finding]) -> bool:
    """Say whether pairs that give the same numbers are few, or other words for one: each shares a mistake with another.

    The numbers do not tell the members of other pairs apart, so that none of them is named.
    """
    left = [{slip.name for slip in each.slips} for each in pairs]
    together = left.pop() if left else set[str]()
    while near := [each for each in left if each & together]:
        left = [each for each in left if not each & together]
        together = together.union(*near)
    return len(pairs) <= FEW or not left


def _most_usual(findings: list[Finding]) -> list[Finding]:
    """Return the pairs of usual mistakes, or all pairs where there are none of these."""
    return [each for each in findings if all(slip.rank == "usual" for slip in each.slips)] or findings


def on_the_way(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain a matrix by nothing but steps that were rounded on the way, as few of them as possible.

    Only if so many numbers are off by just this that it is no coincidence: one may be a slip of the pen.
    """
    if answer.values.shape != work.expected(stage).shape:
        return []
    plans = [
        each for each in _ways_of_rounding(work, stage, min(answer.decimals + 1, MOST_ON_THE_WAY)) if _is_done(each)
    ]
    found = next(work.leading_to(answer, stage, plans), None)
    if found is None:
        return []
    by_chance = chance_of_rounding(work, answer, stage, found.decimals or 0) * (plans.index(found) + 1)
    return (
        [Finding("on_the_way", decimals=found.decimals, rounded=found.rounded)] if by_chance < EQUAL_BY_CHANCE else []
    )


def _is_done(plan: Plan) -> bool:
    """Say whether somebody may have rounded just these steps: whoever rounds the powers rounds the weights as well."""
    is_after_weights = any("weights" in line.gives for line in plan.lines[:-1])
    return "weights" in plan.rounded or not is_after_weights or not POWERS & {*plan.rounded}


def not_finite(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain a matrix in which some are no numbers, or infinite: by a mistake that makes these, or by hidden keys.

    Where few finite numbers are left, only mistakes of masks and of the softmax are named, which are known to do so.
    """
    found = _findings(work.leading_to(answer, stage, _singles(work, stage)))
    if not _proves(work, answer, stage, len(work.slips)):
        found = [each for each in found if _makes_no_numbers(each)]
    return found or other_keys(work, answer, stage)


def _makes_no_numbers(finding: Finding) -> bool:
    (slip,) = finding.slips
    return slip.rank == "usual" or (slip.stage in ("masked", "weights") and "mask" in slip.name)


def explained_by_errors(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain a wrong matrix by as few errors as possible: one mistake, other keys, one number, or two mistakes."""
    if not answer.is_finite and np.isfinite(work.expected(stage)).all():
        return not_finite(work, answer, stage)
    found = one_slip(work, answer, stage)
    if any(each.slips[0].rank == "usual" for each in found):
        return found
    keys = [] if any(each.slips[0].stage == "masked" for each in found) else other_keys(work, answer, stage)
    return (
        [*keys, *found]
        if keys
        else ([] if found else other_scale(work, answer, stage))
        or _one_number(work, answer, stage, found)
        or found
        or one_slip_rounded(work, answer, stage)
        or _all_equal(work, answer, stage)
        or two_slips(work, answer, stage)
    )


def _one_number(work: EditedRun, answer: Answer, stage: str, rare: list[Finding]) -> list[Finding]:
    """Explain a matrix by one changed number; rare mistakes that give the same are told, and nobody is accused."""
    also = tuple(slip for each in rare for slip in each.slips)
    numbers = one_number(work, answer, stage)
    if rare and not any(each.kind == "one_number" or _is_slip_of_the_pen(each.changed) for each in numbers):
        return []
    return [replace(each, also=also) for each in numbers]


def _is_slip_of_the_pen(changed: OneNumber | None) -> bool:
    return changed is not None and is_another_writing(changed.value, changed.instead)


def _all_equal(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Say that all rows, or all columns, are equal, where no mistake of those known has made them so.

    Two mistakes together are named then only if one of them makes them equal by itself: otherwise it is chance.
    """
    values, expected = answer.values, work.expected(stage)
    if values.ndim != 2 or values.shape != expected.shape:
        return []
    equal = {"rows": (values, expected), "columns": (values.T, expected.T)}
    for which, (ours, right) in equal.items():
        if len(ours) > 1 and _are_equal(ours, answer) and not _are_equal(right, answer):
            pairs = two_slips(work, answer, stage)
            kept = [each for each in pairs if any(_makes_equal(work, slip, stage, which) for slip in each.slips)]
            return kept or [Finding("all_equal", step=which)]
    return []


def _makes_equal(work: EditedRun, slip: Slip[Any], stage: str, which: str) -> bool:
    """Say whether a mistake by itself makes all rows, or all columns, of a matrix equal."""
    lines = plan(work.pipeline, name_of(stage), slip.lines_in(work.pipeline))
    made = work.matrix_after(lines, stage) if lines else None
    ours = None if made is None else made if which == "rows" else made.T
    return ours is not None and bool(np.allclose(ours, ours[:1]))


def _are_equal(rows: Array, answer: Answer) -> bool:
    return bool((np.abs(rows - rows[0]) <= 2 * answer.tolerance).all())


def _proves(work: EditedRun, answer: Answer, stage: str, candidates: int) -> bool:
    """Say whether the numbers are so many and so different that no candidate has them by chance."""
    wanted = work.expected(stage)
    finite = wanted[np.isfinite(wanted)]
    return answer.chance(candidates, float(np.ptp(finite)) if finite.size else 0.0) < EQUAL_BY_CHANCE


def _ways_of_rounding(work: EditedRun, stage: str, most: int) -> Iterator[Plan]:
    for decimals in range(FEWEST_DECIMALS, most + 1):
        plans = roundings(work.pipeline, name_of(stage), decimals)
        yield from plans if work.can_afford(len(plans)) else plans[:1]


def _findings(plans: Iterable[Plan]) -> list[Finding]:
    found = {each.slips: Finding("slips", each.slips, each.decimals, rounded=each.rounded) for each in plans}
    return sorted(found.values(), key=lambda each: each.slips[0].name not in COMMONEST)
