"""Marks: which cells of a learner's sheet are right."""

from __future__ import annotations

import numpy as np

from attention_core.tasks.seeded_tasks import Task
from pages.shared.task_block.sheets import Sheet


def marks_of(task: Task, sheet: Sheet) -> np.ndarray | None:
    """Return whether each cell is right, or None if the cell has changed since, or the task was never marked."""
    if not (sheet.done or sheet.checked):
        return None
    marks = task.marks(sheet.numbers).astype(object)
    marks[sheet.unmarked & (not sheet.done)] = None
    return marks
