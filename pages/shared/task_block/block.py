"""“Try it”: a task in words, and everything around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import streamlit as st

from attention_core.arithmetic import explain as explained
from attention_core.diagnosis.diagnose import Diagnosis, Finding
from attention_core.mistakes import Mistake
from attention_core.tasks.seeded import Task
from attention_core.tasks.task import Misreading, misreadings
from pages.shared.equation import equation, selected_cell
from pages.shared.notation.latex import turn_words
from pages.shared.notation.prose import typeset
from pages.shared.notation.symbols import matrix_id_of_stage
from pages.shared.rooms.own_room import Reference, offer_to_ask
from pages.shared.state import session, widgets
from pages.shared.task_block import answering, task_equation
from pages.shared.task_block.answering import TEXTS, Practice, Sheet, TaskParameters, blank_id, numbers_of, practice
from pages.shared.task_block.task_equation import lines, tokens_of

MOST_NAMED = 2  # mistakes that are named for one answer

# By concept and difficulty: the section that asks for the blank matrix.
ASKS: Mapping[str, tuple[str, str, str]] = {
    "softmax_axes": ("weights_with_powers_of_two", "weights_of_scores", "weights_of_scores"),
    "queries_keys_values": ("queries", "scores", "outputs_of_weights"),
    "scaling": ("scaled_scores", "scaled_scores", "weights_of_scaled_scores"),
    "attention": ("outputs_of_weights", "masked_weights", "masked_outputs"),
    "multi_head": ("two_heads_together", "two_heads_together", "two_heads_side_by_side"),
    "positional_encoding": ("encodings", "encodings", "sums_with_encodings"),
    "cross_attention": ("outputs_of_two_tokens", "weights_of_two_tokens", "outputs_of_two_tokens_from_scores"),
    "training_step": ("gradient_of_scaled_scores", "gradient_of_keys", "value_weights_after_a_step"),
    "next_word": ("logits", "chances", "chances_of_the_likeliest"),
}
TWO_DECIMALS = TEXTS.fill("two_decimals")


def question_text(task: Task, columns: bool = False) -> str:
    """Return the sentence that says what the learner has to compute."""
    d_model, d_k = task.trace.x.shape[-1], getattr(task.trace, "k", task.correct_answer).shape[-1]
    sizes = {"n": len(task.trace.x), "d_model": d_model, "d_k": d_k, "rate": getattr(task.trace, "rate", 0)}
    return TEXTS.fill(ASKS[task.concept][task.difficulty - 1], 2, columns, **sizes)


def verdict_text(task: Task, sheet: Sheet, columns: bool = False) -> str:
    """Return the verdict on an answer: how many cells are correct."""
    numbers = numbers_of(sheet.checked) if sheet.checked and not sheet.done else sheet.numbers
    marks = task.correct_cells(numbers)
    if marks.all():
        return TEXTS.fill("all_right")
    counts = {"right": int(marks.sum()), "cells": marks.size, "missing": sheet.missing}
    if sheet.missing:
        return TEXTS.fill("answer_with_one_empty_cell" if sheet.missing == 1 else "answer_with_empty_cells", **counts)
    finding = _misread(task, numbers, columns) or _finding_title(task.diagnose(numbers), columns)
    return TEXTS.fill("some_are_right" if sheet.done else "some_are_to_correct", finding=finding, **counts)


def misreading_of(task: Task, numbers: np.ndarray) -> Misreading | None:
    """Return the known misreading of the task that gives these numbers, or None."""
    return next((each for each in misreadings(task) if task.fits(each.answer, numbers)), None)


def _misread(task: Task, numbers: np.ndarray, columns: bool) -> str:
    found = misreading_of(task, numbers)
    return TEXTS.fill("known_mistake", mistake=_mistake(found, columns)) if found else ""


def missing_cells_text(sheet: Sheet) -> str:
    """Return a sentence that says how many cells are still empty. A task with empty cells is not marked."""
    return TEXTS.fill("one_cell_is_missing" if sheet.missing == 1 else "cells_are_missing", missing=sheet.missing)


def score_text(practice: Practice) -> str:
    """Return a text that says how many of the tasks on this visit were solved, and how many in a row."""
    counts = {"right": practice.right, "done": practice.done, "streak": practice.streak}
    return TEXTS.fill("score_with_streak" if practice.streak > 1 else "score", **counts)


def _finding_title(found: Diagnosis, columns: bool) -> str:
    mistakes = [_finding_text(finding, columns) for finding in found.findings if finding.mistakes]
    if len(mistakes) > 1:
        return "\n".join([TEXTS.fill("several_mistakes"), "", *(f"- {each}" for each in mistakes[:MOST_NAMED]), "\n"])
    if mistakes:
        return TEXTS.fill("known_mistake", mistake=mistakes[0])
    if any(finding.kind == "transposed" for finding in found.findings):
        return TEXTS.fill("transposed", 2, columns)
    for finding in found.findings:
        if finding.kind == "reordered":
            return TEXTS.fill("reordered", 2, columns, places=", ".join(str(place + 1) for place in finding.order))
    return TEXTS.fill("no_usual_mistake")


def _finding_text(finding: Finding, columns: bool) -> str:
    first, *others = (_mistake(mistake, columns) for mistake in finding.mistakes)
    return TEXTS.fill("two_mistakes", first=first, second=others[0]) if others else first


def _mistake(mistake: Mistake | Misreading, columns: bool) -> str:
    text = f"*{typeset(mistake.title)}.* {typeset(mistake.why)}"
    return turn_words(text) if columns else text


def try_it(parameters: TaskParameters, example: Any) -> None:
    """Draw the block “Try it”: a button that opens a task or, if one is open, this task with its blank matrix.

    `example` is not used, because every task has its own numbers.
    """
    answering.mark()
    task = answering.current_task()
    if task is None:
        label, icon = TEXTS.fill("invitation"), ":material/edit_note:"
        st.button(label, icon=icon, type="primary", key="practice.open", on_click=answering.open_task)
        return
    sheet = answering.sheet_of(task)
    question = question_text(task, parameters.columns)
    st.markdown(TEXTS.fill("task_in_words", question=question, seed=task.seed, level=task.difficulty))
    equation(lines(task, sheet, parameters.columns), f"task.{task.seed}.{task.difficulty}", parameters, blank=answering)
    _draw_result(task, sheet, parameters)
    _buttons(task, sheet, parameters)


def _draw_result(task: Task, sheet: Sheet, parameters: TaskParameters) -> None:
    """Draw what follows the equation of a task: the verdict on the answer, a hint, and the calculation of a cell."""
    if sheet.done or sheet.checked:
        st.markdown(verdict_text(task, sheet, parameters.columns))
    if sheet.hinted and not sheet.done and sheet.stage < task_equation.STAGES:
        st.markdown(f":material/lightbulb: {task_equation.hint_text(task, sheet.hinted, sheet.stage, parameters)}")
    if practice().refused == answering.key_of(task) and sheet.missing:
        st.markdown(missing_cells_text(sheet))
    place = _worked_place(task, sheet)
    if place:
        tokens, keys = tokens_of(task)
        selected_cell.card(
            selected_cell.arithmetic_text(
                explained(task.worked, matrix_id_of_stage(task.asked), place), tokens, keys, parameters
            )
        )


def _worked_place(task: Task, sheet: Sheet) -> tuple[int, int] | None:
    """Return the row and column of the cell whose calculation is shown, or None."""
    if not sheet.done:
        return sheet.hinted if sheet.stage == task_equation.STAGES else None
    chosen = session.visit().cell
    if chosen is None or chosen[0] != blank_id(task):
        return None
    rows, columns = task.correct_answer.shape
    return chosen[1:] if chosen[1] < rows and chosen[2] < columns else None


def _buttons(task: Task, sheet: Sheet, parameters: TaskParameters) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="practice"):
        if sheet.done:
            _button("show_worked_cell", "calculate", answering.show_calculation)
        else:
            _button("commit", "task_alt", answering.commit, "primary")
            _button("hint", "lightbulb", task_equation.hint)
            _button("show_the_answer", "visibility", answering.show_answer)
        _button("new_task", "refresh", answering.open_task)
        widgets.draw(parameters, "difficulty")
        question = Reference("task", task.concept, task.seed, task.difficulty)
        refusal = offer_to_ask(TEXTS.fill("ask_the_class"), question)
        _button("close", "close", answering.close, "tertiary")
    if refusal:
        st.warning(refusal)
    if practice().done:
        st.caption(score_text(practice()))


def _button(
    section: str,
    icon: str,
    on_click: Callable[[], None],
    type: Literal["primary", "secondary", "tertiary"] = "secondary",
) -> None:
    st.button(TEXTS.fill(section), icon=f":material/{icon}:", type=type, on_click=on_click)


__all__ = [
    "TaskParameters",
    "try_it",
]
