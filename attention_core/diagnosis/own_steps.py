"""Check given intermediate matrices: compare each with the result of the matrices before it, to find the first error.

A given matrix may follow from the exact numbers before it, because a program rounds only what it prints. It may also
follow from somebody's own rounded numbers, as in a computation by hand. If a mistake explains the result alone, the
mistake is first compared with the given matrices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, Answer, Finding, StepFound
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.explaining import explained_by_errors
from attention_core.diagnosis.rounding import (
    NEAR_BY_CHANCE,
    chance_of_rounding,
    greatest_error_of,
    probability_of_nearness,
)
from attention_core.diagnosis.stages import Mistakes, lines_to_compute, name_of, roundings
from attention_core.mistakes import Mistake

BY_CHANCE = 1e-2  # with a greater probability of a coincidence, rounded steps prove nothing
INSIDE = {"scaled": {"root"}, "weights": {"powers", "powers_from_the_maximum"}}  # the numbers inside a step
GIVES = {
    "root": "scaled",
    "powers": "weights",
    "powers_from_the_maximum": "weights",
}  # numbers inside steps


@dataclass(frozen=True, slots=True, eq=False)
class StepCheck:
    """The results of checking all given steps, and the first wrong step with its explanations."""

    steps: tuple[StepFound, ...] = ()
    cause: str = ""  # the first wrong step, or ""
    findings: tuple[Finding, ...] = ()  # the explanations of this step; empty if unknown


def check_steps(correct: EditedRun, answers: Mapping[str, Answer], answer_findings: Sequence[Finding]) -> StepCheck:
    """Check each given step of an answer, and return the results with the explanations of the first wrong step.

    `answers` holds the given matrices by stage, in order, with the result last. A step is correct if it equals the
    correct matrix, or follows from the given steps before it. So a step that follows from a wrong step, or repeats the
    same mistake, is not wrong itself. Each wrong step is explained.

    `answer_findings` has the findings that explain the result without its steps. If the mistakes of such a finding give
    all other steps as well, this finding explains the first wrong step.
    """
    known = tuple(
        each for each in answer_findings if each.mistakes and not each.rows and _gives_all(correct, each, answers)
    )
    walk, found = _StepState(correct, correct, correct), StepCheck(findings=known)
    for stage, answer in answers.items():
        step = walk.check_step(stage, answer)
        if step.kind == "wrong":
            begun = walk.without_earlier_mistakes(_with_mistakes_until(correct, known, stage))
            step = replace(step, why=begun or tuple(walk.explanations(stage, answer, answers)))
        if step.kind == "wrong" and not found.cause:
            found = replace(found, cause=stage, findings=known or step.why)
        found = replace(found, steps=(*found.steps, step))
        walk = walk.after_step(stage, answer, step)
    return found


def _with_mistakes_until(correct: EditedRun, findings: Sequence[Finding], stage: str) -> tuple[Finding, ...]:
    """Return `findings`, each with only its mistakes that change the step `stage` or an earlier step.

    Findings without such a mistake are left out.
    """
    until = correct.pipeline.names.index(name_of(stage))
    begun = (
        replace(each, mistakes=tuple(one for one in each.mistakes if _first_changed_step(correct, one) <= until))
        for each in findings
    )
    return tuple({each.mistakes: each for each in begun if each.mistakes}.values())


def _first_changed_step(correct: EditedRun, mistake: Mistake[Any]) -> int:
    places = correct.pipeline.names
    gives = (name for line in mistake.lines_in(correct.pipeline) for name in line.gives if name in places)
    return min(map(places.index, gives), default=0)


def _gives_all(correct: EditedRun, finding: Finding, answers: Mapping[str, Answer]) -> bool:
    return all(_gives_matrix(correct, finding, stage, answer) for stage, answer in answers.items())


def _gives_matrix(correct: EditedRun, finding: Finding, stage: str, answer: Answer) -> bool:
    made = matrix_with(correct, finding, stage)
    return (made is not None and answer.matches(made)) or _is_after_rounding(correct, finding, stage)


def _is_after_rounding(correct: EditedRun, finding: Finding, stage: str) -> bool:
    places = [correct.pipeline.names.index(GIVES.get(step, step)) for step in finding.rounded]
    return bool(places) and correct.pipeline.names.index(name_of(stage)) > min(places)


def matrix_with(correct: EditedRun, finding: Finding, stage: str) -> Array | None:
    """Return the matrix of a stage, computed with the mistakes of a finding, or None if the shapes do not fit."""
    lines = lines_to_compute(
        correct.pipeline, name_of(stage), *(mistake.lines_in(correct.pipeline) for mistake in finding.mistakes)
    )
    return correct.matrix_after(lines, stage) if lines else correct.expected(stage)


@dataclass(frozen=True, slots=True, eq=False)
class _StepState:
    """What the diagnosis knows after it has checked some of the matrices that a learner gave.

    `correct` is the correct computation. `from_given` goes on from each matrix as the learner gave it. `exact` goes on
    from the unrounded correct matrix if the learner's is correct, as in a program that rounds only its output. If the
    learner's matrix is wrong, `exact` repeats the mistake that explains it, or goes on from its wrong numbers.
    """

    correct: EditedRun
    from_given: EditedRun
    exact: EditedRun
    made: tuple[Finding, ...] = ()  # the possible mistakes of the wrong steps so far
    is_wrong: bool = False  # whether an earlier step was wrong
    has_nan: bool = False  # whether an earlier step had NaN, which every step that uses it has, too
    decimals: Mapping[str, int] | None = None  # the decimals of each given matrix

    def check_step(self, stage: str, answer: Answer) -> StepFound:
        """Return the result for a given step.

        The kind of the result is "right", "near" (rounded), "wrong", or "follows" (correct after a wrong step).
        """
        expected = self.from_given.expected(stage)
        if answer.values.shape != expected.shape:
            return StepFound(stage, "wrong", (0, 0), float(answer.values.flat[0]), np.nan, answer.values.size)
        if answer.matches(self.correct.expected(stage)):
            return StepFound(stage, "right")
        if self._is_exact(stage, answer):
            return StepFound(stage, "follows" if self.is_wrong else "right")
        if self.has_nan and self._follows_beside_nan(stage, answer):
            return StepFound(stage, "follows")
        if answer.decimals < FEWEST_DECIMALS and answer.agrees(self.correct.expected(stage), answer.rounding).all():
            return StepFound(stage, "near")
        off = ~answer.agrees(expected, self._bound(stage, answer))
        is_near = not off.any() and (
            self.is_wrong or probability_of_nearness(self._bound(stage, answer), expected) < NEAR_BY_CHANCE
        )
        if is_near:
            return StepFound(stage, "follows" if self.is_wrong else "near")
        return self._result_of_wrong_step(stage, answer)

    def _result_of_wrong_step(self, stage: str, answer: Answer) -> StepFound:
        """Return the result for a wrong step: its first wrong number, and the correct number.

        The step is compared with three matrices: the result of the exact earlier steps, the result of the given earlier
        steps, and the correct matrix. The matrix that equals the step in the most numbers says which numbers are wrong.
        """
        ways = (
            (self.exact.expected(stage), 0.0),
            (self.from_given.expected(stage), self._bound(stage, answer)),
            (self.correct.expected(stage), 0.0),
        )
        ways = [each for each in ways if each[0].shape == answer.values.shape]
        wanted, bound = max(ways, key=lambda each: int(answer.agrees(*each).sum()))
        off = ~answer.agrees(wanted, bound)
        wrong = np.argwhere(off if off.any() else ~answer.agrees(wanted))
        place = tuple(int(i) for i in wrong[0])
        return StepFound(stage, "wrong", place, float(answer.values[place]), float(wanted[place]), len(wrong))

    def _is_exact(self, stage: str, answer: Answer) -> bool:
        if answer.matches(self.from_given.expected(stage)) or answer.matches(self.exact.expected(stage)):
            return True
        if any(_gives_matrix(self.correct, each, stage, answer) for each in self.made):
            return True  # the same mistake again
        return any(self._is_rounded(stage, answer, decimals) for decimals in self._decimals(answer))

    def _follows_beside_nan(self, stage: str, answer: Answer) -> bool:
        is_nan = np.isnan(answer.values)
        ways = [way for way in (self.from_given, self.exact) if way.expected(stage).shape == answer.values.shape]
        bound = self._bound(stage, answer) if ways else 0.0
        return bool(is_nan.any()) and any((answer.agrees(way.expected(stage), bound) | is_nan).all() for way in ways)

    def _is_rounded(self, stage: str, answer: Answer, decimals: int) -> bool:
        """Return whether a step follows from the given earlier steps and some numbers rounded to `decimals` decimals.

        The rounded numbers are inside the step, such as the powers of the softmax, or in earlier steps that are not
        given. Steps that are not given count as rounded only if chance is practically excluded.
        """
        own = self.from_given
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
        return greatest_error_of(self.from_given, stage, shown, hidden, hidden)

    def explanations(self, stage: str, answer: Answer, answers: Mapping[str, Answer]) -> Iterator[Finding]:
        """Yield the explanations of a wrong step from the exact steps before it.

        If there are none, yield the explanations from the given steps before it.
        """
        before = {each: answers[each] for each in answers if each in _before(answers, stage)}
        exact = replace(self.exact, settled=frozenset(map(name_of, before)))
        found = explained_by_errors(exact, answer, stage)
        found = [each for each in found if each.kind != "other_scale" or "scaled" not in before]
        if not self.is_wrong:
            found = [each for each in found if _gives_earlier_steps(self.correct, each, before)]
        yield from found or (explained_by_errors(self.from_given, answer, stage) if self.from_given.changed else [])

    def without_earlier_mistakes(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Return `findings` without the mistakes that were already made in earlier steps."""
        made = {mistake.name for each in self.made for mistake in each.mistakes}
        new = (replace(each, mistakes=tuple(one for one in each.mistakes if one.name not in made)) for each in findings)
        return tuple({each.mistakes: each for each in new if each.mistakes}.values())

    def after_step(self, stage: str, answer: Answer, step: StepFound) -> _StepState:
        """Return the state after the check of one more step. `step` is the result of this check.

        Later steps are computed from the matrix of this step, with its mistakes.
        """
        own, exact, is_wrong = self.from_given, self.exact, step.kind == "wrong"
        mistakes = step.why[0].mistakes if is_wrong and step.why else ()
        if mistakes:
            own, exact = (_with_mistakes(each, (*each.made_with, *mistakes)) for each in (own, exact))
        elif is_wrong:
            exact = _continue_from(exact, stage, _own_values(exact, stage, answer, step))
        made = (*self.made, *(each for each in step.why if each.mistakes)) if is_wrong else self.made
        has_nan = self.has_nan or bool(np.isnan(answer.values).any())
        walk = replace(
            self, from_given=own, exact=exact, made=made, is_wrong=self.is_wrong or is_wrong, has_nan=has_nan
        )
        if answer.values.shape != own.expected(stage).shape:
            return walk
        values = np.where(np.isfinite(answer.values), answer.values, own.expected(stage))
        kept = {name_of(stage): max(answer.decimals, FEWEST_DECIMALS)}
        return replace(walk, from_given=_continue_from(own, stage, values), decimals={**(self.decimals or {}), **kept})


def _own_values(exact: EditedRun, stage: str, answer: Answer, step: StepFound) -> Array:
    """Return the matrix from which the next steps were computed after a wrong step.

    If one number of the step was changed, return the exact matrix with this changed number. Otherwise return the given
    matrix.
    """
    expected, changed = exact.expected(stage), step.why[0].changed if step.why else None
    if answer.values.shape != expected.shape:
        return expected
    if changed is None or changed.stage != stage:
        return np.where(np.isfinite(answer.values), answer.values, expected)
    values = np.array(expected)
    values[changed.place] = changed.value
    return values


def _before(stages: Iterable[str], stage: str) -> list[str]:
    names = list(stages)
    return names[: names.index(stage)]


def _gives_earlier_steps(correct: EditedRun, finding: Finding, before: Mapping[str, Answer]) -> bool:
    return not finding.mistakes or all(
        _gives_matrix(correct, finding, stage, answer) for stage, answer in before.items()
    )


def _with_mistakes(own: EditedRun, mistakes: Mistakes) -> EditedRun:
    try:
        return own.with_mistakes(tuple(dict.fromkeys(mistakes)))
    except ValueError:
        return own  # the shapes of the given matrices do not allow the mistakes


def _continue_from(own: EditedRun, stage: str, values: Array) -> EditedRun:
    try:
        return own.with_own_matrix(stage, values)
    except ValueError:
        return own
