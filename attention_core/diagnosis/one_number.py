"""Find the numbers that, changed alone, give an answer if all later steps are correct.

A changed number is claimed only if somebody may have written that value there, and if enough other numbers agree to
prove it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array
from attention_core.diagnosis.answer import SMALLEST_SPREAD, Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding, Kind, OneNumber
from attention_core.diagnosis.number_search import STARTS, NumberSearch
from attention_core.diagnosis.plausible import is_plausible, is_writing_error
from attention_core.mistakes.engine.named_traces import SCORES_TO_WEIGHTS
from attention_core.mistakes.engine.rewriting import IN_HEADS

MOST_LISTED = 12
LEAST_CHANGE = 1e-3  # relative: a smaller change is rounding, and not another number
BY_CHANCE = 1e-2  # with a greater probability of a coincidence, a changed number proves nothing
MOST_TRIED = 12_000_000  # how many products the whole search may compute
POWER = 15  # a power takes as long as this many products
SOLVED = ("q", "k", "v", "scores", "weights")  # the matrices that are searched for a changed number
AFTER = (*SCORES_TO_WEIGHTS, "heads", "concat", "output")


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
    """Return a key for sorting changed numbers: first by the number of decimals, then by the size of the change."""
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
    """Return a finding for the only wrong number of an answer, at `place`, or [] if the correct number is infinite."""
    value, instead = float(answer.values[place]), float(expected[place])
    if not np.isfinite(instead):
        return []
    return [Finding("one_number", changed=OneNumber(stage, place, value, instead))]


def _chance(computation: EditedRun, answer: Answer, stage: str, n_independent: int, n_tried: int) -> float:
    """Return the probability that one of `n_tried` changed numbers explains an answer by chance.

    `n_independent` is how many wrong numbers of the answer are independent of each other. If it is 1, a change of any
    number can explain the answer. Then return 0.5, which proves nothing.
    """
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
    """Return whether somebody may have written a wrong number: it is plausible, and not nearly the correct number."""
    shows = abs(changed.value - changed.correct_value) > LEAST_CHANGE * max(1.0, abs(changed.correct_value))
    if changed.stage == "weights" and not 0 <= changed.value <= 1:
        return shows and is_writing_error(changed.value, changed.correct_value)
    return shows and is_plausible(changed.value, changed.correct_value, matrix)


def _affordable_matrices(computation: EditedRun, stage: str) -> Iterator[str]:
    """Yield the names of the matrices before a stage that can be searched for a wrong number in a short time."""
    left = MOST_TRIED
    for name in _searchable_matrices(computation, stage):
        needed = _search_cost(computation, stage, name)
        if needed <= left:
            left -= needed
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
    """Return whether one changed number of the matrix `name` can cause wrong numbers at all places `wrong`.

    A number of V changes one column of the output. A number of K can change all rows. A number of any other matrix
    changes one row.
    """
    rows, columns = (len(np.unique(wrong[:, axis])) for axis in (-2, -1))
    if name.startswith("v"):
        return columns == 1 or not is_one_head
    return rows == 1 or name.startswith("k")


def _n_decimals(value: float) -> int:
    """Return how many decimals are needed to write a value, at most 5."""
    return next((decimals for decimals in range(5) if round(value, decimals) == value), 5)
