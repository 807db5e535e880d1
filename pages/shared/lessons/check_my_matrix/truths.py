"""The first two sentences of a verdict: which part of a result is right, and the first wrong number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.diagnosis.answer import Diagnosis, StepFound
from attention_core.diagnosis.pasted import Problem, correct_cells
from attention_core.diagnosis.stages import matrix_at
from attention_core.reading.matrix_text import MatrixText
from pages.shared.lessons.check_my_matrix.pairs_of_values import two_numbers
from pages.shared.lessons.check_my_matrix.places import (
    join_names,
    matrix_name,
    number_in_words,
    place_in_matrix_text,
    place_text,
    shape_text,
    verb_form,
    was_or_were,
)

MOST_ROWS = 6  # the most rows that are listed one by one


def correct_part_text(problem: Problem, answer: MatrixText, found: Diagnosis) -> str:
    """Return sentences that say which steps, rows or numbers of a wrong result are correct, or "" if none is."""
    steps = _right_steps(found.steps[:-1])
    if answer.values.shape != problem.correct_result.shape:
        return steps
    right = correct_cells(problem, answer)
    return " ".join(filter(None, (steps, _correct_rows_text(right, problem.stage) if right.any() or not steps else "")))


def _right_steps(steps: Sequence[StepFound]) -> str:
    told = []
    for kind, right in {
        "right": "correct",
        "near": "correct, except for differences that rounding may explain",
    }.items():
        stages = [step.stage for step in steps if step.kind == kind]
        are = "are" if len(stages) > 1 or (stages and was_or_were(stages[0]) == "were") else "is"
        told += [f"Your {join_names([matrix_name(stage) for stage in stages])} {are} {right}."] if stages else []
    return " ".join(told)


def _correct_rows_text(is_correct: np.ndarray, stage: str) -> str:
    """Return a sentence that says which rows, or how many numbers, of a result are correct.

    `is_correct` has True for each correct number. If no number is correct, the sentence says that the shape is correct.
    """
    good = np.flatnonzero(is_correct.all(axis=1)).tolist()
    if len(good) > MOST_ROWS and good != list(range(len(good))):
        return f"{len(good)} of {len(is_correct)} rows of your {matrix_name(stage)} are correct."
    if good == [0]:
        return f"The first row of your {matrix_name(stage)} is correct."
    if len(good) == 1:
        return f"Row {good[0] + 1} of your {matrix_name(stage)} is correct."
    if good == list(range(len(good))) and good:
        return f"The first {number_in_words(len(good))} rows of your {matrix_name(stage)} are correct."
    if good:
        return f"Rows {join_names([str(row + 1) for row in good])} of your {matrix_name(stage)} are correct."
    if is_correct.any():
        n, verb = int(is_correct.sum()), "is" if is_correct.sum() == 1 else "are"
        return f"{n} of {is_correct.size} numbers of your {matrix_name(stage)} {verb} correct."
    shape = f"{len(is_correct)}×{is_correct.shape[1]}"
    return f"Your {matrix_name(stage)} {verb_form(stage, 'have')} the correct shape, {shape}."


def first_wrong_text(problem: Problem, answer: MatrixText, found: Diagnosis) -> str:
    """Return sentences with the first wrong number and its correct value, or "" if no number is wrong."""
    if found.first_wrong_cell is None:
        return ""
    stage, row, column = found.first_wrong_cell
    wrong = next((step for step in found.steps if step.kind == "wrong"), None)
    if wrong is not None:
        return wrong_step_text(problem, wrong)
    if answer.values.shape != problem.correct_result.shape:
        return _of_shape(problem, answer)
    value, right = (float(m[row, column]) for m in (answer.values, problem.correct_result))
    return f"{_place(stage, (row, column))} {_value_text(value, right, answer.decimals)}"


def first_difference_text(problem: Problem, answer: MatrixText) -> str:
    """Return sentences with the first number that differs from the correct one, even if only in its last digit.

    Return "" if no number differs.
    """
    off = np.argwhere(~correct_cells(problem, answer))
    if not len(off):
        return ""
    row, column = off[0].tolist()
    value, right = two_numbers(
        float(answer.values[row, column]), float(problem.correct_result[row, column]), answer.decimals
    )
    place = place_text((row, column))
    return f"The first number that differs is in {place}. It is ${value}$; the correct one is ${right}$."


def wrong_step_text(problem: Problem, step: StepFound) -> str:
    """Return a sentence with the first wrong number of a step and its correct value.

    If the shape of the step is wrong, the sentence gives the correct shape.
    """
    if step.correct_value == step.correct_value:
        return f"{_place(step.stage, step.place)} {_value_text(step.value, step.correct_value)}"
    wanted = shape_text(matrix_at(problem.trace, step.stage))
    return (
        f"Your {matrix_name(step.stage)} {verb_form(step.stage, 'have')} another shape. The correct shape is {wanted}."
    )


def _place(stage: str, place: Sequence[int]) -> str:
    return f"The first wrong number is in {place_in_matrix_text(stage, place, 'your')}."


def _value_text(value: float, right: float, decimals: int | None = None) -> str:
    """Return a sentence with a number, `value`, and its correct value, `right`."""
    written, wanted = two_numbers(value, right, decimals)
    is_written = "NaN (not a number)" if np.isnan(value) else f"${written}$"
    return f"It is {is_written}, but it should be ${wanted}.$"


def _of_shape(problem: Problem, answer: MatrixText) -> str:
    matrix, have = matrix_name(problem.stage), verb_form(problem.stage, "have")
    told = (
        f"The correct {matrix} {have} the shape {shape_text(problem.correct_result)}, "
        f"but yours {have} the shape {shape_text(answer.values)}."
    )
    return told + _wrong_rows_text(problem, len(answer.values))


def _wrong_rows_text(problem: Problem, n_rows: int) -> str:
    """Return a sentence about what may have caused a wrong number of rows, or "" if nothing is known."""
    asks, answers = len(problem.example.tokens), len(problem.example.key_tokens)
    if n_rows == answers != asks:
        return " You have a row for each token of the context. There should be a row for each token that has a query."
    return ""
