"""Marks: which cells of a learner's sheet are correct."""

from __future__ import annotations

import numpy as np

from attention_core.tasks.seeded_tasks import Task
from pages.shared.task_block.sheets import Sheet


def marks_of(task: Task, sheet: Sheet) -> np.ndarray | None:
    """Return a mark for each cell of a sheet: True if it is correct, False if it is wrong, None if it is not marked.

    A cell is not marked if it has changed since the last marking. Return None if the sheet was never marked.
    """
    if not (sheet.done or sheet.checked):
        return None
    marks = task.marks(sheet.numbers).astype(object)
    marks[sheet.unmarked & (not sheet.done)] = None
    return marks
