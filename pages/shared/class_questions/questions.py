"""The questions for a class: the outcome of an answer, the choices, the tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from attention_core.caching import cache_up_to
from attention_core.diagnosis.diagnose import Finding
from attention_core.mistakes import BORROWED, Mistake, mistakes_of
from attention_core.tasks.recipes import RECIPES
from attention_core.tasks.seeded import Task, task
from attention_core.tasks.task import misreadings
from pages.shared.controls.kinds import BOUNDS
from pages.shared.notation.numbers import number_text
from pages.shared.notation.prose import short, typeset
from pages.shared.notation.texts import texts_beside
from pages.shared.rooms.own_room import Reference, read_reference
from pages.shared.scene_files.scene import Scene, scenes_of
from pages.shared.task_block.answering import MOST_TASKS, Entries, numbers_of, read_entry
from pages.shared.task_block.block import misreading_of, question_text
from pages.shared.task_block.task_equation import tokens_of

TEXTS = texts_beside(__file__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One result into which answers are counted: correct, a certain mistake, or one option of a question with a choice.

    Each outcome has one bar when the results are drawn.
    """

    name: str  # a few words of Markdown
    right: bool | None = False  # whether it is correct, or None if the question does not say which answer is
    why: str = ""  # why the answer is wrong, as Markdown
    page: str = ""  # the page that has a switch for this mistake, and below it the name of the switch
    mistake: str = ""


RIGHT = Outcome(TEXTS.fill("right"), right=True)
UNKNOWN = Outcome(TEXTS.fill("no_usual_mistake"), why=TEXTS.fill("about_no_usual_mistake"))


def page_with_switch(mistake: Mistake) -> str:
    """Return the name of the page that has a switch for a mistake, or "" if no page has one."""
    concept = getattr(mistake, "concept", "")
    return concept if concept not in BORROWED and mistake in mistakes_of(concept) else ""


LETTERS = "ABCDEF"


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """The question of a scene (a page as a lecturer shows it), with its answers to choose from."""

    page: str
    number: int  # the number of the scene, counted from 1
    scene: Scene

    @property
    def text(self) -> str:
        """The question, as Markdown."""
        return self.scene.title

    @property
    def options(self) -> Mapping[str, str]:
        """The text of each answer, by its letter."""
        return dict(zip(LETTERS, self.scene.options, strict=False))

    @property
    def expected_outcomes(self) -> tuple[Outcome, ...]:
        """One outcome for each option, in order. Each gets a bar, even if nobody has chosen the option."""
        return tuple(map(self.outcome, self.options))

    def stored_form(self, answer: str) -> str:
        """Return an answer unchanged if it is the letter of one of the options. Raises: ValueError otherwise."""
        if answer not in self.options:
            raise ValueError(TEXTS.fill("option_rule", letters=", ".join(self.options)))
        return answer

    def outcome(self, answer: str) -> Outcome:
        """Return the outcome of an answer. Its `right` is None if the scene does not say which answer is correct."""
        right = answer == self.scene.right if self.scene.right else None
        return Outcome(self.answer_text(answer), right)

    @property
    def correct_answer_text(self) -> str:
        """A sentence with the correct answer, as Markdown."""
        return TEXTS.fill("right_answer", answer=self.answer_text(self.scene.right))

    def answer_text(self, answer: str) -> str:
        """Return the letter and the text of an answer, as Markdown."""
        return f"{answer}: {self.options[answer]}"


LONGEST_ENTRY = 40  # characters
TRANSPOSED = Outcome(TEXTS.fill("transposed"), why=TEXTS.fill("about_transposed"))
REORDERED = Outcome(TEXTS.fill("reordered"), why=TEXTS.fill("about_reordered"))


@dataclass(frozen=True, slots=True, eq=False)
class MatrixQuestion:
    """A question that asks for the whole matrix of a task."""

    task: Task
    expected_outcomes: tuple[Outcome, ...] = (RIGHT,)

    @property
    def text(self) -> str:
        """The question, as Markdown."""
        return question_text(self.task)

    def stored_form(self, answer: str) -> str:
        """Return an answer in the form in which it is stored.

        Raises: ValueError if it is not a matrix of the correct shape.
        """
        return json.dumps(self.entries(answer), separators=(",", ":"))

    def entries(self, answer: str) -> Entries:
        """Return the text in each cell of an answer. Raises: ValueError if it is not a matrix of the correct shape."""
        rows, columns = self.task.correct_answer.shape
        read = _read_json(answer)
        if not _is_table(read, rows, columns):
            raise ValueError(TEXTS.fill("form_rule", height=rows, width=columns))
        entries = tuple(map(tuple, read))
        if not all(text for row in entries for text in row):
            raise ValueError(TEXTS.fill("empty_cell_rule", height=rows, width=columns))
        numbers_of(entries)
        return entries

    def as_answer(self, entries: Entries) -> str:
        """Return the texts of all cells as one answer. Cells may still be empty."""
        return json.dumps(entries)

    def numbers(self, answer: str) -> np.ndarray:
        """Return an answer as a matrix of numbers."""
        return numbers_of(self.entries(answer))

    def outcome(self, answer: str) -> Outcome:
        """Return the outcome of an answer: `RIGHT`, the mistake that gives this matrix, or `UNKNOWN`."""
        return outcome_of_matrix(self.task, tuple(map(tuple, self.numbers(answer).tolist())))

    def answer_text(self, answer: str) -> str:
        """Return an answer as Markdown: the numbers row by row."""
        return "; ".join(" ".join(row) for row in self.entries(answer))


@dataclass(frozen=True, slots=True, eq=False)
class NumberQuestion:
    """A question that asks for one number in the matrix of a task."""

    task: Task
    expected_outcomes: tuple[Outcome, ...] = (RIGHT,)

    @property
    def place(self) -> tuple[int, int]:
        """The row and column of the number that the question asks for, from `most_telling_cell`."""
        return most_telling_cell(self.task)

    @property
    def is_fair(self) -> bool:
        """Whether every mistake of the task would give a wrong number in the cell that the question asks for."""
        return all(self.outcome(f"{wrong[self.place]:.2f}") != RIGHT for _, wrong in _mistakes_with_matrices(self.task))

    @property
    def text(self) -> str:
        """The question, as Markdown."""
        (row, column), (tokens, _) = self.place, tokens_of(self.task)
        token = tokens[row] if row < len(tokens) else TEXTS.fill("row_number", number=row + 1)
        question = question_text(self.task)
        return TEXTS.fill("one_number_is_enough", question=question, token=token, column_number=column + 1)

    def stored_form(self, answer: str) -> str:
        """Return an answer without spaces around it. Raises: ValueError if it is not a number."""
        text, bounds = answer.strip(), dict(zip(("low", "high"), map(number_text, BOUNDS), strict=True))
        if not text or len(text) > LONGEST_ENTRY:
            raise ValueError(TEXTS.fill("too_long_rule" if text else "empty_field_rule", **bounds))
        try:
            read_entry(text)
        except ValueError as error:
            raise ValueError(TEXTS.fill("number_rule", **bounds, typed=short(text))) from error
        return text

    def outcome(self, answer: str) -> Outcome:
        """Return the outcome of an answer: `RIGHT`, all mistakes that give this number, or `UNKNOWN`."""
        return _outcome_of_number(self.task, self.place, read_entry(self.stored_form(answer)))

    def answer_text(self, answer: str) -> str:
        """Return an answer as Markdown."""
        return self.stored_form(answer)

    @property
    def correct_answer_text(self) -> str:
        """A sentence with the correct answer, as Markdown."""
        return TEXTS.fill("right_number", number=self.task.correct_answer[self.place])


# --- outcomes ---


@cache_up_to(4096)
def outcome_of_matrix(task: Task, rows: tuple[tuple[float, ...], ...]) -> Outcome:
    """Return the outcome of a matrix, given as `rows`, that answers a task. The diagnosis may take a second."""
    numbers = np.array(rows)
    if task.correct_cells(numbers).all():
        return RIGHT
    if misread := misreading_of(task, numbers):
        return Outcome(misread.title, why=typeset(misread.why))
    findings = task.diagnose(numbers).findings
    named = [finding for finding in findings if finding.mistakes]
    if named:
        return _outcome_of_mistakes(named)
    kinds = {finding.kind for finding in findings}
    return TRANSPOSED if "transposed" in kinds else REORDERED if "reordered" in kinds else UNKNOWN


def _outcome_of_mistakes(found: list[Finding]) -> Outcome:
    name = _joined("either", (_joined("both", (each.title for each in finding.mistakes)) for finding in found))
    first = found[0].mistakes
    why = typeset(" ".join(mistake.why for mistake in first))
    page = page_with_switch(first[0]) if len(found) == len(first) == 1 else ""
    return Outcome(typeset(name), why=why, page=page, mistake=first[0].name if page else "")


@cache_up_to(4096)
def _outcome_of_number(task: Task, place: tuple[int, int], number: float) -> Outcome:
    """Return the outcome of one number: `RIGHT`, all mistakes of the task that give this number, or `UNKNOWN`.

    `place` is the row and column of the number in the task's matrix.
    """
    answer = task.correct_answer.copy()
    answer[place] = number
    if task.correct_cells(answer)[place]:
        return RIGHT
    given = [
        each for each in _mistakes_with_matrices(task) if abs(each[1][place] - number) <= task.greatest_rounding_error
    ]
    if not given:
        return UNKNOWN
    (mistake, _), *others = given
    page = "" if others else page_with_switch(mistake)
    why = "" if others else typeset(mistake.why)
    name = _joined("either", (each.title for each, _ in given))
    return Outcome(typeset(name), why=why, page=page, mistake=mistake.name if page else "")


def _joined(section: str, titles: Iterable[str]) -> str:
    joined, *others = titles
    for title in others:
        joined = TEXTS.fill(section, first=joined, second=title)
    return joined


def _mistakes_with_matrices(task: Task) -> Iterator[tuple[Any, np.ndarray]]:
    yield from ((mistake, task.wrong_answer(mistake)) for mistake in task.mistakes)
    yield from ((misread, misread.answer) for misread in misreadings(task))


@cache_up_to(512)
def most_telling_cell(task: Task) -> tuple[int, int]:
    """Return the row and column of the cell that shows best which mistake a learner has made in a task."""
    wrong = [matrix for _, matrix in _mistakes_with_matrices(task)]
    differ = np.array([np.abs(each - task.correct_answer) > 2 * task.greatest_rounding_error for each in wrong]).sum(
        axis=0
    )
    apart = np.array([np.abs(a - b) > 2 * task.greatest_rounding_error for a, b in combinations(wrong, 2)]).sum(axis=0)
    row, column = np.unravel_index(int((differ * len(wrong) ** 2 + apart).argmax()), task.correct_answer.shape)
    return int(row), int(column)


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_table(read: Any, rows: int, columns: int) -> bool:
    """Return whether `read` is a list of `rows` lists, each with `columns` short texts."""
    return (
        isinstance(read, list)
        and len(read) == rows
        and all(isinstance(row, list) and len(row) == columns for row in read)
        and all(isinstance(text, str) and len(text) <= LONGEST_ENTRY for row in read for text in row)
    )


Question = ChoiceQuestion | MatrixQuestion | NumberQuestion


def question_of(text: str) -> Question:
    """Return the question that the reference `text` names.

    Raises: ValueError if there is no such question, for example because another version of the app asked it.
    """
    return _KINDS[read_reference(text).kind](read_reference(text))


def next_question(text: str) -> Reference | None:
    """Return the reference of the question that follows the question `text`, or None. `text` is a reference too."""
    reference = read_reference(text)
    if reference.kind != "scene":
        found = replace(reference, number=reference.number % MOST_TASKS + 1)
        return found if reference.kind == "task" or number_shows_every_mistake(found) else next_question(str(found))
    later = range(reference.number + 1, len(scenes_of(reference.name)) + 1)
    found = next((n for n in later if scenes_of(reference.name)[n - 1].options), None)
    return replace(reference, number=found) if found else None


def other_question_about_the_task(text: str) -> Reference | None:
    """Return the reference of the other question about the same task. `text` is the reference of the first question.

    A task has two questions: one asks for the whole matrix, the other for one number in it. Return None if one number
    cannot show every mistake of the task, or if `text` is the question of a scene.
    """
    reference = read_reference(text)
    if reference.kind == "scene":
        return None
    other = replace(reference, kind="number" if reference.kind == "task" else "task")
    return other if other.kind == "task" or number_shows_every_mistake(other) else None


def number_shows_every_mistake(reference: Reference) -> bool:
    """Return whether each mistake of a task changes the one number that a question about this task can ask for."""
    return NumberQuestion(task(*_check_reference(reference))).is_fair


def _scene(reference: Reference) -> ChoiceQuestion:
    scenes = dict(enumerate(scenes_of(reference.name), start=1))
    scene = scenes.get(reference.number)
    if scene is None or not scene.options:
        raise ValueError(TEXTS.fill("scene_rule", reference=str(reference)))
    return ChoiceQuestion(reference.name, reference.number, scene)


def _check_reference(reference: Reference) -> tuple[str, int, int]:
    if reference.name not in RECIPES:
        raise ValueError(TEXTS.fill("page_rule", reference=str(reference), pages=", ".join(RECIPES)))
    return reference.name, reference.number, reference.difficulty


_KINDS: Mapping[str, Callable[[Reference], Question]] = {
    "scene": _scene,
    "task": lambda reference: MatrixQuestion(task(*_check_reference(reference))),
    "number": lambda reference: NumberQuestion(task(*_check_reference(reference))),
}
