"""Explain an answer by one wrong number, from which all later steps are correct, or by a few without a cause."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array
from attention_core.diagnosis.answer import SMALLEST_SPREAD, Answer, Finding, Kind, OneNumber, middle_changes
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.heads import merge_heads
from attention_core.mistakes.engine.code_lines import CodeLine, run
from attention_core.mistakes.engine.edits import edited_lines
from attention_core.mistakes.engine.named_traces import SCORES_TO_WEIGHTS
from attention_core.mistakes.engine.pipelines import Pipeline, pipeline_with_heads
from attention_core.mistakes.engine.rewriting import IN_HEADS

NEAR_ENOUGH = 1e-6  # relative: numbers that differ by less are the same
MOST_DIGITS = 4  # decimals of the digits that are compared
BEYOND = 0.5  # how far a number may lie outside the range of the others, as a share of this range
NEGLIGIBLE = 1e-3  # relative to the greatest number: a smaller number may have been written as 0


def is_plausible(value: float, correct_value: float, matrix: Array) -> bool:
    """Return whether somebody may have written `value` by mistake in place of the number `correct_value` of a matrix.

    They may if `value` is about as large as the numbers of the matrix, or if a slip of the pen explains it.
    """
    return _is_of_their_size(value, matrix) or is_writing_error(value, correct_value)


def _is_of_their_size(value: float, matrix: Array) -> bool:
    finite = matrix[np.isfinite(matrix)]
    if not finite.size:
        return False
    low, high = min(float(finite.min()), 0.0), max(float(finite.max()), 0.0)
    room = BEYOND * max(high - low, 1.0)
    return low - room <= value <= high + room


def is_writing_error(value: float, correct_value: float) -> bool:
    """Return whether a slip of the pen can turn `correct_value` into `value`: a wrong sign, point or digit."""
    if correct_value and _is_power_of_ten(abs(value / correct_value)):
        return True  # with another sign only, the exponent is 0
    written, meant = _digits(value), _digits(correct_value)
    return any(
        _one_digit_apart(one, other)
        for one, other in ((written, meant), (written.rstrip("0"), meant.rstrip("0")))
        if other
    )


def _is_power_of_ten(ratio: float) -> bool:
    if not ratio > 0 or not np.isfinite(ratio):
        return False
    exponent = np.log10(ratio)
    return bool(abs(exponent - round(exponent)) < NEAR_ENOUGH and abs(exponent) <= MOST_DIGITS)


def _digits(number: float) -> str:
    return f"{abs(number):.{MOST_DIGITS}f}".replace(".", "").lstrip("0")


def _one_digit_apart(first: str, second: str) -> bool:
    """Return whether two texts differ at most by one digit: changed, added, left out, or swapped with a neighbour."""
    if len(first) == len(second):
        wrong = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
        in_turn = len(wrong) == 2 and wrong[1] == wrong[0] + 1 and first[wrong[0]] == second[wrong[1]]
        return len(wrong) <= 1 or (in_turn and first[wrong[1]] == second[wrong[0]])
    short, long = sorted((first, second), key=len)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


# --- the search in one matrix ---

STARTS = (-8.0, -3.0, -1.0, -0.2, 0.2, 1.0, 3.0, 8.0)  # the errors of a number from which the search begins
ROUNDS, LONGEST_STEP, SMALL = 20, 3.0, 1e-6
STAGE_OF = {"q_heads": "q", "k_heads": "k", "v_heads": "v"}
FROM_QUERIES_ON = {*SCORES_TO_WEIGHTS, "q_turned", "k_turned", "bias", "biased", "heads"}


@dataclass(frozen=True, slots=True, eq=False)
class NumberSearch:
    """The search for the wrong number of a matrix. The answer results if only this number is changed."""

    computation: EditedRun
    answer: Answer
    stage: str
    name: str  # the name of the matrix

    def explaining_numbers(self) -> Iterator[OneNumber]:
        """Yield each number of the matrix that, changed alone, gives the answer, with its changed value.

        If several values give the answer, the value with the fewest decimals is taken.
        """
        cells = np.repeat(np.arange(self.matrix.size), len(STARTS))
        with np.errstate(all="ignore"):  # infinite numbers give warnings and no solution
            off = self._solve_errors(cells, np.tile(STARTS, self.matrix.size))
            fits = self._fits(cells, off)
        places = np.arange(self.matrix.size).reshape(self.matrix.shape)
        for cell in np.unique(cells[fits]):
            place = tuple(map(int, np.argwhere(places == cell)[0]))
            right = float(self.matrix[place])
            value = self._value_with_fewest_decimals(int(cell), right + float(off[fits & (cells == cell)][0]), right)
            yield OneNumber(STAGE_OF.get(self.name, self.name), place, value, right)

    @property
    def matrix(self) -> Array:
        """The matrix in which a number may be wrong."""
        return np.asarray(self.computation.names[self.name], dtype=float)

    def _solve_errors(self, cells: NDArray[np.int_], start_errors: Array) -> Array:
        """Return for each number of the matrix in `cells` (indices) the error that comes closest to the answer.

        Each error begins with its number in `start_errors`. Gauss–Newton steps improve the error.
        """
        for _ in range(ROUNDS):
            misses = self._differences(cells, start_errors)
            slopes = (self._differences(cells, start_errors + SMALL) - misses) / SMALL
            steep = (slopes**2).sum(axis=1)
            step = (misses * slopes).sum(axis=1) / np.where(steep > 0, steep, 1.0)
            start_errors = start_errors - np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        misses = self._differences(cells, start_errors)
        slopes = (self._differences(cells, start_errors + SMALL) - misses) / SMALL
        return start_errors + middle_changes(misses, slopes, self.answer.tolerance)

    def _differences(self, cells: NDArray[np.int_], errors: Array) -> Array:
        changed = np.repeat(self.matrix.reshape(1, -1), len(cells), axis=0)
        changed[np.arange(len(cells)), cells] += errors
        made = _stage_of_copies(self.computation, self.stage, self.name, changed.reshape(-1, *self.matrix.shape))
        return (made - self.answer.values).reshape(len(cells), -1)

    def _fits(self, cells: NDArray[np.int_], errors: Array) -> NDArray[np.bool_]:
        return np.abs(self._differences(cells, errors)).max(axis=1) <= self.answer.tolerance

    def _value_with_fewest_decimals(self, cell: int, solved: float, correct_value: float) -> float:
        values = np.array([*(round(solved, decimals) for decimals in range(5)), solved])
        fits = self._fits(np.full(len(values), cell), values - correct_value)
        return float(values[np.argmax(fits)]) if fits.any() else solved


@cache
def _lines_of_a_head(pipeline: Pipeline) -> tuple[CodeLine, ...]:
    return tuple(line for line in pipeline_with_heads(pipeline).lines if {*line.gives} <= FROM_QUERIES_ON)


def _stage_of_copies(computation: EditedRun, stage: str, name: str, changed: Array) -> Array:
    """Return the matrix of a stage for many versions of an earlier matrix.

    `name` is the name of the earlier matrix, and `changed` has its versions along the first axis.
    """
    several = computation.has_several_heads
    names = computation.names | (
        {} if several else {IN_HEADS[each]: computation.names[each] for each in ("q", "k", "v")}
    )
    name = name if several else IN_HEADS.get(name, name)
    after = run(edited_lines(_lines_of_a_head(computation.pipeline), changed=(name,)), names | {name: changed})
    if stage in (*SCORES_TO_WEIGHTS, "heads") or not several:
        return np.asarray(after[stage if stage in SCORES_TO_WEIGHTS else "heads"])
    concat = merge_heads(after["heads"])
    return concat if stage == "concat" else concat @ names["w_o"] + names["b_o"]


# --- the search in all matrices ---

MOST_LISTED = 12
LEAST_CHANGE = 1e-3  # relative: a smaller change is rounding, and not another number
BY_CHANCE = 1e-2  # with a greater probability of a coincidence, a changed number proves nothing
MOST_TRIED = 12_000_000  # how many products a search may compute, and all searches of a diagnosis together
POWER = 15  # a power takes as long as this many products
SOLVED = ("q", "k", "v", "scores", "weights")  # the matrices that are searched for a changed number
AFTER = (*SCORES_TO_WEIGHTS, "heads", "concat", "output")


# How many products are left for all searches of one diagnosis, or None outside of one.
_LEFT: ContextVar[list[int] | None] = ContextVar("products_left", default=None)


@contextmanager
def one_budget() -> Generator[None, None, None]:
    """Let all searches in the `with` block together compute no more products than one search may alone."""
    token = _LEFT.set([MOST_TRIED])
    try:
        yield
    finally:
        _LEFT.reset(token)


def one_number(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return findings for the single numbers that, changed alone, explain an answer: at most `MOST_LISTED`.

    If only one number of the answer is wrong, this number comes first. Then come numbers of earlier matrices, those
    with few decimals first. The kind of the findings is "one_free" if the answer has too few independent numbers to
    prove a change.
    """
    expected = computation.expected(stage)
    if answer.values.shape != expected.shape or not answer.is_finite:
        return []
    wrong = np.argwhere(~answer.agrees(expected))
    if len(wrong) == 1 and expected.size > 1:
        own = _in_the_answer(answer, expected, stage, tuple(int(i) for i in wrong[0]))
        earlier = _earlier_numbers(computation, answer, stage, wrong) if own else []
        return [*own, *(Finding("one_number", changed=each) for each, _ in earlier[: MOST_LISTED - 1])]
    found = _earlier_numbers(computation, answer, stage, wrong)
    least = min((chance for _, chance in found), default=1.0)
    kind: Kind = "one_number" if least < BY_CHANCE else "one_free"
    return [Finding(kind, changed=each) for each, _ in found[:MOST_LISTED]] if least < 1 else []


def _earlier_numbers(
    computation: EditedRun, answer: Answer, stage: str, wrong: NDArray[np.int_]
) -> list[tuple[OneNumber, float]]:
    """Return the numbers of earlier matrices that explain an answer, each with the probability of a coincidence.

    `wrong` holds the places of the wrong numbers of the answer.
    """
    if stage not in AFTER:
        return []
    tried = [
        name
        for name in _affordable_matrices(computation, stage)
        if _may_reach(name, wrong, is_one_head=not computation.has_several_heads)
    ]
    found = [each for name in tried for each in NumberSearch(computation, answer, stage, name).explaining_numbers()]
    found = [each for each in found if _may_be_written(each, np.asarray(computation.names[each.stage], dtype=float))]
    n_tried = sum(np.size(computation.names[name]) for name in tried)
    chances = [
        _chance(computation, answer, stage, _count_independent(computation, stage, wrong, each.stage), n_tried)
        for each in found
    ]
    both = sorted(zip(found, chances, strict=True), key=lambda each: _sorting_key(each[0]))
    return [pair for each, chance in both for pair in _with_change_in_scaled(computation, stage, each, chance)]


def _sorting_key(changed: OneNumber) -> tuple[int, float]:
    return _n_decimals(changed.value), abs(changed.value - changed.correct_value)


def _with_change_in_scaled(
    computation: EditedRun, stage: str, changed: OneNumber, chance: float
) -> list[tuple[OneNumber, float]]:
    """Return `changed` with its probability `chance`. For a changed score, also return the changed scaled score.

    Both changes give the same result, so the answer cannot show which change was made.
    """
    if changed.stage != "scores" or stage == "scaled" or "scaled" in computation.changed | computation.settled:
        return [(changed, chance)]
    scores, scaled = (np.asarray(computation.names[name], dtype=float) for name in ("scores", "scaled"))
    factor = float(np.vdot(scaled, scores) / np.vdot(scores, scores)) if scores.any() else 0.0
    also = replace(changed, stage="scaled", value=changed.value * factor, correct_value=changed.correct_value * factor)
    return [(changed, chance), (also, chance)] if factor else [(changed, chance)]


def _in_the_answer(answer: Answer, expected: Array, stage: str, place: tuple[int, ...]) -> list[Finding]:
    value, instead = float(answer.values[place]), float(expected[place])
    if not np.isfinite(instead):
        return []
    return [Finding("one_number", changed=OneNumber(stage, place, value, instead))]


def _chance(computation: EditedRun, answer: Answer, stage: str, n_independent: int, n_tried: int) -> float:
    if n_independent <= 1:
        return 0.5
    spread = max(float(np.ptp(computation.expected(stage))), SMALLEST_SPREAD)
    by_chance = min(2 * max(answer.tolerance, SMALLEST_SPREAD) / spread, 1.0)
    return n_tried * by_chance ** (n_independent - 1)


def _count_independent(computation: EditedRun, stage: str, wrong: NDArray[np.int_], changed: str) -> int:
    """Return how many wrong numbers are independent of each other if a number of the matrix `changed` is wrong.

    For example, the weights of a row sum to 1, so of two weights in a row only one is independent.
    """
    rows = len({tuple(map(int, place[:-1])) for place in wrong})
    if changed in ("v", "weights") or stage not in ("weights", "output"):
        return len(wrong)
    seen = np.isfinite(computation.names["masked"]).sum(axis=-1)
    free = max(int(np.max(seen)) - 1, 1) * (np.size(seen) // max(np.shape(seen)[-1], 1))
    return sum(min(free, int((wrong[:, -2] == row).sum())) for row in np.unique(wrong[:, -2])) if rows else 0


def _may_be_written(changed: OneNumber, matrix: Array) -> bool:
    shows = abs(changed.value - changed.correct_value) > LEAST_CHANGE * max(1.0, abs(changed.correct_value))
    if changed.stage == "weights" and not 0 <= changed.value <= 1:
        return shows and is_writing_error(changed.value, changed.correct_value)
    return shows and is_plausible(changed.value, changed.correct_value, matrix)


def _affordable_matrices(computation: EditedRun, stage: str) -> Iterator[str]:
    left = _LEFT.get() or [MOST_TRIED]
    for name in _searchable_matrices(computation, stage):
        needed = _search_cost(computation, stage, name)
        if needed <= left[0]:
            left[0] -= needed
            yield name


def _searchable_matrices(computation: EditedRun, stage: str) -> list[str]:
    """Return the names of the matrices before a stage in which a single number may be wrong.

    Matrices that are known to be correct, or that somebody typed in, are left out.
    """
    several = computation.has_several_heads
    order = ["q", "k", *SCORES_TO_WEIGHTS, "v"]  # only the values come after the weights
    until = order.index(stage) if stage in order else None
    certain = computation.changed | computation.settled
    solved = {*SOLVED, *(["scaled"] if "scores" in certain else [])}  # otherwise `_with_change_in_scaled` adds them
    before = [each for each in order[:until] if each in solved and each not in certain]
    return [IN_HEADS.get(each, each) if several else each for each in before]


def can_search_everywhere(computation: EditedRun, stage: str) -> bool:
    """Return whether all matrices before a stage can be searched for a wrong number in a short time."""
    return (
        stage not in AFTER
        or sum(_search_cost(computation, stage, name) for name in _searchable_matrices(computation, stage))
        <= MOST_TRIED
    )


def _search_cost(computation: EditedRun, stage: str, name: str) -> int:
    """Return how many multiplications the search for a changed number of the matrix `name` takes.

    The search tries each number of the matrix, from several starting values.
    """
    matrix, scores, values = computation.names[name], np.size(computation.names["scores"]), computation.names["v"]
    once = matrix.size + scores * POWER
    if name not in SCORES_TO_WEIGHTS:
        once += scores * matrix.shape[-1]
    if stage not in SCORES_TO_WEIGHTS:
        once += scores * values.shape[-1]
    if computation.has_several_heads and stage == "output":
        once += np.size(computation.names["concat"]) * np.shape(computation.names["w_o"])[-1]
    return int(matrix.size * len(STARTS) * once)


def _may_reach(name: str, wrong: NDArray[np.int_], *, is_one_head: bool) -> bool:
    rows, columns = (len(np.unique(wrong[:, axis])) for axis in (-2, -1))
    if name.startswith("v"):
        return columns == 1 or not is_one_head
    return rows == 1 or name.startswith("k")


def _n_decimals(value: float) -> int:
    return next((decimals for decimals in range(5) if round(value, decimals) == value), 5)


# --- a few wrong numbers without a known cause ---

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
