"""Marks: which cells of a learner's sheet are correct."""

from __future__ import annotations

import numpy as np

from attention_core.tasks.seeded_tasks import Task
from pages.shared.task_block.sheets import Sheet


def marks_of(task: Task, sheet: Sheet) -> np.ndarray | None:
    """Return a mark for each cell of a sheet: True for correct, False for wrong, and None for no mark.

    A cell has no mark if the learner has changed it since the last marking. Return None instead of the array if the
    sheet was never marked.
    """
    if not (sheet.done or sheet.checked):
        return None
    marks = task.correct_cells(sheet.numbers).astype(object)
    marks[sheet.unmarked & (not sheet.done)] = None
    return marks
