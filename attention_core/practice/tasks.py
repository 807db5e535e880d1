"""Tasks: problems for pencil and paper, made from a seed. Every slip of their concept changes the answer."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arithmetic import Trace
from attention_core.caching import caching
from attention_core.checks import Array, positive_integer
from attention_core.diagnosis.answer import Answer
from attention_core.diagnosis.diagnose import STAGES, Diagnosis, Finding, diagnose, matrix_at
from attention_core.heads import MultiHeadTrace
from attention_core.practice.task_numbers import Draw
from attention_core.practice.task_recipes import RECIPES, Recipe
from attention_core.slips import Slip, Stage, slips_of

DECIMALS = 2  # to which an answer is asked for
DIFFICULTIES = (1, 2, 3)
GREATEST = 99  # of all numbers that stand in a task
ORDER: tuple[str, ...] = get_args(Stage)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Task:
    """A task: some matrices are given, and one is asked for, to two decimals."""

    concept: str
    seed: int
    difficulty: int
    trace: Any  # all of it, done rightly
    given: tuple[str, ...]  # the matrices that are shown, in the order in which they are needed
    since: str  # the last stage that is done already: nothing before it can go wrong
    asked: str  # the matrix to be filled in
    worked: Trace  # what the calculation of a cell is read from
    base: float | None = None  # of the powers, or of the encoding, where that must be told
    slips: tuple[Slip[Any], ...] = ()  # of the concept, as far as they can happen on the way from the given

    @property
    def right(self) -> Array:
        """The matrix asked for."""
        return _matrix(self.trace, self.asked)

    def matrix(self, name: str) -> Array:
        """Return one of the matrices of the task; "weights.1" is head 1 of the weights."""
        name, _, head = name.partition(".")
        found = _matrix(self.trace, name)
        return np.atleast_2d(found[int(head)] if head else found)

    def marks(self, answer: ArrayLike) -> NDArray[np.bool]:
        """Return for each cell whether it is right to two decimals. A missing one, NaN, is not."""
        return self._agrees(self.right, answer)

    def fits(self, wrong: ArrayLike, answer: ArrayLike) -> bool:
        """Say whether an answer is this matrix to two decimals, and not the right one."""
        return bool(self._agrees(np.asarray(wrong, dtype=float), answer).all() and not self.marks(answer).all())

    def _agrees(self, matrix: Array, answer: ArrayLike) -> NDArray[np.bool]:
        with np.errstate(invalid="ignore"):
            return np.abs(np.asarray(answer, dtype=float) - matrix) <= self._read(answer).tolerance

    def diagnose(self, answer: ArrayLike) -> Diagnosis:
        """Find the mistake that leads from the given matrices to this answer.

        Raises: ValueError as `diagnosis.diagnose`.
        """
        found = diagnose(answer, self.trace, self.asked, decimals=DECIMALS)
        return Diagnosis(tuple(finding for finding in found.findings if self._possible(finding)), found.departs)

    def wrong(self, slip: Slip[Any]) -> Array:
        """Return the matrix asked for as a slip would have it.

        Raises: ValueError where the shapes do not allow the slip.
        """
        return _matrix(slip.apply(self.trace), self.asked)

    def _read(self, answer: ArrayLike) -> Answer:
        return Answer(np.asarray(answer, dtype=float), DECIMALS, float(np.abs(self.right).max()))

    def _possible(self, finding: Finding) -> bool:
        return all(ORDER.index(slip.stage) > _place(self.since) for slip in finding.slips)


@caching(512)
def task(concept: str, seed: int, difficulty: int = 1) -> Task:
    """Return the task of a seed. It is the same on every machine.

    Numbers are small and whole, or decimals with two digits. A draw that would hide a slip of the concept is thrown
    away: each of them, made here and rounded to two decimals, is told from the right answer.

    Raises: ValueError if there are no tasks of that concept, the seed is not at least 1, or there is no such
            difficulty.
    """
    if concept not in RECIPES:
        raise ValueError(f"concept must be one of {', '.join(RECIPES)}; got {concept}: choose one of these.")
    if difficulty not in DIFFICULTIES:
        raise ValueError(f"difficulty must be 1, 2 or 3; got {difficulty}: choose one of these.")
    place = list(RECIPES).index(concept)
    draws = (Draw(place, positive_integer("seed", seed), difficulty, attempt) for attempt in count())
    drawn = (_made(RECIPES[concept][difficulty - 1](draw), concept, seed, difficulty) for draw in draws)
    return next(made for made in drawn if _small(made) and not hidden(made))


def hidden(made: Task) -> tuple[Slip[Any], ...]:
    """Return the slips that the task cannot tell from the right answer, when that is rounded to two decimals."""
    return tuple(slip for slip in made.slips if made.marks(np.round(made.wrong(slip), DECIMALS)).all())


def _made(recipe: Recipe, concept: str, seed: int, difficulty: int) -> Task:
    return Task(
        concept=concept, seed=seed, difficulty=difficulty, trace=recipe.trace, given=recipe.given,
        since=recipe.since, asked=recipe.asked, worked=recipe.worked or cast(Trace, recipe.trace), base=recipe.base,
        slips=tuple(slip for slip in slips_of(concept) if _can_happen(slip, recipe)),
    )  # fmt: skip


def _can_happen(slip: Slip[Any], recipe: Recipe) -> bool:
    if not _place(recipe.since) < _place(slip.stage) <= _place(recipe.asked) or not slip.shows(recipe.trace):
        return False
    try:
        return _matrix(slip.apply(recipe.trace), recipe.asked).shape == _matrix(recipe.trace, recipe.asked).shape
    except ValueError:
        return False


def _place(stage: str) -> int:
    return ORDER.index(stage) if stage in ORDER else -1


def _matrix(trace: Any, name: str) -> Array:
    """Return a matrix of a trace: one that was computed, or one that was given."""
    if isinstance(trace, MultiHeadTrace) and name == "w_o":
        return np.asarray(trace.weights.w_o)
    return matrix_at(trace, name) if name in STAGES else np.asarray(getattr(trace, name))


def _small(made: Task) -> bool:
    """Whether no number is large, none of what is asked for is all zeros, and positions are not the same twice."""
    shown = [made.matrix(name) for name in made.given] + [made.right]
    distinct = "positions" not in made.given or len(set(made.trace.positions.tolist())) == len(made.trace.positions)
    return distinct and all(np.abs(matrix).max() <= GREATEST for matrix in shown) and bool(made.right.any())
