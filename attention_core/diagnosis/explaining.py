"""Explaining a wrong matrix by one mistake, by one changed number, by two mistakes, or by rounding on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding
from attention_core.diagnosis.one_number import looks_everywhere, one_number
from attention_core.diagnosis.plans import Plan, pairs, rounded_singles, roundings, singles
from attention_core.diagnosis.stages import name_of

EQUAL_BY_CHANCE = 1e-2  # if numbers agree by chance with a greater probability, only usual mistakes are named
MOST_ON_THE_WAY = 5  # decimals to which steps are rounded


def left_out(work: EditedRun, stage: str) -> list[str]:
    """Say what is not looked for because the matrices are large: some of "rare", "pairs" and "one_number"."""
    affordable = {
        "rare": work.tries_all,
        "pairs": work.can_afford(len(pairs(work.pipeline, name_of(stage), work.paired))),
        "one_number": looks_everywhere(work, stage),
    }
    return [what for what, is_affordable in affordable.items() if not is_affordable]


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
    return _findings(work.leading_to(answer, stage, plans)) if work.can_afford(len(plans)) else []


def two_slips(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain a matrix by two mistakes that are made together."""
    if work.changed:
        return []
    plans = pairs(work.pipeline, name_of(stage), work.paired)
    enough = work.can_afford(len(plans)) and _proves(work, answer, stage, len(plans))
    return _findings(work.leading_to(answer, stage, plans)) if enough else []


def on_the_way(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain a matrix by nothing but steps that were rounded on the way, as few of them as possible."""
    plans = _ways_of_rounding(work, stage, min(answer.decimals + 1, MOST_ON_THE_WAY))
    return [
        Finding("on_the_way", decimals=each.decimals, rounded=each.rounded)
        for each in work.leading_to(answer, stage, plans)
    ][:1]


def explained_by_errors(work: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Explain a wrong matrix by as few errors as possible: one mistake, one changed number, or two mistakes."""
    return (
        one_slip(work, answer, stage)
        or one_slip_rounded(work, answer, stage)
        or [Finding("one_number", changed=each) for each in one_number(work, answer, stage)]
        or two_slips(work, answer, stage)
    )


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
    return list(found.values())
