"""Own steps: each given matrix is compared with what the steps before it lead to, so that only the cause is blamed.

A step may be what the exact numbers before it lead to, as a program prints it, or what somebody's own rounded numbers
lead to, as it is done by hand. Whatever explains the result alone is held against the given steps first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.explaining import explained_by_errors
from attention_core.diagnosis.finding import Finding, StepFound
from attention_core.diagnosis.plans import plan, roundings
from attention_core.diagnosis.rounded_steps import NEAR_BY_CHANCE, bound_of, chance_of_rounding, share
from attention_core.diagnosis.stages import name_of

BY_CHANCE = 1e-2  # if rounded steps give the numbers by chance with a greater probability, they are no proof
INSIDE = {"scaled": {"root"}, "weights": {"powers", "powers_from_the_maximum"}}  # the numbers inside a step
GIVES = {"root": "scaled", "powers": "weights", "powers_from_the_maximum": "weights"}  # what is rounded in between


@dataclass(frozen=True, slots=True, eq=False)
class StepCheck:
    """The result of checking some steps: each step, and the first wrong one with its explanations."""

    steps: tuple[StepFound, ...] = ()
    cause: str = ""  # the first step that does not follow from those before it
    findings: tuple[Finding, ...] = ()  # the explanations of the cause; none: it is unknown


def check_steps(right: EditedRun, answers: Mapping[str, Answer], alone: Sequence[Finding]) -> StepCheck:
    """Compare each step, in order, with the right one and with what somebody's own steps before it lead to.

    `alone` is what explains the last matrix by itself. The mistakes in it that give all other steps as well are known
    to have been made. A step that follows from a wrong one is not wrong, and neither is a step in which the same
    mistake is made again.
    """
    known = [each for each in alone if each.mistakes and not each.rows and _gives_all(right, each, answers)]
    walk, found = _Walk(right, right), StepCheck(findings=tuple(known))
    for stage, answer in answers.items():
        step = walk.step(stage, answer, found)
        if step.kind == "wrong" and not found.cause:
            why = found.findings or tuple(walk.explanations(stage, answer, answers))
            found = replace(found, cause=stage, findings=why)
        found = replace(found, steps=(*found.steps, step))
        walk = walk.after(stage, answer, step, found)
    return found


def _gives_all(right: EditedRun, finding: Finding, answers: Mapping[str, Answer]) -> bool:
    """Say whether some mistakes give all of these matrices, to their digits."""
    return all(_with(right, finding, stage, answer) for stage, answer in answers.items())


def _with(right: EditedRun, finding: Finding, stage: str, answer: Answer) -> bool:
    """Say whether some mistakes give a matrix, to its digits. After a step that was rounded, this cannot be told."""
    made = made_with(right, finding, stage)
    return (made is not None and answer.matches(made)) or _is_after_rounding(right, finding, stage)


def _is_after_rounding(right: EditedRun, finding: Finding, stage: str) -> bool:
    places = [right.pipeline.names.index(GIVES.get(step, step)) for step in finding.rounded]
    return bool(places) and right.pipeline.names.index(name_of(stage)) > min(places)


def made_with(right: EditedRun, finding: Finding, stage: str) -> Array | None:
    """Return the matrix of a stage as the mistakes of a finding make it, or nothing where the shapes forbid it."""
    lines = plan(right.pipeline, name_of(stage), *(mistake.lines_in(right.pipeline) for mistake in finding.mistakes))
    return right.matrix_after(lines, stage) if lines else right.expected(stage)


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """A way along the steps: the right computation, and the one that goes on from somebody's own matrices."""

    right: EditedRun
    own: EditedRun
    decimals: Mapping[str, int] | None = None  # to how many decimals each own matrix is given

    def step(self, stage: str, answer: Answer, found: StepCheck) -> StepFound:
        """Compare a step with what the steps before it lead to."""
        expected = self.own.expected(stage)
        if answer.values.shape != expected.shape:
            return StepFound(stage, "wrong", (0, 0), float(answer.values.flat[0]), np.nan, answer.values.size)
        if answer.matches(self.right.expected(stage)):
            return StepFound(stage, "right")
        if self._is_exact(stage, answer, found):
            return StepFound(stage, "follows" if found.cause else "right")
        off = ~answer.agrees(expected, self._bound(stage, answer))
        is_near = not off.any() and (bool(found.cause) or share(self._bound(stage, answer), expected) < NEAR_BY_CHANCE)
        if is_near:
            return StepFound(stage, "follows" if found.cause else "near")
        return self._wrong(stage, answer, expected)

    def _wrong(self, stage: str, answer: Answer, expected: Array) -> StepFound:
        """Return a wrong step, with the first number that is neither right nor follows from the steps before."""
        exact = self.right.expected(stage)
        fits = answer.values.shape == exact.shape and answer.agrees(exact).sum() >= answer.agrees(expected).sum()
        wanted = exact if fits else expected
        wrong = np.argwhere(~answer.agrees(wanted))
        place = tuple(int(i) for i in wrong[0])
        return StepFound(stage, "wrong", place, float(answer.values[place]), float(wanted[place]), len(wrong))

    def _is_exact(self, stage: str, answer: Answer, found: StepCheck) -> bool:
        """Say whether a step is exactly what own numbers, or the mistakes that are known, lead to."""
        if answer.matches(self.own.expected(stage)):
            return True
        if found.cause and any(_with(self.right, each, stage, answer) for each in found.findings if each.mistakes):
            return True
        return any(self._is_rounded(stage, answer, decimals) for decimals in self._decimals(answer))

    def _is_rounded(self, stage: str, answer: Answer, decimals: int) -> bool:
        """Say whether own numbers lead to a step when numbers in between are rounded as they are.

        Whole steps in between, which are not given, are taken to be rounded only if that is no coincidence.
        """
        own = self.own
        plans = roundings(own.pipeline, name_of(stage), decimals, own.changed)
        inside = [each for each in plans if {*each.rounded} <= INSIDE.get(stage, set())]
        hidden = [each for each in plans if each not in inside] if own.can_afford(len(plans)) else []
        if hidden and chance_of_rounding(own, answer, stage, decimals) * len(hidden) > BY_CHANCE:
            hidden = []
        made = (own.matrix_after(each.lines, stage) for each in [*inside, *hidden])
        return any(answer.matches(matrix) for matrix in made if matrix is not None)

    def _decimals(self, answer: Answer) -> list[int]:
        told = {*(self.decimals or {}).values(), max(answer.decimals, FEWEST_DECIMALS)}
        return sorted(decimals for decimals in told if decimals < MOST_DECIMALS)

    def _bound(self, stage: str, answer: Answer) -> Array:
        shown = {name: n for name, n in (self.decimals or {}).items() if n < MOST_DECIMALS}
        hidden = min([*shown.values(), max(answer.decimals, FEWEST_DECIMALS)])
        return bound_of(self.own, stage, shown, hidden, hidden)

    def explanations(self, stage: str, answer: Answer, answers: Mapping[str, Answer]) -> Iterator[Finding]:
        """Yield what explains a wrong step: from the exact numbers before it, or else from somebody's own."""
        before = {each: answers[each] for each in answers if each in _before(answers, stage)}
        exact = replace(self.right, settled=frozenset(map(name_of, before)))
        found = [each for each in explained_by_errors(exact, answer, stage) if _agrees(self.right, each, before)]
        yield from found or (explained_by_errors(self.own, answer, stage) if self.own.changed else [])

    def after(self, stage: str, answer: Answer, step: StepFound, found: StepCheck) -> _Walk:
        """Return the way after a step: it goes on from somebody's own matrix, with the mistake that they made."""
        own = self.own
        if step.kind == "wrong" and stage == found.cause and found.findings and found.findings[0].mistakes:
            own = _with_mistake(own, found.findings[0])
        if answer.values.shape != own.expected(stage).shape:
            return replace(self, own=own)
        values = np.where(np.isfinite(answer.values), answer.values, own.expected(stage))
        kept = {name_of(stage): max(answer.decimals, FEWEST_DECIMALS)}
        return _Walk(self.right, _continue_from(own, stage, values), {**(self.decimals or {}), **kept})


def _before(stages: Iterable[str], stage: str) -> list[str]:
    names = list(stages)
    return names[: names.index(stage)]


def _agrees(right: EditedRun, finding: Finding, before: Mapping[str, Answer]) -> bool:
    """Say whether a finding leaves the steps before it as they are given."""
    return not finding.mistakes or all(_with(right, finding, stage, answer) for stage, answer in before.items())


def _with_mistake(own: EditedRun, finding: Finding) -> EditedRun:
    try:
        return own.with_mistakes(finding.mistakes)
    except ValueError:
        return own  # the shapes do not allow it after somebody's own steps


def _continue_from(own: EditedRun, stage: str, values: Array) -> EditedRun:
    try:
        return own.with_own_matrix(stage, values)
    except ValueError:
        return own
