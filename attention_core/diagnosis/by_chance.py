"""Whether an answer may equal a wrong matrix by chance, and the findings for the mistakes that give an answer."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from attention_core.diagnosis.answer import Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding
from attention_core.diagnosis.plans import Plan

EQUAL_BY_CHANCE = 1e-2  # if numbers agree by chance with a greater probability, only usual mistakes are named
COMMONEST = ("empty_row_to_nan", "fill_of_a_billion")  # for rows whose keys are all hidden


def excludes_chance(computation: EditedRun, answer: Answer, stage: str, candidates: int) -> bool:
    """Return whether it is very improbable that an answer equals a wrong matrix by chance.

    `candidates` is the number of wrong matrices that were compared with the answer.
    """
    wanted = computation.expected(stage)
    finite = wanted[np.isfinite(wanted)]
    return answer.probability_by_chance(candidates, float(np.ptp(finite)) if finite.size else 0.0) < EQUAL_BY_CHANCE


def findings_of(plans: Iterable[Plan]) -> list[Finding]:
    """Return a finding for each set of mistakes in `plans` (computations with mistakes), the commonest first."""
    found = {each.mistakes: Finding("mistakes", each.mistakes, each.decimals, rounded=each.rounded) for each in plans}
    return sorted(found.values(), key=lambda each: each.mistakes[0].name not in COMMONEST)
