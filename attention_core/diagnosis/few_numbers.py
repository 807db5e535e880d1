"""Few wrong numbers: an answer in which most numbers are correct, and a few are wrong without a known cause."""

from __future__ import annotations

import numpy as np

from attention_core.diagnosis.answer import Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding, OneNumber

MOST, SHARE = 4, 0.5  # the most wrong numbers, and their greatest share


def few_numbers(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding for each wrong number of an answer if there are a few, from 2 to `MOST`; otherwise []."""
    wanted = computation.expected(stage)
    if answer.values.shape != wanted.shape or not answer.is_finite:
        return []
    wrong = [tuple(map(int, place)) for place in np.argwhere(~answer.agrees(wanted))]
    if not 2 <= len(wrong) <= min(MOST, SHARE * wanted.size):
        return []
    return [
        Finding("few_numbers", changed=OneNumber(stage, place, float(answer.values[place]), float(wanted[place])))
        for place in wrong
    ]
