"""Test the questions for a class: the outcome of an answer is what the diagnosis says, and hostile input is refused."""

from __future__ import annotations

import json
import random
from typing import TypeVar

import numpy as np
import pytest

from attention_core.tasks.recipes import RECIPES
from attention_core.tasks.seeded import task
from attention_core.tasks.task import misreadings
from pages.shared.class_questions.questions import (
    RIGHT,
    UNKNOWN,
    ChoiceQuestion,
    MatrixQuestion,
    NumberQuestion,
    next_question,
    question_of,
)
from pages.shared.class_questions.results import tally
from pages.shared.notation.prose import typeset
from pages.shared.scene_files.scene import PAGES, scenes_of
from pages.shared.task_block.answering import Sheet
from pages.shared.task_block.block import verdict_text

TASKS = [(page, difficulty) for page in RECIPES for difficulty in (1, 2, 3)]
of_every_task = pytest.mark.parametrize(("page", "difficulty"), TASKS, ids=[f"{p} {d}" for p, d in TASKS])
WITH_OPTIONS = [
    (file.parent.name, number)
    for file in sorted(PAGES.glob("*/scenes.toml"))
    for number, scene in enumerate(scenes_of(file.parent.name), start=1)
    if scene.options
]
SEED = 17


T = TypeVar("T")


def question_of_kind(kind: type[T], reference: str) -> T:
    """Return the question that the text `reference` names, and check that the question is of class `kind`."""
    found = question_of(reference)
    assert isinstance(found, kind)
    return found


def as_answer(matrix) -> str:
    """Return a matrix as the answer of a student, written to 2 decimals."""
    return json.dumps([[f"{value:.2f}" for value in row] for row in np.asarray(matrix)])


@pytest.mark.many
@of_every_task
def test_every_mistake_of_a_task_is_named_as_the_learner_is_told_it(page, difficulty):
    made, question = task(page, SEED, difficulty), question_of_kind(MatrixQuestion, f"task:{page}.{SEED}.{difficulty}")
    assert question.outcome(as_answer(made.correct_answer)) == RIGHT
    for mistake in made.mistakes:
        found = question.outcome(as_answer(made.wrong_answer(mistake)))
        assert typeset(mistake.title) in found.name
        assert found.right is False
        told = verdict_text(made, Sheet(question.entries(as_answer(made.wrong_answer(mistake)))))
        assert typeset(mistake.title) in told
        if found.page:
            assert found.mistake == mistake.name
    for misread in misreadings(made):
        answer = as_answer(misread.answer)
        assert question.outcome(answer).name in verdict_text(made, Sheet(question.entries(answer)))


@pytest.mark.many
@of_every_task
def test_a_random_answer_is_named_only_if_the_learner_is_told_the_same(page, difficulty):
    made, question = task(page, SEED, difficulty), question_of_kind(MatrixQuestion, f"task:{page}.{SEED}.{difficulty}")
    chance = np.random.default_rng(3)
    answer = as_answer(made.correct_answer + chance.normal(size=made.correct_answer.shape))
    found, told = question.outcome(answer), verdict_text(made, Sheet(question.entries(answer)))
    assert (found == UNKNOWN) == ("No usual mistake" in told)
    assert (found == RIGHT) == ("All right" in told)


@of_every_task
def test_one_number_names_exactly_the_mistakes_that_give_it(page, difficulty):
    made, question = (
        task(page, SEED, difficulty),
        question_of_kind(NumberQuestion, f"number:{page}.{SEED}.{difficulty}"),
    )
    row, column = question.place
    assert question.outcome(f"{made.correct_answer[row, column]:.2f}") == RIGHT
    for mistake in made.mistakes:
        number = made.wrong_answer(mistake)[row, column]
        found = question.outcome(f"{number:.2f}")
        assert found == RIGHT or typeset(mistake.title) in found.name
    assert question.outcome("9999") == UNKNOWN


@pytest.mark.parametrize(("page", "number"), WITH_OPTIONS)
def test_a_scene_marks_the_answer_that_it_says_is_right(page, number):
    question = question_of_kind(ChoiceQuestion, f"scene:{page}.{number}")
    scene = scenes_of(page)[number - 1]
    assert scene.right in {"", *question.options}
    marks = [outcome.right for outcome in question.expected_outcomes]
    assert marks.count(True) == bool(scene.right)
    assert marks.count(None) == (0 if scene.right else len(scene.options))


def test_most_scenes_with_answers_say_which_is_right():
    marked = [scenes_of(page)[number - 1].right for page, number in WITH_OPTIONS]
    assert sum(map(bool, marked)) >= 25


HOSTILE = [
    "",
    "null",
    "[]",
    "[[]]",
    "{}",
    "[" * 2000,
    '[["1"]]',
    "A",
    "1/0",
    "nan",
    "inf",
    "9" * 50,
    "猫",
    "[[1,2],[3,4]]",
    "\0",
]


def test_hostile_answers_are_refused_with_a_message():
    """Check that 10,000 random hostile answers are refused with an error message."""
    chance = random.Random(5)
    questions = [question_of(text) for text in ("task:attention.17.2", "number:attention.17.2", "scene:scaling.6")]
    for _ in range(10_000):
        text = "".join(chance.choices(HOSTILE, k=chance.randrange(1, 4))) + "x"
        with pytest.raises(ValueError, match=r"\w"):
            questions[chance.randrange(3)].stored_form(text)


@pytest.mark.parametrize("text", ["task:home.1.1", "scene:softmax_axes.2", "scene:nowhere.1", "scene:home.999", "x"])
def test_a_reference_without_a_question_is_refused(text):
    with pytest.raises(ValueError, match=r", but .*\. [A-Z]"):
        question_of(text)


def test_the_next_question_is_of_the_same_kind():
    assert str(next_question("task:attention.9999.2")) == "task:attention.1.2"
    assert str(next_question("number:attention.3.2")) == "number:attention.4.2"
    assert str(next_question("scene:softmax_axes.3")) == "scene:softmax_axes.6"
    assert next_question("scene:softmax_axes.8") is None


def test_a_tally_counts_each_answer_once_and_shows_the_commonest_mistake():
    made, question = task("scaling", SEED, 1), question_of_kind(MatrixQuestion, f"task:scaling.{SEED}.1")
    first, second = made.mistakes[:2]
    nonsense = as_answer(made.correct_answer + 7.77)
    answers = (
        [as_answer(made.correct_answer)] * 61
        + [as_answer(made.wrong_answer(first))] * 22
        + [as_answer(made.wrong_answer(second))] * 9
    )
    counted = tally(question, [*answers, *[nonsense] * 30])
    assert [count for _, count in counted.counts] == [61, 22, 9, 30]
    assert counted.counts[0][0] == RIGHT
    assert counted.counts[-1][0] == UNKNOWN
    assert counted.commonest_wrong == as_answer(made.wrong_answer(first))
    assert counted.n_answers == 122


def test_a_tally_of_choices_keeps_their_order():
    counted = tally(question_of("scene:softmax_axes.3"), ["C", "B", "B"])
    assert [(outcome.name[0], count) for outcome, count in counted.counts] == [("A", 0), ("B", 2), ("C", 1)]
    assert counted.commonest_wrong == "B"
