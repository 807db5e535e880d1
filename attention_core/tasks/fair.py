"""Check that a task is fair: its numbers are easy to compute with, and each mistake gives another answer."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from attention_core.checks import Array
from attention_core.tasks.own_steps import TaskComputation
from attention_core.tasks.task import Task, TaskMistake

GREATEST = 99  # the greatest number that a task may contain
MOST_ZEROS = 1 / 3  # the greatest fraction of zeros in a matrix, because multiplying by 0 is no exercise
WIDEST = 0.05  # the greatest width of a range of accepted numbers, as a fraction of the greatest number


def is_fair(task: Task) -> bool:
    """Return whether a task is fair: it has good numbers, and its answer shows which mistake was made.

    No mistake may give an answer that would be marked correct, or the same answer as another mistake.
    """
    return has_good_numbers(task) and not hidden_mistakes(task) and not mistakes_with_same_answer(task)


def has_good_numbers(task: Task) -> bool:
    """Return whether a task has good numbers.

    No number is large, few numbers are 0, no two tokens have the same position, and rounding the steps hardly changes
    the answer.
    """
    shown = [task.matrix(name) for name in task.given] + [task.correct_answer]
    distinct = "positions" not in task.given or len(set(task.trace.positions.tolist())) == len(task.trace.positions)
    steady = (task.most - task.least).max() <= WIDEST * max(1.0, float(np.abs(task.correct_answer).max()))
    clear = not isinstance(task.trace, TaskComputation) or task.trace.is_clear
    return distinct and clear and bool(steady) and all(map(_has_easy_numbers, shown))


def hidden_mistakes(task: Task) -> tuple[TaskMistake, ...]:
    """Return the mistakes whose wrong answer would be marked correct, because rounding may explain the difference."""
    return tuple(mistake for mistake in task.mistakes if _may_be_marked_correct(task, task.wrong_answer(mistake)))


def _may_be_marked_correct(task: Task, wrong: Array) -> bool:
    """Return whether the answer `wrong` would be marked correct, because rounding can explain every difference."""
    return not (
        (wrong < task.least - task.greatest_rounding_error) | (wrong > task.most + task.greatest_rounding_error)
    ).any()


def mistakes_with_same_answer(task: Task) -> tuple[tuple[TaskMistake, TaskMistake], ...]:
    """Return each pair of mistakes that give the same answer, up to rounding of the steps."""
    wrong = {mistake: task.wrong_answer(mistake) for mistake in task.mistakes}
    pairs = combinations(wrong, 2)
    return tuple((a, b) for a, b in pairs if not (np.abs(wrong[a] - wrong[b]) > 2 * task.greatest_rounding_error).any())


def _has_easy_numbers(matrix: Array) -> bool:
    """Return whether no number of a matrix is too large, and few of its numbers are 0."""
    return bool(np.abs(matrix).max() <= GREATEST and np.count_nonzero(matrix == 0) <= MOST_ZEROS * matrix.size)
