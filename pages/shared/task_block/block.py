"""The block “Try it” on a page: a button, or the open task with its equation, its marks and its verdict."""

from __future__ import annotations

from typing import Any

import streamlit as st

from attention_core.arithmetic import explain as explained
from attention_core.tasks.seeded_tasks import Task
from pages.shared.equation import equation, selected_cell
from pages.shared.notation.symbols import matrix_id_of_stage
from pages.shared.rooms.opening import offer_to_ask
from pages.shared.rooms.references import Reference
from pages.shared.state import session, widgets
from pages.shared.task_block import answering, hints, task_words
from pages.shared.task_block.answering import TaskParameters, blank_id
from pages.shared.task_block.sheets import Sheet, practice
from pages.shared.task_block.task_equation import lines, tokens_of

__all__ = ["TaskParameters", "try_it"]

TWO_DECIMALS = "Two decimals are enough, also for the steps before the result. Fractions are allowed too."
INVITATION = "Try it: a task with new numbers, and the name of your mistake if you make one"


def try_it(parameters: TaskParameters, example: Any) -> None:
    """Draw the block “Try it”: a button that opens a task or, if one is open, this task with its blank matrix.

    `example` is not used, because every task has its own numbers.
    """
    answering.mark()
    task = answering.current_task()
    if task is None:
        st.button(INVITATION, icon=":material/edit_note:", key="practice.open", on_click=answering.open_task)
        return
    sheet = answering.sheet_of(task)
    number = f":gray[Task {task.seed}, difficulty {task.difficulty}.]"
    st.markdown(parameters.in_layout(f"## Try it\n\n**{task_words.question_text(task)}** {TWO_DECIMALS} {number}"))
    equation(lines(task, sheet), f"task.{task.seed}.{task.difficulty}", parameters, blank=answering)
    _draw_result(task, sheet, parameters)
    _buttons(task, sheet, parameters)


def _draw_result(task: Task, sheet: Sheet, parameters: TaskParameters) -> None:
    """Draw what follows the equation of a task: the verdict on the answer, a hint, and the calculation of a cell.

    Each of these is drawn only after the learner has asked for it. If some cells are empty, so that the task cannot be
    marked, a sentence says this.
    """
    if sheet.done or sheet.checked:
        st.markdown(parameters.in_layout(task_words.verdict_text(task, sheet)))
    if sheet.hinted and not sheet.done and sheet.stage < hints.STAGES:
        st.markdown(f":material/lightbulb: {hints.hint_text(task, sheet.hinted, sheet.stage, parameters)}")
    if practice().refused == answering.key_of(task) and sheet.missing:
        st.markdown(task_words.missing_cells_text(sheet))
    place = _worked_place(task, sheet)
    if place:
        tokens, keys = tokens_of(task)
        selected_cell.card(
            selected_cell.arithmetic_text(
                explained(task.worked, matrix_id_of_stage(task.asked), place), tokens, keys, parameters
            )
        )


def _worked_place(task: Task, sheet: Sheet) -> tuple[int, int] | None:
    """Return the row and column of the cell whose calculation is shown, or None.

    In a finished task, this is the selected cell. In an unfinished task, it is the cell of the last hint, but only if
    the learner has asked for all stages of this hint.
    """
    if not sheet.done:
        return sheet.hinted if sheet.stage == hints.STAGES else None
    chosen = session.visit().cell
    if chosen is None or chosen[0] != blank_id(task):
        return None
    rows, columns = task.correct_answer.shape
    return chosen[1:] if chosen[1] < rows and chosen[2] < columns else None


def _buttons(task: Task, sheet: Sheet, parameters: TaskParameters) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="practice"):
        if sheet.done:
            st.button("Show worked cell", icon=":material/calculate:", on_click=answering.show_calculation)
        else:
            st.button("Commit", icon=":material/task_alt:", type="primary", on_click=answering.commit)
            st.button("Hint", icon=":material/lightbulb:", on_click=hints.hint)
            st.button("Show the answer", icon=":material/visibility:", on_click=answering.show_answer)
        st.button("New task", icon=":material/refresh:", on_click=answering.open_task)
        widgets.draw(parameters, "difficulty")
        refusal = offer_to_ask("Ask the class", Reference("task", task.concept, task.seed, task.difficulty))
        st.button("Close", icon=":material/close:", type="tertiary", on_click=answering.close)
    if refusal:
        st.warning(refusal)
    if practice().done:
        st.caption(task_words.score_text(practice()))
