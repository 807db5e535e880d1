"""The greatest error of a matrix if the steps before it are rounded, and whether it explains an answer."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, SMALLEST_SPREAD, Answer
from attention_core.diagnosis.bounds import greatest_errors, steps_changed_by_rounding
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.stages import name_of

NEAR_BY_CHANCE = 1e-4  # if random numbers are as near with a greater probability, nearness proves nothing
TINY = 1e-12
MOSTLY = 20  # the error of a number is mostly more than a twentieth of its greatest error
TOO_MANY_BY_CHANCE = 1e-3  # with a smaller probability of so many correct numbers, it was not rounding
OFTEN = 5  # the error of a number is often a fifth of its greatest error


def probability_of_nearness(bound: Array, wanted: Array) -> float:
    """Return the probability that random numbers differ from the matrix `wanted` by at most `bound`."""
    finite = wanted[np.isfinite(wanted)]
    spread = max(float(np.ptp(finite)) if finite.size else 0.0, SMALLEST_SPREAD)
    return float(np.exp(np.log(np.clip(2 * bound / spread, TINY, 1.0)).sum()))


def chance_of_rounding(computation: EditedRun, answer: Answer, stage: str, decimals: int) -> float:
    """Return the probability that random errors explain the wrong numbers of an answer.

    The random errors are about as large as the errors from rounding to `decimals` decimals. Wrong numbers of the same
    magnitude count once. A single wrong number gives a large probability, because it may be a slip of the pen. A wrong
    shape gives 1.
    """
    if answer.values.shape != computation.expected(stage).shape:
        return 1.0
    wanted = computation.expected(stage)
    off = ~answer.agrees(wanted)
    usual = (
        greatest_error_of(computation, stage, {}, other_decimals=decimals, decimals_of_stage=decimals) / OFTEN
        + answer.tolerance
    )
    _, first = np.unique(np.abs(wanted[off]).round(answer.decimals), return_index=True)
    return float(np.prod((answer.tolerance / usual)[off][first]))


def is_near(computation: EditedRun, answer: Answer, stage: str, decimals: int) -> bool:
    """Return whether rounding every step to `decimals` decimals explains an answer.

    Return False if random numbers would be as near to the correct matrix, or if the answer has more correct numbers
    than rounding would leave.
    """
    wanted = computation.expected(stage)
    if answer.values.shape != wanted.shape or not FEWEST_DECIMALS <= answer.decimals < MOST_DECIMALS:
        return False
    bound = greatest_error_of(computation, stage, {}, other_decimals=decimals, decimals_of_stage=decimals)
    if not answer.agrees(wanted, bound).all() or probability_of_nearness(bound, wanted) > NEAR_BY_CHANCE:
        return False
    return not _are_too_many_right(answer, wanted, bound)


def _are_too_many_right(answer: Answer, wanted: Array, bound: Array) -> bool:
    """Return whether more numbers are exactly correct than rounded steps would leave correct.

    `bound` is the greatest error that rounding can make in each number of `wanted`, the correct matrix.
    """
    right = answer.agrees(wanted) & (bound > 0)
    as_right = np.minimum(answer.tolerance / np.maximum(bound / MOSTLY, TINY), 1.0)
    return bool(np.prod(as_right[right]) < TOO_MANY_BY_CHANCE)


def greatest_error_of(
    computation: EditedRun,
    stage: str,
    decimals_of_steps: Mapping[str, int],
    other_decimals: int,
    decimals_of_stage: int,
) -> Array:
    """Return the greatest error of each number of a matrix if the steps before it are rounded.

    `decimals_of_steps` has the number of decimals of some steps, by name. All other steps are rounded to
    `other_decimals` decimals. The matrix itself and the numbers inside its step, such as the root of d_k, are rounded
    to `decimals_of_stage` decimals.
    """
    name = name_of(stage)
    before = steps_changed_by_rounding(computation.pipeline, computation.names, name, other_decimals)
    before = {each: decimals for each, decimals in before.items() if each not in computation.changed}
    return greatest_errors(
        computation.pipeline,
        computation.names,
        {**before, **decimals_of_steps, name: decimals_of_stage},
        computation.changed,
    )[name]
