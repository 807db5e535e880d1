"""Hints: explain one cell of a task, first in words, then by its formula, then by its calculation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core.arithmetic import explain as explained
from attention_core.tasks.seeded_tasks import Task
from pages.shared.equation import selected_cell
from pages.shared.notation.latex import latex
from pages.shared.notation.orientation import cell_with_tokens_as_columns
from pages.shared.notation.symbols import matrix_id_of_stage
from pages.shared.task_block.answering import TaskParameters, current_task, keep, select, sheet_of
from pages.shared.task_block.sheets import Sheet
from pages.shared.task_block.task_equation import tokens_of

STAGES = 3  # words, formula, calculation


def hint() -> None:
    """Give the learner a hint for the first cell that is empty or wrong.

    A hint has three stages: words, formula, calculation. If the learner asks again for the same cell, the next stage is
    shown.
    """
    task = current_task()
    if task is None:
        return
    sheet = sheet_of(task)
    place = _next_cell(task, sheet) or sheet.hinted or (0, 0)
    stage = min(sheet.stage + 1, STAGES) if place == sheet.hinted else 1
    keep(task, replace(sheet, hinted=place, stage=stage))
    select(task, place)


def _next_cell(task: Task, sheet: Sheet) -> tuple[int, int] | None:
    """Return the row and column of the cell that the next hint is about.

    This is the first empty cell. If no cell is empty, it is the first wrong cell that the learner has not changed since
    the last marking. Return None if there is no such cell.
    """
    empty = np.array(sheet.entries) == ""
    wrong = ~task.correct_cells(sheet.numbers) & ~sheet.unmarked
    places = np.argwhere(empty if empty.any() else wrong).tolist()
    return (places[0][0], places[0][1]) if places else None


def hint_text(task: Task, place: tuple[int, int], stage: int, parameters: TaskParameters) -> str:
    """Return the hint for a cell: a sentence that says how the cell is computed and, from stage 2 on, the formula.

    `place` is the row and column of the cell.
    """
    cell = explained(task.worked, matrix_id_of_stage(task.asked), place)
    words, *_ = selected_cell.arithmetic_text(cell, *tokens_of(task), parameters).partition("\n\n$$")
    if stage == 1:
        return words
    as_shown = cell_with_tokens_as_columns(cell) if parameters.columns else cell
    return f"{words}\n\n$$\n{latex(as_shown.term, 'names')}\n$$"
