"""A sheet of tasks, what a visitor answers, and its marks."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attention_core.tasks.recipes import RECIPES
from attention_core.tasks.seeded import Task, task
from pages.shared import controls
from pages.shared.controls.kinds import BOUNDS, read_number
from pages.shared.equation.selected_cell import TASK
from pages.shared.notation.numbers import number_text
from pages.shared.notation.prose import short
from pages.shared.notation.symbols import matrix_id_of_stage
from pages.shared.notation.texts import texts_beside
from pages.shared.state import session

TEXTS = texts_beside(__file__)

# By concept: conditions on the state of the page, and a difficulty. The first condition that holds decides.
FITS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "attention": {"2": lambda here: here.mask == "causal"},
    "positional_encoding": {"3": lambda here: here.look == "bag"},
}


def chosen_difficulty(concept: str, parameters: Any) -> str:
    """Return the difficulty of the next task on a page: "1", "2" or "3".

    If the visitor has chosen 2 or 3, this is the difficulty. Otherwise it depends on what the page shows. `concept` is
    the name of the page in `FITS`, and `parameters` are the page's parameters.
    """
    found = (difficulty for difficulty, fits in FITS.get(concept, {}).items() if fits(parameters))
    return next(found, "1") if parameters.difficulty == "1" else parameters.difficulty


NUMBER = TEXTS.fill("number_rule", low=number_text(BOUNDS[0]), high=number_text(BOUNDS[1]))

Entries = tuple[tuple[str, ...], ...]
Key = tuple[str, int, int]  # concept, task, difficulty


@dataclass(frozen=True, slots=True)
class Sheet:
    """The state of one learner's work on one task: the entries, the hints, and whether the task is done."""

    entries: Entries
    done: bool = False  # all cells are correct, or the learner has asked for the answer
    checked: Entries | None = None  # the entries at the last marking, if some were wrong
    hinted: tuple[int, int] | None = None  # the cell of the last hint
    stage: int = 0  # the stage of that hint: 1 words, 2 formula, 3 calculation

    @property
    def missing(self) -> int:
        """The number of empty cells."""
        return sum(not text for row in self.entries for text in row)

    @property
    def numbers(self) -> np.ndarray:
        """The entries as numbers, with NaN for empty cells."""
        return numbers_of(self.entries)

    @property
    def unmarked(self) -> np.ndarray:
        """An array of bools: for each cell, whether it has changed since the last marking or was never marked."""
        before = self.checked or (("",) * len(self.entries[0]),) * len(self.entries)
        return np.array(before) != np.array(self.entries)


def numbers_of(entries: Entries) -> np.ndarray:
    """Return entries as numbers, with NaN for empty cells."""
    return np.array([[read_entry(text) if text else math.nan for text in row] for row in entries])


@dataclass(slots=True)
class Practice:
    """The sheets of one visitor for all tasks, the entries for undo and redo, and the score."""

    sheets: dict[Key, Sheet] = field(default_factory=dict)
    past: dict[Key, list[Entries]] = field(default_factory=dict)
    future: dict[Key, list[Entries]] = field(default_factory=dict)
    right: int = 0
    done: int = 0
    streak: int = 0
    asked_to_commit: bool = False
    refused: Key | None = None  # the task that was not marked, because some of its cells were empty


def practice() -> Practice:
    """Return the `Practice` of the present visitor: all answers and the score."""
    return session.visitor_object(Practice)


def read_entry(text: str) -> float:
    """Return the number in a text, which may be a fraction. Raises: ValueError with a text that names the rule.

    >>> read_entry("1/4"), read_entry("-2.5")
    (0.25, -2.5)
    """
    above, slash, below = text.replace("\u2212", "-").partition("/")
    value = read_number(above, NUMBER)
    if not slash:
        return value
    divisor = read_number(below, NUMBER)
    if divisor == 0:
        raise ValueError(TEXTS.fill("divisor_rule"))
    if not BOUNDS[0] <= value / divisor <= BOUNDS[1]:
        raise ValueError(NUMBER)
    return value / divisor


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


MOST_TASKS = 9999
MOST_SHEETS = 100  # how many answers to store
MOST_STEPS = 100  # that can be undone in a task
LONGEST = 40  # characters in a cell


@controls.declare(TEXTS)
class TaskParameters(controls.Parameters):
    """The parameters of a page that has tasks (exercises in which a learner fills in a matrix)."""

    task: int = controls.slider(0, MOST_TASKS, step=1, default=0)  # 0: no task is open
    difficulty: str = controls.choice("1", "2", "3")


# --- the task of this page ---


def blank_id(task: Task) -> str:
    """Return the id of the blank matrix of a task, which the learner fills in."""
    return f"{matrix_id_of_stage(task.asked)}{TASK}"


def current_task() -> Task | None:
    """Return the task that is open on this page, or None."""
    page, here = session.visit().page, session.visit().parameters
    if not isinstance(here, TaskParameters) or not here.task or page not in RECIPES:
        return None
    return task(page, here.task, int(here.difficulty))


def sheet_of(task: Task) -> Sheet:
    """Return the sheet of a task: what this visitor has written for the task so far."""
    rows, columns = task.correct_answer.shape
    return practice().sheets.get(key_of(task), Sheet((("",) * columns,) * rows))


def open_task(number: int | None = None) -> None:
    """Open the task with this number. If `number` is None, open a random task that is not open already."""
    before = getattr(session.visit().parameters, "task", 0)
    others = [n for n in random.sample(range(1, MOST_TASKS + 1), 2) if n != before]
    suited = {} if before else {"difficulty": chosen_difficulty(session.visit().page, session.visit().parameters)}
    session.set_parameters(task=others[0] if number is None else number, cell=None, **suited)


def close() -> None:
    """Close the open task. The learner can go on later, because the learner's sheet (entries and hints) is kept."""
    session.set_parameters(task=0, cell=None)


# --- what learners do ---


def fill(name: str, cells: Sequence[Sequence[object]]) -> str | None:
    """Write texts into the blank matrix `name`. Each item of `cells` has a row, a column and a text."""
    task = current_task()
    if task is None or name != blank_id(task) or sheet_of(task).done:
        return TEXTS.fill("not_this_matrix", name=short(name))
    try:
        _write(task, entries_with(sheet_of(task).entries, cells))
    except ValueError as error:
        return str(error)
    return None


def entries_with(entries: Entries, cells: Sequence[Sequence[object]]) -> Entries:
    """Return the learner's entries with some cells changed. Each item of `cells` has a row, a column and the new text.

    Raises: ValueError if a cell does not exist or a text is no number.
    """
    rows = [list(row) for row in entries]
    for row, column, text in cells:
        if not (isinstance(row, int) and isinstance(column, int) and _within(entries, row, column)):
            sizes = {"n_rows": len(rows), "n_columns": len(rows[0])}
            raise ValueError(TEXTS.fill("no_such_cell", **sizes, place=f"{row}, {column}"))
        if rule := _broken_rule(text):
            raise ValueError(TEXTS.fill("nothing_was_written", rule=rule, typed=short(str(text))))
        rows[row][column] = str(text)
    return tuple(map(tuple, rows))


def undo_or_redo(kind: str) -> None:
    """Undo the last entry in the open task (`kind` is "undo"), or redo the entry that was undone last ("redo")."""
    task = current_task()
    if task is None or sheet_of(task).done:
        return
    sources = (practice().past, practice().future) if kind == "undo" else (practice().future, practice().past)
    taken, kept = (source.setdefault(key_of(task), []) for source in sources)
    if taken:
        kept.append(sheet_of(task).entries)
        keep(task, replace(sheet_of(task), entries=taken.pop()))


def show_calculation() -> None:
    """Select a cell of the open task, so that its calculation is shown."""
    task = current_task()
    if task is not None:
        wrong = np.argwhere(~task.correct_cells(sheet_of(task).numbers)).tolist()
        row, column = wrong[0] if wrong else (0, 0)
        select(task, (row, column))


def commit() -> None:
    """Remember that the learner wants the task to be marked.

    The next run of the page marks it, because all entries have arrived by then.
    """
    practice().asked_to_commit = True


def mark() -> None:
    """Mark the open task, if the learner has asked for it and no cell is empty."""
    task, score = current_task(), practice()
    is_requested, score.asked_to_commit = score.asked_to_commit, False
    if not is_requested or task is None or sheet_of(task).done:
        return
    sheet = sheet_of(task)
    score.refused = key_of(task) if sheet.missing else None
    if score.refused:
        return
    if task.correct_cells(sheet.numbers).all():
        _finish(task, right=True)
    else:
        keep(task, replace(sheet, checked=sheet.entries))


def show_answer() -> None:
    """End the task and show the correct number in each cell. The task does not count as solved."""
    task = current_task()
    if task is not None and not sheet_of(task).done:
        _finish(task, right=False)


def _finish(task: Task, *, right: bool) -> None:
    score, sheet = practice(), sheet_of(task)
    score.done, score.right = score.done + 1, score.right + right
    score.streak = score.streak + 1 if right and sheet.checked is None else 0
    keep(task, replace(sheet, done=True))
    session.set_parameters(cell=None)


def key_of(task: Task) -> Key:
    """Return the key under which the sheet of a task is stored."""
    return task.concept, task.seed, task.difficulty


def _write(task: Task, entries: Entries) -> None:
    sheet = sheet_of(task)
    if entries != sheet.entries:
        past = practice().past.setdefault(key_of(task), [])
        past.append(sheet.entries)
        del past[:-MOST_STEPS]
        practice().future.pop(key_of(task), None)
        keep(task, replace(sheet, entries=entries))


def keep(task: Task, sheet: Sheet) -> None:
    """Store a learner's sheet (the entries and hints of a task). If there are too many sheets, delete the oldest."""
    kept, key = practice(), key_of(task)
    kept.sheets.pop(key, None)
    kept.sheets[key] = sheet
    for old in list(kept.sheets)[:-MOST_SHEETS]:
        for by_task in (kept.sheets, kept.past, kept.future):
            by_task.pop(old, None)


def select(task: Task, place: tuple[int, int]) -> None:
    """Select a cell of the blank matrix. `place` is its row and column."""
    session.set_parameters(cell=(blank_id(task), *place))


def _within(entries: Entries, row: int, column: int) -> bool:
    return 0 <= row < len(entries) and 0 <= column < len(entries[0])


def _broken_rule(text: object) -> str | None:
    if not isinstance(text, str) or len(text) > LONGEST:
        return NUMBER
    try:
        if text:
            read_entry(text)
    except ValueError as error:
        return str(error)
    return None
