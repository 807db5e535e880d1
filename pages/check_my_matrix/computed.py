"""The task and the diagnosis of what a visitor has entered: each is computed once, and not at each press."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from attention_core.caching import cache_recent
from attention_core.diagnosis.answer import Diagnosis
from attention_core.diagnosis.pasted import Problem, diagnose_pasted
from attention_core.examples import Example
from attention_core.turns import in_turn
from pages.check_my_matrix import problem
from pages.check_my_matrix.reading import read

NUMBERS_A_SECOND = 10  # a diagnosis lets others pass for a second for so many numbers of its result


def problem_or_question(parameters: Any, example: Example) -> Problem | str:
    """Return the visitor's task, or a sentence that says which matrix is missing or does not fit."""
    return _problem_or_question(_without_looks(replace(parameters, answer="")), example)


def diagnosis_of(parameters: Any, task: Problem) -> Diagnosis:
    """Return what explains the visitor's answer to the task `task`."""
    return _diagnosis_of(_without_looks(parameters), task)


def _without_looks(parameters: Any) -> Any:
    """Return the parameters without those that change only what is shown: the selected cell and the decimals."""
    return replace(parameters, cell=None, digits="")


_problem_or_question = cache_recent(problem.problem_or_question)


def _patience(parameters: Any, task: Problem) -> float:
    return task.correct_result.size / NUMBERS_A_SECOND


@cache_recent
@partial(in_turn, patience=_patience)
def _diagnosis_of(parameters: Any, task: Problem) -> Diagnosis:
    answer: Any = read(parameters, "answer")  # the page asks only if an answer can be read
    return diagnose_pasted(task, answer, problem.pasted_steps(parameters, task))
