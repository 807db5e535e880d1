"""What is true of a pasted result, and the first place that is not: the first two sentences of a verdict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.finding import Diagnosis, StepFound
from attention_core.diagnosis.pasted import Problem, right_cells
from attention_core.diagnosis.stages import matrix_at
from attention_core.reading.matrix_text import MatrixText
from pages.shared.lessons.check_my_matrix.places import cell, join_names, were, what
from pages.shared.notation.numbers import number

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def true_part(problem: Problem, answer: MatrixText, found: Diagnosis) -> str:
    """Say what of a wrong result is true: which steps, and which rows or numbers of it. Return "" if nothing is."""
    steps = _right_steps(found.steps[:-1])
    if answer.values.shape != problem.right.shape:
        return steps
    right = right_cells(problem, answer)
    return " ".join(filter(None, (steps, _rows(right, problem.stage) if right.any() or not steps else "")))


def _right_steps(steps: Sequence[StepFound]) -> str:
    names = [what(step.stage) for step in steps if step.kind == "right"]
    near = [what(step.stage) for step in steps if step.kind == "near"]
    told = [f"Your {join_names(names)} are right." if names else ""]
    told.append(f"Your {join_names(near)} are as near as rounding explains." if near else "")
    return " ".join(filter(None, told))


def _rows(right: np.ndarray, stage: str) -> str:
    """Say which rows are right, or how many numbers."""
    rows = [bool(row.all()) for row in right]
    n_first = rows.index(False) if False in rows else len(rows)
    if n_first:
        return f"The first row of your {what(stage)} is right." if n_first == 1 else (
            f"The first {_in_words(n_first)} rows of your {what(stage)} are right."
        )  # fmt: skip
    if any(rows):
        good = [str(row + 1) for row, is_right in enumerate(rows) if is_right]
        return (
            f"Row {good[0]} of your {what(stage)} is right."
            if len(good) == 1
            else f"Rows {join_names(good)} are right."
        )
    if right.any():
        return f"{int(right.sum())} of {right.size} numbers of your {what(stage)} are right."
    has = "has" if were(stage) == "was" else "have"
    return f"Your {what(stage)} {has} the right shape, {len(right)}×{right.shape[1]}."


def _in_words(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else str(n)


def first_wrong_part(problem: Problem, answer: MatrixText, found: Diagnosis) -> str:
    """Say which number is the first that is not right, and what it should be."""
    if found.first_wrong_cell is None:
        return ""
    stage, row, column = found.first_wrong_cell
    wrong = next((step for step in found.steps if step.kind == "wrong"), None)
    if wrong is not None:
        return wrong_step(problem, wrong)
    if answer.values.shape != problem.right.shape:
        return _of_shape(problem, answer)
    value, right = (float(m[row, column]) for m in (answer.values, problem.right))
    return f"{_place(stage, (row, column))} {_values(value, right)}"


def _right(value: float, right: float) -> str:
    """Write a right number with as many digits as tell it from the wrong one."""
    return f"${number(right)}$" if number(right) != number(value) else f"${right:.8g}$"


def wrong_step(problem: Problem, step: StepFound) -> str:
    """Say which number of a step is the first that is not right, or that its shape is not."""
    if step.instead == step.instead:
        return f"{_place(step.stage, step.place)} {_values(step.value, step.instead)}"
    return f"Your {what(step.stage)} have another shape: they should be {_size(matrix_at(problem.trace, step.stage))}."


def _place(stage: str, place: Sequence[int]) -> str:
    return f"The first number of yours that is wrong is {cell(place)} of the {what(stage)}."


def _values(value: float, right: float) -> str:
    """Say what a number is, and what it should be."""
    is_written = "no number (NaN)" if np.isnan(value) else f"${number(value)}$"
    return f"It is {is_written}, and should be {_right(value, right)}."


def _of_shape(problem: Problem, answer: MatrixText) -> str:
    told = f"The {what(problem.stage)} must be {_size(problem.right)}; yours is {_size(answer.values)}."
    return told + _whose_rows(problem, len(answer.values))


def _whose_rows(problem: Problem, n_rows: int) -> str:
    """Say where a wrong number of rows may come from."""
    asks, answers = len(problem.example.tokens), len(problem.example.key_tokens)
    if n_rows == answers != asks:
        return " That is a row for each token of the context; there should be one for each token that asks."
    return ""


def _size(values: Array) -> str:
    return "×".join(map(str, values.shape))
