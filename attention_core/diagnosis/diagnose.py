"""Diagnosis: which mistake gives exactly these numbers.

The pipeline is a chain of stages, and a slip an alternative at one of them, so slips of different stages compose: a
pair is one slip's trace put through the next. An answer is compared with what every slip, and every pair, would give.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.diagnosis.answer import MOST_DECIMALS, Answer, answer_to
from attention_core.diagnosis.stages import STAGES, Trace, catalogue_of, continued, matrix_at, stages_of
from attention_core.slips import Slip, Stage

Kind = Literal["right", "rounded", "transposed", "reordered", "slips", "follow_through"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One explanation of an answer."""

    kind: Kind
    slips: tuple[Slip[Any], ...] = ()  # what went wrong, in the order of the stages
    decimals: int | None = None  # to which it was rounded; None: given in full
    order: tuple[int, ...] = ()  # where rows were reordered: the right row that stands in each place
    rows: tuple[int, ...] = ()  # where only a part was given: which rows of the matrix it explains
    since: str = ""  # the given matrix that was wrong, and from which all went on rightly


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The explanations of an answer. Those that the numbers cannot tell apart stand side by side."""

    findings: tuple[Finding, ...] = ()  # none: unknown
    departs: tuple[str, int, int] | None = None  # the first cell that is not right, of what was given and the answer

    @property
    def right(self) -> bool:
        """Whether the answer is right, if perhaps rounded."""
        return any(finding.kind in ("right", "rounded") for finding in self.findings)


def diagnose(
    answer: ArrayLike,
    right: Trace,
    stage: str = "output",
    *,
    decimals: int | None = None,
    given: Mapping[str, ArrayLike] | None = None,
) -> Diagnosis:
    """Find the mistake that gives an answer: none, one slip, two slips, or a wrong given matrix.

    Right: what the answer should be comes from `right`, at `stage`. Decimals are those that the answer was rounded
    to; where they are not told, as many as its numbers have. `given` are intermediate matrices of the same attempt,
    by stage.

    Raises: ValueError if the stage is none of the trace's, or the answer is not a matrix of real numbers.
    """
    stages = stages_of(right)
    if stage not in stages:
        raise ValueError(f"stage must be one of {', '.join(stages)}; got {stage}: name the matrix that was asked for.")
    own = _answer(stage, answer, decimals, right)
    earlier = {name: _answer(name, values, decimals, right) for name, values in (given or {}).items()}
    departs = next((place for name in STAGES if name in earlier and (place := _departs(name, earlier, right))), None)
    findings = _of_a_part(own, right, stage) or tuple(
        _of_the_right(own, right, stage)
        or _moved(own, right, stage)
        or _follow_through(own, right, stage, earlier)
        or _one_slip(own, right, stage)
        or _two_slips(own, right, stage)
    )
    as_it_stands = any(finding.kind in ("right", "rounded") or finding.rows for finding in findings)
    return Diagnosis(findings, departs or (None if as_it_stands else _first_wrong(stage, own, right)))


def _answer(stage: str, values: ArrayLike, decimals: int | None, right: Trace) -> Answer:
    array = np.asarray(values, dtype=float)
    if array.ndim < 2:
        raise ValueError(f"{stage} must be a matrix; got shape {array.shape}: write it as [[…], […]].")
    return answer_to(matrix_at(right, stage), array, decimals)


def _of_the_right(answer: Answer, right: Trace, stage: str) -> list[Finding]:
    wanted = matrix_at(right, stage)
    if answer.matches(wanted):
        full = replace(answer, decimals=MOST_DECIMALS).matches(wanted)
        return [Finding("right") if full else Finding("rounded", decimals=answer.decimals)]
    return []


def _moved(answer: Answer, right: Trace, stage: str) -> list[Finding]:
    """Explain right numbers in other places, and name the slip that moves them, if there is one."""
    wanted = matrix_at(right, stage)
    if wanted.ndim == 2 and answer.matches(wanted.T):
        return [Finding("transposed"), *_one_slip(answer, right, stage)]
    found = [Finding("reordered", order=order) for order in _orders(answer, wanted)]
    return [*found, *_one_slip(answer, right, stage)] if found else []


def _of_a_part(answer: Answer, right: Trace, stage: str) -> tuple[Finding, ...]:
    """Explain an answer with too few rows. Pairs are not tried, since a few numbers fit too many of them."""
    (given, width), (wanted, wanted_width) = answer.values.shape[-2:], matrix_at(right, stage).shape[-2:]
    if given >= wanted or width != wanted_width:
        return ()
    parts = [tuple(range(first, first + given)) for first in range(wanted - given + 1)]
    found = [(rows, _of_the_right(replace(answer, rows=rows), right, stage)) for rows in parts]
    if not any(findings for _, findings in found):
        found = [(rows, _one_slip(replace(answer, rows=rows), right, stage)) for rows in parts]
    return tuple(replace(finding, rows=rows) for rows, findings in found for finding in findings)


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


def _slips_until(stage: str, right: Trace) -> list[Slip[Any]]:
    """Return the slips that can change this stage's matrix, in the order of their own."""
    order, before = get_args(Stage), STAGES.index("v" if stage in ("q", "k") else stage)
    reaching = [slip for slip in catalogue_of(right) if STAGES.index(slip.stage) <= before]
    return sorted(reaching, key=lambda slip: order.index(slip.stage))


def _apply(slip: Slip[Any], trace: Trace) -> Trace | None:
    """Apply a slip, or nothing where shapes do not allow it."""
    try:
        return slip.apply(trace)
    except ValueError:
        return None


def _one_slip(answer: Answer, right: Trace, stage: str) -> list[Finding]:
    applied = ((slip, _apply(slip, right)) for slip in _slips_until(stage, right))
    return [Finding("slips", (slip,)) for slip, wrong in applied if wrong and answer.matches(matrix_at(wrong, stage))]


def _two_slips(answer: Answer, right: Trace, stage: str) -> list[Finding]:
    found, slips = list[Finding](), _slips_until(stage, right)
    for i, first in enumerate(slips):
        begun = _apply(first, right)
        for second in slips[i + 1 :] if begun else ():
            both = None if second.stage == first.stage else _apply(second, begun)  # type: ignore[arg-type]
            if both and answer.matches(matrix_at(both, stage)):
                found.append(Finding("slips", (first, second)))
    return found


def _follow_through(answer: Answer, right: Trace, stage: str, earlier: Mapping[str, Answer]) -> list[Finding]:
    """Explain an answer by the latest given matrix that is wrong, and explain that matrix."""
    if not isinstance(right, SelfAttentionTrace):
        return []
    for name in reversed(STAGES[: STAGES.index(stage)]):
        wrong = earlier.get(name)
        if wrong is None or wrong.matches(matrix_at(right, name)) or wrong.values.shape != matrix_at(right, name).shape:
            continue
        if answer.matches(matrix_at(continued(right, name, wrong.values), stage)):
            why = _one_slip(wrong, right, name) or _two_slips(wrong, right, name) or [Finding("slips")]
            return [Finding("follow_through", finding.slips, since=name) for finding in why]
    return []


def _departs(name: str, earlier: Mapping[str, Answer], right: Trace) -> tuple[str, int, int] | None:
    return None if earlier[name].matches(matrix_at(right, name)) else _first_wrong(name, earlier[name], right)


def _first_wrong(name: str, answer: Answer, right: Trace) -> tuple[str, int, int]:
    """Return the first cell that is not right; of a matrix of another shape, the first of all."""
    wanted = matrix_at(right, name)
    if answer.values.shape != wanted.shape:
        return name, 0, 0
    row, column = (int(i) for i in np.argwhere(~answer.agrees(wanted))[0][-2:])
    return name, row, column
