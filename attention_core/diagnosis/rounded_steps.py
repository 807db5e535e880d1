"""Rounded steps: the greatest error of a matrix if the steps before it are rounded, and what that proves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, SMALLEST_SPREAD, Answer
from attention_core.diagnosis.bounds import bounds, steps_changed_by_rounding
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.stages import name_of

NEAR_BY_CHANCE = 1e-4  # if random numbers are as near with a greater probability than this, being near proves nothing
TINY = 1e-12
MOSTLY = 20  # a number is mostly off by more than a twentieth of what rounding may change it by
TOO_MANY_BY_CHANCE = 1e-3  # if rounding leaves so many numbers right with a smaller probability, it is no explanation
OFTEN = 5  # a number is often off by a fifth of what rounding may change it by


def share(bound: Array, wanted: Array) -> float:
    """Return the probability that random numbers differ from `wanted` by at most `bound`. It may be nearly 0."""
    finite = wanted[np.isfinite(wanted)]
    spread = max(float(np.ptp(finite)) if finite.size else 0.0, SMALLEST_SPREAD)
    return float(np.exp(np.log(np.clip(2 * bound / spread, TINY, 1.0)).sum()))


def chance_of_rounding(work: EditedRun, answer: Answer, stage: str, decimals: int) -> float:
    """Return the probability that random errors equal the errors of an answer.

    The random errors are as large as rounding to `decimals` decimals usually makes them. Only wrong numbers of the
    answer count. Numbers that should be equal count once. With one wrong number, the probability is not small enough to
    exclude a slip of the pen. With a wrong shape, it is 1.
    """
    if answer.values.shape != work.expected(stage).shape:
        return 1.0
    wanted = work.expected(stage)
    off = ~answer.agrees(wanted)
    usual = bound_of(work, stage, {}, hidden=decimals, last=decimals) / OFTEN + answer.tolerance
    _, first = np.unique(np.abs(wanted[off]).round(answer.decimals), return_index=True)
    return float(np.prod((answer.tolerance / usual)[off][first]))


def is_near(work: EditedRun, answer: Answer, stage: str, decimals: int) -> bool:
    """Say whether an answer may come from rounding every step to `decimals` decimals.

    Return False if it may as well be near the right matrix by chance, or if more of its numbers are right than after
    rounding.
    """
    wanted = work.expected(stage)
    if answer.values.shape != wanted.shape or not FEWEST_DECIMALS <= answer.decimals < MOST_DECIMALS:
        return False
    bound = bound_of(work, stage, {}, hidden=decimals, last=decimals)
    if not answer.agrees(wanted, bound).all() or share(bound, wanted) > NEAR_BY_CHANCE:
        return False
    return not _are_too_many_right(answer, wanted, bound)


def _are_too_many_right(answer: Answer, wanted: Array, bound: Array) -> bool:
    """Say whether more numbers are right to the last digit than rounded steps would leave right.

    `bound` holds the greatest error that rounding of the steps can make in each number of `wanted`, the right matrix.
    """
    right = answer.agrees(wanted) & (bound > 0)
    as_right = np.minimum(answer.tolerance / np.maximum(bound / MOSTLY, TINY), 1.0)
    return bool(np.prod(as_right[right]) < TOO_MANY_BY_CHANCE)


def bound_of(work: EditedRun, stage: str, shown: Mapping[str, int], hidden: int, last: int) -> Array:
    """Return the greatest error of each number of a matrix if the steps before it are rounded.

    A step in `shown` is rounded to its number of decimals there. Steps that are not in `shown` are rounded to `hidden`
    decimals. The matrix itself is rounded to `last` decimals, and so may be the numbers inside its step, such as the
    root of d_k.
    """
    name = name_of(stage)
    before = steps_changed_by_rounding(work.pipeline, work.names, name, hidden)
    before = {each: decimals for each, decimals in before.items() if each not in work.changed}
    return bounds(work.pipeline, work.names, {**before, **shown, name: last}, work.changed)[name]
