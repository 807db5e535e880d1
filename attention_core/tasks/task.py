"""A task: its numbers, its recipe, its misreadings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
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
from attention_core.softmax import softmax
from attention_core.tasks.steps import LEARNED, ON_PAPER, GradientMistake, TaskComputation, WordMistake

# Rows of weights that sum to 1 and are exact with two decimals, by their length. Results from them can be exact too.
SHARES: Mapping[int, Sequence[Sequence[float]]] = {
    2: ((0.5, 0.5), (0.25, 0.75), (0.75, 0.25), (0.2, 0.8), (0.8, 0.2), (0.1, 0.9), (0.9, 0.1)),
    3: (
        (0.5, 0.25, 0.25), (0.25, 0.5, 0.25), (0.25, 0.25, 0.5), (0.2, 0.4, 0.4), (0.4, 0.2, 0.4), (0.4, 0.4, 0.2),
        (0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5),
    ),
}  # fmt: skip


class Draw:
    """A source of random whole numbers from seeds.

    The numbers are the same on every machine and with every version of NumPy.
    """

    def __init__(self, *seeds: int) -> None:
        """Start from these seeds.

        The numbers come from the bits of a bit generator, because only these stay the same in every version of NumPy.
        """
        self._bits = np.random.PCG64(np.random.SeedSequence(seeds))

    def integers(self, low: int, high: int, *shape: int) -> Array:
        """Return an array of whole numbers from low to high, both included."""
        raw = np.asarray(self._bits.random_raw(math.prod(shape)), dtype=np.uint64)
        return (low + (raw % np.uint64(high - low + 1)).astype(np.int64)).astype(np.float64).reshape(shape)

    def tenths(self, low: int, high: int, *shape: int) -> Array:
        """Return an array of numbers with one decimal from low to high, both included."""
        return self.integers(10 * low, 10 * high, *shape) / 10

    def one_of(self, *values: int) -> int:
        """Return one of the given values, chosen at random."""
        return values[int(self.integers(0, len(values) - 1, 1)[0])]

    def shares(self, rows: int, columns: int) -> Array:
        """Return random rows of weights that sum to 1 and are exact with two decimals: (rows, columns)."""
        choices = SHARES[columns]
        return np.array([choices[self.one_of(*range(len(choices)))] for _ in range(rows)])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Recipe:
    """The parts of a random task: the correct computation, the given matrices, and the matrix that is asked for."""

    trace: Any  # the correct computation: a trace of the core, or `OwnSteps`
    given: tuple[str, ...]  # the names of the given matrices
    done_until: str  # the name of the last matrix of the computation that is given; "" if there is none
    asked: str  # the name of the matrix that the task asks for
    worked: ExplainedTrace | None = None  # the calculation of each cell, if the trace does not give it
    base: float | None = None  # the base of the powers or of the encoding, if the task has to say it
    mistakes: tuple[str, ...] = ()  # the names of the possible mistakes, if the trace is an `OwnSteps`


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
        for mistake in self.mistakes:
            if self.fits(self.wrong_answer(mistake), answer):
                yield Finding("mistakes", (cast("Mistake[Any]", mistake),))

    @property
    def _greatest_number(self) -> float:
        return float(np.abs(self.correct_answer).max())

    def _is_possible(self, finding: Finding) -> bool:
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


@dataclass(frozen=True, slots=True, eq=False)
class Misreading:
    """A mistake on paper: its title, why it is wrong, and the answer that it gives."""

    title: str
    why: str
    answer: Array  # the wrong answer, in the shape of the matrix that the task asks for


def misreadings(task: Task) -> tuple[Misreading, ...]:
    """Return the mistakes that somebody may make on paper in a task, such as another base, or swapped heads.

    Shapes: each answer has the shape of the matrix that the task asks for.
    """
    return tuple(each for each in _possible_misreadings(task) if each.answer.shape == task.correct_answer.shape)


def _possible_misreadings(task: Task) -> Iterator[Misreading]:
    """Yield all mistakes on paper for a task. The answer of some of them may have a wrong shape."""
    if task.concept == "softmax_axes":
        yield _other_base(task)
    if task.asked == "output" and {"weights", "v"} <= {*task.given}:
        yield from _transposed_products(task.matrix("weights"), task.matrix("v"))
    if task.concept == "multi_head":
        yield _swapped_heads(task)
    if task.asked == "grad_scaled":
        yield _misreading("average_left_out", task.matrix("weights") * task.matrix("grad_weights"))
    if task.asked == LEARNED:
        w_v, rate = task.matrix("w_v"), task.trace.rate
        turned = task.matrix("x").T @ task.matrix("weights") @ task.matrix("grad_output")
        yield _misreading("weights_not_transposed", w_v - rate * turned)
        yield _misreading("gradient_added", 2 * w_v - task.correct_answer)


def _misreading(name: str, answer: Array) -> Misreading:
    return Misreading(ON_PAPER[name].title, ON_PAPER[name].why, answer)


def _other_base(task: Task) -> Misreading:
    scores = task.matrix("scores")
    if task.base == math.e:
        return _misreading("base_two", softmax(scores * math.log(2)))
    return _misreading("base_e", softmax(scores))


def _transposed_products(weights: Array, v: Array) -> Iterator[Misreading]:
    if len(weights) == len(v):
        yield _misreading("weights_transposed", weights.T @ v)
    if weights.shape[1] == v.shape[1]:
        yield _misreading("values_transposed", weights @ v.T)


def _swapped_heads(task: Task) -> Misreading:
    width = task.trace.concat.shape[-1] // 2
    concat = np.roll(task.trace.concat, width, axis=-1)
    answer = concat if task.asked == "concat" else concat @ task.matrix("w_o")
    return _misreading("heads_swapped", answer)
