"""Find the question that a reference names, and the next question of the same kind. Pure.

A reference is the name of a question in the database, such as `task:attention.17.2` (see `rooms/references.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from attention_core.tasks.seeded_tasks import task
from attention_core.tasks.task_recipes import RECIPES
from pages.shared.class_questions.choices import ChoiceQuestion
from pages.shared.class_questions.tasks import MatrixQuestion, NumberQuestion
from pages.shared.rooms.references import Reference, read_reference
from pages.shared.scene_files.scene import scenes_of
from pages.shared.task_block.answering import MOST_TASKS

Question = ChoiceQuestion | MatrixQuestion | NumberQuestion


def question_of(text: str) -> Question:
    """Return the question that the reference `text` names.

    Raises: ValueError if there is no such question, for example because another version of the app asked it.
    """
    return _KINDS[read_reference(text).kind](read_reference(text))


def next_question(text: str) -> Reference | None:
    """Return the reference of the question that follows the question `text`, or None. `text` is a reference too.

    After a task, the next task of the same kind follows. After the question of a scene, the question of a later scene
    follows.
    """
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
    """Return whether each mistake of a task changes the one number that a question about this task can ask for.

    `reference` names the task.
    """
    return NumberQuestion(task(*_check_reference(reference))).is_fair


def _scene(reference: Reference) -> ChoiceQuestion:
    scenes = dict(enumerate(scenes_of(reference.name), start=1))
    scene = scenes.get(reference.number)
    if scene is None or not scene.options:
        raise ValueError(f"Only a scene with answers can be asked, but {reference} has none. Choose another scene.")
    return ChoiceQuestion(reference.name, reference.number, scene)


def _check_reference(reference: Reference) -> tuple[str, int, int]:
    if reference.name not in RECIPES:
        raise ValueError(
            f"A task needs a page with tasks, but {reference} names another page. Choose one of {', '.join(RECIPES)}."
        )
    return reference.name, reference.number, reference.difficulty


_KINDS: Mapping[str, Callable[[Reference], Question]] = {
    "scene": _scene,
    "task": lambda reference: MatrixQuestion(task(*_check_reference(reference))),
    "number": lambda reference: NumberQuestion(task(*_check_reference(reference))),
}
