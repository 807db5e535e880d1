"""The class `Task`: the given matrices, the matrix asked for, the marks of an answer, and its diagnosis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arithmetic import ExplainedTrace
from attention_core.checks import Array
from attention_core.diagnosis.answer import RIGHT_KINDS
from attention_core.diagnosis.diagnose import STAGES, Diagnosis, Finding, diagnose, matrix_at
from attention_core.diagnosis.stages import name_of
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes import HALF_A_DECIMAL, Mistake
from attention_core.mistakes.engine.named_traces import pipeline_of_trace
from attention_core.tasks.forward_backward import GradientMistake
from attention_core.tasks.own_steps import TaskComputation
from attention_core.tasks.word_steps import WordMistake

DECIMALS = 2  # the decimals that an answer should have
NEGLIGIBLE = 1e-6  # how far an answer may be off in addition to rounding, as a fraction of the greatest number
TaskMistake = Mistake[Any] | GradientMistake | WordMistake


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Task:
    """A task for pencil and paper: some matrices are given, and one matrix is asked for, to two decimals."""

    concept: str
    seed: int
    difficulty: int
    trace: Any  # the whole correct computation
    given: tuple[str, ...]  # the names of the matrices that are shown, in the order of their use
    done_until: str  # the last computed matrix that is given: no mistake is possible up to it
    asked: str  # the name of the matrix that the task asks for
    worked: ExplainedTrace  # the calculation of each cell
    least: Array  # the least correct number of each cell, if steps are rounded to two or more decimals
    most: Array  # the greatest correct number; both arrays have the shape of the matrix asked for
    base: float | None = None  # the base of the powers or of the encoding, if the task has to say it
    mistakes: tuple[TaskMistake, ...] = ()  # the mistakes of the concept that are possible in the steps of the task

    @property
    def correct_answer(self) -> Array:
        """The correct answer."""
        return matrix_of(self.trace, self.asked)

    def matrix(self, name: str) -> Array:
        """Return the matrix of the task with this name. "weights.1" is the second head of the weights."""
        name, _, head = name.partition(".")
        found = matrix_of(self.trace, name)
        return np.atleast_2d(found[int(head)] if head else found)

    def correct_cells(self, answer: ArrayLike) -> NDArray[np.bool]:
        """Return for each cell of an answer whether its number is correct. An empty cell (NaN) is wrong.

        Each step may be rounded to two or more decimals, as `reach` says.
        """
        off = NEGLIGIBLE * self._greatest_number
        with np.errstate(invalid="ignore"):
            written = np.asarray(answer, dtype=float)
            return (written >= self.least - off) & (written <= self.most + off)

    def fits(self, wrong: ArrayLike, answer: ArrayLike) -> bool:
        """Return whether an answer equals `wrong`, up to rounding of the steps, and is not correct."""
        expected, written = np.asarray(wrong, dtype=float), np.asarray(answer, dtype=float)
        near = np.abs(written - expected) <= self.greatest_rounding_error + NEGLIGIBLE * self._greatest_number
        return bool(near.all()) and not self.correct_cells(answer).all()

    @property
    def greatest_rounding_error(self) -> float:
        """The greatest difference that rounding alone can make in a cell of an answer."""
        return float((self.most - self.least).max()) + HALF_A_DECIMAL

    def diagnose(self, answer: ArrayLike) -> Diagnosis:
        """Find the mistakes that explain how somebody got this answer from the given matrices.

        Raises: ValueError for the same reasons as `diagnosis.diagnose`.
        """
        if isinstance(self.trace, TaskComputation):
            right = (Finding("rounded", decimals=DECIMALS),) if self.correct_cells(answer).all() else ()
            return Diagnosis(right or tuple(self._mistakes_near(answer)))
        found = diagnose(answer, self.trace, self.asked, decimals=DECIMALS)
        possible = tuple(finding for finding in found.findings if self._is_possible(finding))
        if any(finding.mistakes or finding.kind in RIGHT_KINDS for finding in possible):
            return Diagnosis(possible, found.first_wrong_cell)
        return Diagnosis((*self._mistakes_near(answer), *possible), found.first_wrong_cell)

    def wrong_answer(self, mistake: TaskMistake) -> Array:
        """Return the answer that a mistake gives.

        Raises: ValueError if the shapes do not allow the mistake.
        """
        return matrix_of(mistake.apply(self.trace), self.asked)

    def _mistakes_near(self, answer: ArrayLike) -> Iterator[Finding]:
        """Yield a finding for each mistake that gives this answer, up to rounding of the steps."""
        for mistake in self.mistakes:
            if self.fits(self.wrong_answer(mistake), answer):
                yield Finding("mistakes", (cast("Mistake[Any]", mistake),))

    @property
    def _greatest_number(self) -> float:
        return float(np.abs(self.correct_answer).max())

    def _is_possible(self, finding: Finding) -> bool:
        """Return whether all mistakes of a finding are possible in the steps of this task."""
        return all(is_between(mistake, self.trace, self.done_until, self.asked) for mistake in finding.mistakes)


def is_between(mistake: Mistake[Any], trace: Any, done_until: str, asked: str) -> bool:
    """Return whether a mistake can be made after the matrix `done_until`, and up to the matrix `asked`.

    A mistake that also changes later steps does not count, because the matrix asked for does not show these changes.
    """
    names = pipeline_of_trace(trace).names
    lines = mistake.lines_in(pipeline_of_trace(trace))
    if not lines or not index_of_stage(done_until) < index_of_stage(mistake.stage) <= index_of_stage(asked):
        return False
    return min(names.index(name) for name in lines[-1].gives) <= names.index(name_of(asked))


def index_of_stage(stage: str) -> int:
    """Return the index of a stage in the order of computation, or −1 if there is no such stage.

    >>> index_of_stage("scores") < index_of_stage("weights"), index_of_stage("nothing")
    (True, -1)
    """
    return STAGES.index(stage) if stage in STAGES else -1


def matrix_of(trace: Any, name: str) -> Array:
    """Return the computed or given matrix with this name in a trace."""
    if isinstance(trace, TaskComputation):
        return trace.matrix(name)
    if isinstance(trace, MultiHeadTrace) and name == "w_o":
        return np.asarray(trace.projections.w_o)
    return matrix_at(trace, name) if name in STAGES else np.asarray(getattr(trace, name))
