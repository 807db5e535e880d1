"""Sentences about single wrong numbers: which number it may be, and what to check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention_core.diagnosis.answer import MOST_DECIMALS
from attention_core.diagnosis.finding import Finding, OneNumber
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.plausible import is_another_writing
from attention_core.diagnosis.stages import matrix_at
from pages.shared.lessons.check_my_matrix.pairs_of_values import two_numbers
from pages.shared.lessons.check_my_matrix.places import cell_of, in_words

MOST_LISTED = 3


def changed_numbers_text(findings: Sequence[Finding], problem: Problem) -> list[str]:
    """Name the single numbers that may have been changed on the way to the matrix that is asked for, or in it."""
    changed, asked = [finding.changed for finding in findings if finding.changed], problem.stage
    if not changed:
        return []
    if findings[0].mistakes:
        more = ", or another one, under “More about this verdict”" if len(changed) > 1 else ""
        return [
            f"One wrong number would also give these numbers: {_change(changed[0], in_sentence=True)}{more}. The "
            "result alone cannot show which cause is the right one."
        ]
    if findings[0].kind == "one_free":
        return [
            "One wrong number in an earlier step would give your numbers, for example "
            f"{_change(changed[0], in_sentence=True)}. But other mistakes would also give them, and your result has "
            "too few numbers to show which one it is. Paste your earlier steps as well."
        ]
    if len(changed) == 1 and changed[0].stage == asked and not findings[0].wrong_from:
        again = "Check the sign, the digits and the decimal point of this number."
        if asked == "weights" and not changed[0].value:
            again = "A weight of exactly 0 can also mean that you hid this key after the softmax."
        return [f"**{_change(changed[0])}.** Every other number is right. {again}"]
    if findings[0].kind == "few_numbers":
        return [_wrong_numbers(changed, len(findings))]
    possible = _with_scaled_scores(changed, problem)
    if len(possible) == 1:
        return [f"**{_change(changed[0])}.** All your other numbers follow from this one. Compute it again."]
    lines = "\n".join(f"- {_change(each)}" for each in possible[:MOST_LISTED])
    more = "\n- another one, under “More about this verdict”" if len(possible) > MOST_LISTED else ""
    return [
        f"One wrong number in an earlier step would give exactly your numbers. It may be:\n\n{lines}{more}\n\nPaste "
        "your earlier steps as well. Then I can find out which number it is."
    ]


def _with_scaled_scores(changed: Sequence[OneNumber], problem: Problem) -> list[OneNumber]:
    """Add the scaled score wherever a score may be wrong: the result is the same if only the scaled score is wrong."""
    if problem.stage in ("scores", "scaled") or all(each.stage != "scores" for each in changed):
        return list(changed)
    scores, scaled = (matrix_at(problem.trace, stage) for stage in ("scores", "scaled"))
    factor = float(np.vdot(scaled, scores) / np.vdot(scores, scores)) if scores.any() else 0.0
    return [one for each in changed for one in (each, *_as_scaled(each, factor))]


def _as_scaled(changed: OneNumber, factor: float) -> list[OneNumber]:
    if changed.stage != "scores" or not factor:
        return []
    return [replace(changed, stage="scaled", value=changed.value * factor, instead=changed.instead * factor)]


def _wrong_numbers(changed: Sequence[OneNumber], n_wrong: int) -> str:
    lines = "\n".join(f"- {_change(each)}{_how(each)}" for each in changed)
    return (
        f"These {in_words(n_wrong)} numbers are wrong:\n\n{lines}\n\nAll other numbers are right to the last digit. No "
        "known mistake gives the wrong ones. Compute them again, and check what you copied."
    )


def _how(changed: OneNumber) -> str:
    """Say of a number that it may have been written down wrongly."""
    return " (perhaps it was written down wrongly)" if is_another_writing(changed.value, changed.instead) else ""


def changed_numbers_list(findings: Sequence[Finding], problem: Problem) -> str:
    """List the single numbers, where there are more than a sentence names."""
    changed = [finding.changed for finding in findings if finding.changed]
    possible = _with_scaled_scores(changed, problem)
    n_named = 1 if findings[0].mistakes else MOST_LISTED
    if findings[0].kind in ("one_free", "few_numbers") or len(changed) < 2 or len(possible) <= n_named:
        return ""
    lines = "\n".join(f"- {_change(each)}" for each in possible)
    return f"Each of these changes, alone, gives exactly your numbers:\n\n{lines}"


def _change(changed: OneNumber, *, in_sentence: bool = False) -> str:
    value, right = two_numbers(round(changed.value, MOST_DECIMALS) + 0.0, changed.instead)  # 0.0 is added for −0
    values = f"${value}$ in place of ${right}$"
    if in_sentence:
        return f"{cell_of(changed.stage, changed.place)} ({values})"
    said = cell_of(changed.stage, changed.place)
    return f"{said[0].upper()}{said[1:]}: {values}"
