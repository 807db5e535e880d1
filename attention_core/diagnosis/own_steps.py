"""Given steps: compare each given matrix with the result of the given matrices before it, to find the first error.

A given matrix may follow from the exact numbers before it, because a program rounds only what it prints. It may also
follow from somebody's own rounded numbers, as in a computation by hand. If something explains the result alone, it is
first compared with the given steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.explaining import explained_by_errors
from attention_core.diagnosis.finding import Finding, StepFound
from attention_core.diagnosis.plans import Mistakes, plan, roundings
from attention_core.diagnosis.rounded_steps import NEAR_BY_CHANCE, bound_of, chance_of_rounding, share
from attention_core.diagnosis.stages import name_of
from attention_core.mistakes import Mistake

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
    """Return what was found of each given step, and the stage and the explanations of the first wrong step.

    `answers` holds the given matrices by stage, with the result last. Each step is compared with the right matrix, and
    with the result of somebody's own earlier steps.

    A step that follows from a wrong step is not wrong. A step in which the same mistake is made again is not wrong
    either. A second mistake in a later step makes that step wrong: each wrong step is explained.

    `alone` holds the findings about the result without its steps. If the mistakes of such a finding give all other
    steps as well, they are the explanation.
    """
    known = tuple(each for each in alone if each.mistakes and not each.rows and _gives_all(right, each, answers))
    walk, found = _Walk(right, right, right), StepCheck(findings=known)
    for stage, answer in answers.items():
        step = walk.step(stage, answer)
        if step.kind == "wrong":
            begun = walk.without_earlier_mistakes(_begun_at(right, known, stage))
            step = replace(step, why=begun or tuple(walk.explanations(stage, answer, answers)))
        if step.kind == "wrong" and not found.cause:
            found = replace(found, cause=stage, findings=known or step.why)
        found = replace(found, steps=(*found.steps, step))
        walk = walk.after(stage, answer, step)
    return found


def _begun_at(right: EditedRun, known: Sequence[Finding], stage: str) -> tuple[Finding, ...]:
    """Return the findings of `known`, each with only those mistakes that change the step `stage` or an earlier one.

    A finding without any such mistake is left out.
    """
    until = right.pipeline.names.index(name_of(stage))
    begun = (
        replace(each, mistakes=tuple(one for one in each.mistakes if _first_place(right, one) <= until))
        for each in known
    )
    return tuple({each.mistakes: each for each in begun if each.mistakes}.values())


def _first_place(right: EditedRun, mistake: Mistake[Any]) -> int:
    """Return the index of the first step of the pipeline that a mistake changes."""
    places = right.pipeline.names
    gives = (name for line in mistake.lines_in(right.pipeline) for name in line.gives if name in places)
    return min(map(places.index, gives), default=0)


def _gives_all(right: EditedRun, finding: Finding, answers: Mapping[str, Answer]) -> bool:
    """Return whether the mistakes of a finding give all matrices of `answers`, up to the rounding of each."""
    return all(_with(right, finding, stage, answer) for stage, answer in answers.items())


def _with(right: EditedRun, finding: Finding, stage: str, answer: Answer) -> bool:
    """Return whether the mistakes of a finding give the matrix `answer` of a stage, up to its rounding.

    Also return True if the finding has a rounded step before this stage, because the numbers may then differ.
    """
    made = matrix_with(right, finding, stage)
    return (made is not None and answer.matches(made)) or _is_after_rounding(right, finding, stage)


def _is_after_rounding(right: EditedRun, finding: Finding, stage: str) -> bool:
    places = [right.pipeline.names.index(GIVES.get(step, step)) for step in finding.rounded]
    return bool(places) and right.pipeline.names.index(name_of(stage)) > min(places)


def matrix_with(right: EditedRun, finding: Finding, stage: str) -> Array | None:
    """Return the matrix of a stage with the mistakes of a finding, or None if the shapes forbid it."""
    lines = plan(right.pipeline, name_of(stage), *(mistake.lines_in(right.pipeline) for mistake in finding.mistakes))
    return right.matrix_after(lines, stage) if lines else right.expected(stage)


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """The state while steps are checked: three computations, and what is known so far.

    `right` is the right computation. `own` continues from all matrices that somebody has given. `exact` continues only
    from those that are wrong, because a program rounds only what it prints.
    """

    right: EditedRun
    own: EditedRun  # it goes on from each own matrix as it is written
    exact: EditedRun  # it goes on from the wrong steps alone: somebody's program rounds only what it prints
    made: tuple[Finding, ...] = ()  # the mistakes that are known to have been made so far; one of these
    is_wrong: bool = False  # whether a step before was
    decimals: Mapping[str, int] | None = None  # to how many decimals each own matrix is given

    def step(self, stage: str, answer: Answer) -> StepFound:
        """Return what is found of a step: whether it is right, near, follows from a wrong step, or is wrong itself."""
        expected = self.own.expected(stage)
        if answer.values.shape != expected.shape:
            return StepFound(stage, "wrong", (0, 0), float(answer.values.flat[0]), np.nan, answer.values.size)
        if answer.matches(self.right.expected(stage)):
            return StepFound(stage, "right")
        if self._is_exact(stage, answer):
            return StepFound(stage, "follows" if self.is_wrong else "right")
        if answer.decimals < FEWEST_DECIMALS and answer.agrees(self.right.expected(stage), answer.rounding).all():
            return StepFound(stage, "near")
        off = ~answer.agrees(expected, self._bound(stage, answer))
        is_near = not off.any() and (self.is_wrong or share(self._bound(stage, answer), expected) < NEAR_BY_CHANCE)
        if is_near:
            return StepFound(stage, "follows" if self.is_wrong else "near")
        return self._wrong(stage, answer)

    def _wrong(self, stage: str, answer: Answer) -> StepFound:
        """Return the finding for a wrong step: the first wrong number, and the number that should be in its place.

        Three matrices are compared with the step: what follows from the exact steps, what follows from somebody's own
        rounded steps, and the right matrix. The one with the most equal numbers says what is wrong.
        """
        ways = (
            (self.exact.expected(stage), 0.0),
            (self.own.expected(stage), self._bound(stage, answer)),
            (self.right.expected(stage), 0.0),
        )
        ways = [each for each in ways if each[0].shape == answer.values.shape]
        wanted, bound = max(ways, key=lambda each: int(answer.agrees(*each).sum()))
        off = ~answer.agrees(wanted, bound)
        wrong = np.argwhere(off if off.any() else ~answer.agrees(wanted))
        place = tuple(int(i) for i in wrong[0])
        return StepFound(stage, "wrong", place, float(answer.values[place]), float(wanted[place]), len(wrong))

    def _is_exact(self, stage: str, answer: Answer) -> bool:
        """Return whether a step follows to its last digit from the numbers before it or from known mistakes."""
        if answer.matches(self.own.expected(stage)) or answer.matches(self.exact.expected(stage)):
            return True
        if any(_with(self.right, each, stage, answer) for each in self.made):
            return True  # the same mistake again
        return any(self._is_rounded(stage, answer, decimals) for decimals in self._decimals(answer))

    def _is_rounded(self, stage: str, answer: Answer, decimals: int) -> bool:
        """Return whether a step follows from somebody's own earlier matrices if numbers after them are rounded.

        These numbers are rounded to `decimals` decimals. They belong to the step itself, or to a step that is not
        given. Such a step counts as rounded only if chance is practically excluded.
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
        """Yield explanations of a wrong step: from the exact numbers before it, or else from somebody's own numbers."""
        before = {each: answers[each] for each in answers if each in _before(answers, stage)}
        exact = replace(self.exact, settled=frozenset(map(name_of, before)))
        found = explained_by_errors(exact, answer, stage)
        found = [each for each in found if each.kind != "other_scale" or "scaled" not in before]
        if not self.is_wrong:
            found = [each for each in found if _agrees(self.right, each, before)]
        yield from found or (explained_by_errors(self.own, answer, stage) if self.own.changed else [])

    def without_earlier_mistakes(self, begun: Sequence[Finding]) -> tuple[Finding, ...]:
        """Return the findings without those mistakes that were already made in earlier steps."""
        made = {mistake.name for each in self.made for mistake in each.mistakes}
        new = (replace(each, mistakes=tuple(one for one in each.mistakes if one.name not in made)) for each in begun)
        return tuple({each.mistakes: each for each in new if each.mistakes}.values())

    def after(self, stage: str, answer: Answer, step: StepFound) -> _Walk:
        """Return the state after a step.

        It continues from the matrix that was given, with the mistake that was made in it.
        """
        own, exact, is_wrong = self.own, self.exact, step.kind == "wrong"
        mistakes = step.why[0].mistakes if is_wrong and step.why else ()
        if mistakes:
            own, exact = (_with_mistakes(each, (*each.made_with, *mistakes)) for each in (own, exact))
        elif is_wrong:
            exact = _continue_from(exact, stage, _own_values(exact, stage, answer, step))
        made = (*self.made, *(each for each in step.why if each.mistakes)) if is_wrong else self.made
        walk = replace(self, own=own, exact=exact, made=made, is_wrong=self.is_wrong or is_wrong)
        if answer.values.shape != own.expected(stage).shape:
            return walk
        values = np.where(np.isfinite(answer.values), answer.values, own.expected(stage))
        kept = {name_of(stage): max(answer.decimals, FEWEST_DECIMALS)}
        return replace(walk, own=_continue_from(own, stage, values), decimals={**(self.decimals or {}), **kept})


def _own_values(exact: EditedRun, stage: str, answer: Answer, step: StepFound) -> Array:
    """Return the matrix from which the author of a wrong step continued.

    If one number of the step was changed, this is the exact matrix with the changed number. Otherwise it is the matrix
    that was given.
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


def _agrees(right: EditedRun, finding: Finding, before: Mapping[str, Answer]) -> bool:
    """Return whether the mistakes of a finding, if it has any, give all matrices of `before`."""
    return not finding.mistakes or all(_with(right, finding, stage, answer) for stage, answer in before.items())


def _with_mistakes(own: EditedRun, mistakes: Mistakes) -> EditedRun:
    try:
        return own.with_mistakes(tuple(dict.fromkeys(mistakes)))
    except ValueError:
        return own  # the shapes do not allow it after somebody's own steps


def _continue_from(own: EditedRun, stage: str, values: Array) -> EditedRun:
    try:
        return own.with_own_matrix(stage, values)
    except ValueError:
        return own
