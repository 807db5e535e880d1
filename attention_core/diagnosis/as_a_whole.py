"""An answer as a whole: it is right, perhaps in some rows only, has its numbers in other places, or is too coarse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.explaining import one_slip, one_usual_slip
from attention_core.diagnosis.finding import Finding


def as_a_whole(answer: Answer, work: EditedRun, stage: str) -> list[Finding]:
    """Explain an answer that is right as a whole, in some rows only, or with its numbers in other places.

    An answer with too few decimals to tell is explained here as well.
    """
    return (
        _of_a_part(answer, work, stage)
        or _of_the_right(answer, work, stage)
        or _moved(answer, work, stage)
        or _too_coarse(answer, work, stage)
    )


def _of_the_right(answer: Answer, work: EditedRun, stage: str) -> list[Finding]:
    if answer.matches(work.expected(stage)):
        full = replace(answer, decimals=MOST_DECIMALS).matches(work.expected(stage))
        return [Finding("right") if full else Finding("rounded", decimals=answer.decimals)]
    return []


def _too_coarse(answer: Answer, work: EditedRun, stage: str) -> list[Finding]:
    """Say that fewer than two decimals prove nothing, unless a usual mistake gives exactly this answer."""
    wanted = work.expected(stage)
    if answer.decimals >= FEWEST_DECIMALS or answer.values.shape != wanted.shape:
        return []
    if not answer.agrees(wanted, answer.rounding).all():
        return []
    return one_usual_slip(work, answer, stage) or [Finding("coarse", decimals=answer.decimals)]


def _moved(answer: Answer, work: EditedRun, stage: str) -> list[Finding]:
    """Explain right numbers in other places, and name the slip that moves them, if there is one."""
    wanted = work.expected(stage)
    if wanted.ndim == 2 and answer.matches(wanted.T):
        return [Finding("transposed"), *one_slip(work, answer, stage)]
    found = [Finding("reordered", order=order) for order in _orders(answer, wanted)]
    return [*found, *one_slip(work, answer, stage)] if found else []


def _of_a_part(answer: Answer, work: EditedRun, stage: str) -> list[Finding]:
    """Explain an answer with too few rows. Pairs are not tried, since a few numbers fit too many of them."""
    (n_rows, width), (n_wanted, wanted_width) = answer.values.shape[-2:], work.expected(stage).shape[-2:]
    if n_rows >= n_wanted or width != wanted_width:
        return []
    parts = [tuple(range(first, first + n_rows)) for first in range(n_wanted - n_rows + 1)]
    found = [(rows, _of_the_right(replace(answer, rows=rows), work, stage)) for rows in parts]
    if not any(findings for _, findings in found):
        found = [(rows, one_slip(work, replace(answer, rows=rows), stage)) for rows in parts]
    return [replace(finding, rows=rows) for rows, findings in found for finding in findings]


def _orders(answer: Answer, wanted: Array) -> Iterator[tuple[int, ...]]:
    """Find the right row that stands in each place. Each row is used once; equal rows keep their order."""
    if wanted.ndim != 2 or answer.values.shape != wanted.shape:
        return
    order, left = list[int](), list(range(len(wanted)))
    for row in answer.values:
        one = replace(answer, values=row)
        place = next((place for place in left if one.matches(wanted[place])), None)
        if place is None:
            return
        order.append(place)
        left.remove(place)
    yield tuple(order)
