"""Check that a task is fair: its numbers are easy to compute with, and each mistake gives another answer."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from attention_core.checks import Array
from attention_core.tasks.own_steps import OwnSteps
from attention_core.tasks.task import Task, TaskMistake

GREATEST = 99  # the greatest number that a task may contain
MOST_ZEROS = 1 / 3  # the greatest fraction of zeros in a matrix, because multiplying by 0 is no exercise
WIDEST = 0.05  # the greatest width of a range of accepted numbers, as a fraction of the greatest number


def is_fair(made: Task) -> bool:
    """Return whether a task is fair: it has good numbers, and its answer shows which mistake was made.

    No mistake may give an answer that would be marked correct, or the same answer as another mistake.
    """
    return has_good_numbers(made) and not hidden_mistakes(made) and not alike(made)


def has_good_numbers(made: Task) -> bool:
    """Return whether a task has good numbers.

    No number is large, few numbers are 0, all positions are different, and rounding the steps hardly changes the
    answer.
    """
    shown = [made.matrix(name) for name in made.given] + [made.right]
    distinct = "positions" not in made.given or len(set(made.trace.positions.tolist())) == len(made.trace.positions)
    steady = (made.most - made.least).max() <= WIDEST * max(1.0, float(np.abs(made.right).max()))
    clear = not isinstance(made.trace, OwnSteps) or made.trace.is_clear
    return distinct and clear and bool(steady) and all(map(_has_easy_numbers, shown))


def hidden_mistakes(made: Task) -> tuple[TaskMistake, ...]:
    """Return the mistakes whose wrong answer would be marked correct, because rounding may explain the difference."""
    return tuple(mistake for mistake in made.mistakes if _may_be_marked_correct(made, made.wrong(mistake)))


def _may_be_marked_correct(made: Task, wrong: Array) -> bool:
    """Return whether the answer `wrong` would be marked correct, because rounding can explain every difference."""
    return not ((wrong < made.least - made.room) | (wrong > made.most + made.room)).any()


def alike(made: Task) -> tuple[tuple[TaskMistake, TaskMistake], ...]:
    """Return each pair of mistakes that give the same answer, up to rounding of the steps."""
    wrong = {mistake: made.wrong(mistake) for mistake in made.mistakes}
    pairs = combinations(wrong, 2)
    return tuple((a, b) for a, b in pairs if not (np.abs(wrong[a] - wrong[b]) > 2 * made.room).any())


def _has_easy_numbers(matrix: Array) -> bool:
    """Return whether no number of a matrix is too large, and few of its numbers are 0."""
    return bool(np.abs(matrix).max() <= GREATEST and np.count_nonzero(matrix == 0) <= MOST_ZEROS * matrix.size)
