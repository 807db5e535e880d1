"""Test the tasks: the same seed gives the same task, numbers are small, and every mistake shows in the answer."""

import hashlib
import json
from dataclasses import replace
from inspect import unwrap
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.arithmetic import evaluate, explain
from attention_core.arithmetic.position_rules import position_step_rules
from attention_core.mistakes import blind_spots, mistakes_of
from attention_core.positions import sinusoidal
from attention_core.rotation import encode
from attention_core.tasks import seeded
from attention_core.tasks.recipes import RECIPES
from attention_core.tasks.seeded import (
    DIFFICULTIES,
    GREATEST,
    hidden_mistakes,
    is_fair,
    mistakes_with_same_answer,
    task,
    task_from,
)
from attention_core.tasks.task import Draw, is_between
from pages.shared.notation.symbols import matrix_id_of_stage
from pagesutil import DECLARED
from strategies import law

kinds = pytest.mark.parametrize(("concept", "difficulty"), [(c, d) for c in RECIPES for d in DIFFICULTIES])
any_task = st.builds(task, st.sampled_from(list(RECIPES)), st.integers(1, 9999), st.sampled_from(DIFFICULTIES))


def numbers_of(made):
    """Return all numbers of a task as nested lists: each given matrix, and then the correct answer."""
    return [made.matrix(name).tolist() for name in made.given] + [made.correct_answer.tolist()]


def test_every_concept_page_has_tasks():
    assert set(RECIPES) <= set(DECLARED)


@kinds
def test_the_same_seed_is_the_same_task(concept, difficulty):
    one, again, other = (unwrap(task)(concept, seed, difficulty) for seed in (17, 17, 18))
    assert numbers_of(one) == numbers_of(again)
    assert numbers_of(one) != numbers_of(other)


def task_of_attempt(concept, seed, difficulty, attempt):
    """Return the task that the app draws at this attempt, counted from 0, even if the task is not fair."""
    draw = Draw(list(RECIPES).index(concept), seed, difficulty, attempt)
    return task_from(RECIPES[concept][difficulty - 1](draw), concept, seed, difficulty)


def test_draws_are_the_same_on_every_machine():
    """Check that a seed gives the same task on every machine and in every version."""
    assert Draw(1, 2, 3).integers(-5, 5, 8).tolist() == [-3, 5, 0, 5, 2, -1, 3, 4]
    of_each = [[numbers_of(task_of_attempt(c, s, d, 0))[0] for s in (1, 17)] for c in RECIPES for d in DIFFICULTIES]
    assert hashlib.sha256(json.dumps(of_each).encode()).hexdigest()[:12] == "f2cf81653161"


@kinds
def test_a_task_is_the_first_draw_that_is_fair(concept, difficulty):
    for seed in (1, 17):
        draws = (task_of_attempt(concept, seed, difficulty, attempt) for attempt in count())
        first = next(made for made in draws if is_fair(made))
        assert numbers_of(first) == numbers_of(task(concept, seed, difficulty))


@law
@given(any_task)
def test_no_task_is_blind_to_a_mistake_of_its_concept(made):
    assert made.mistakes
    assert hidden_mistakes(made) == ()
    assert mistakes_with_same_answer(made) == ()
    if made.asked == "output":
        assert blind_spots(made.trace, made.mistakes) == ()


@law
@given(any_task)
def test_every_mistake_is_named_from_two_decimals(made):
    for mistake in made.mistakes:
        answer = np.round(made.wrong_answer(mistake), 2)
        assert not made.correct_cells(answer).all()
        found = made.diagnose(answer)
        assert not found.all_correct
        assert (mistake.name,) in [tuple(s.name for s in finding.mistakes) for finding in found.findings]


@law
@given(any_task)
def test_the_right_answer_is_right_in_full_and_to_two_decimals(made):
    for answer in (made.correct_answer, np.round(made.correct_answer, 2), np.round(made.correct_answer, 5)):
        assert made.correct_cells(answer).all()
        assert made.diagnose(answer).all_correct
    off = made.correct_answer.copy()
    off[-1, -1] = made.most[-1, -1] + 0.01
    assert (~made.correct_cells(off)).sum() == 1
    assert not made.diagnose(off).all_correct


@law
@given(any_task)
def test_numbers_are_small_and_whole_or_of_two_decimals(made):
    if made.given[-1] != "weights" and made.concept != "positional_encoding":
        assert all(np.array_equal(made.matrix(name), np.round(made.matrix(name), 2)) for name in made.given)
    assert max(np.abs(made.matrix(name)).max() for name in made.given) <= GREATEST
    assert np.abs(made.correct_answer).max() <= GREATEST
    assert 1 < made.correct_answer.size <= 18


@law
@given(any_task)
def test_every_cell_has_its_calculation(made):
    for place in np.ndindex(made.correct_answer.shape):
        cell = explain(made.worked, matrix_id_of_stage(made.asked), place)
        assert cell.value == made.correct_answer[place]
        assert evaluate(cell.term) == pytest.approx(cell.value)


def test_powers_of_two_at_first():
    made = task("softmax_axes", 1, 1)
    powers = 2 ** made.matrix("scores")
    np.testing.assert_allclose(made.correct_answer, powers / powers.sum(axis=1, keepdims=True))


def test_what_is_missing_is_not_right():
    made = task("scaling", 3, 1)
    answer = made.correct_answer.copy()
    answer[0, 1] = np.nan
    assert made.correct_cells(answer).tolist() == [[True, False, True], [True] * 3, [True] * 3]


def test_mistakes_before_what_is_given_are_not_blamed():
    made = task("attention", 5, 2)  # this task gives the scaled scores
    unscaled = next(mistake for mistake in mistakes_of("scaling") if mistake.name == "divided_by_d_k")
    answer = np.round(made.wrong_answer(unscaled), 2)
    assert unscaled not in [mistake for finding in made.diagnose(answer).findings for mistake in finding.mistakes]


def test_a_mistake_after_what_is_asked_for_cannot_happen():
    recipe = RECIPES["queries_keys_values"][0](Draw(1, 2, 3))  # this task asks for q
    mistake = next(mistake for mistake in mistakes_of("queries_keys_values") if mistake.name == "weights_transposed")
    assert is_between(mistake, recipe.trace, recipe.done_until, recipe.asked)
    assert not is_between(replace(mistake, stage="k"), recipe.trace, recipe.done_until, recipe.asked)


def test_a_mistake_that_differs_only_in_a_later_step_is_not_named():
    """Check that unscaled scores name only the mistake “not_scaled”, if a task asks for the scaled scores.

    The mistake “scaled_after_softmax” gives the same scores and differs only in a later step. So the diagnosis does
    not name it as a second mistake.
    """
    made = task("scaling", 17, 1)
    assert [finding.mistakes[0].name for finding in made.diagnose(made.matrix("scores")).findings] == ["not_scaled"]
    assert "scaled_after_softmax" in [mistake.name for mistake in task("scaling", 17, 3).mistakes]


def test_where_no_draw_is_fair_the_error_says_so(monkeypatch):
    monkeypatch.setattr(seeded, "MOST_ZEROS", -1)
    with pytest.raises(RuntimeError, match="a task must be fair; got none in 500 draws of scaling 1: change a recipe"):
        unwrap(task)("scaling", 1)


def test_encoding_some_positions():
    trace = encode(np.ones((2, 4)), [3, 0], 100)
    np.testing.assert_allclose(trace.encoding, sinusoidal(4, 4, 100)[[3, 0]])
    assert trace.positioned is trace.output
    np.testing.assert_allclose(trace.output, 2 + trace.encoding)
    for name, matrix in {"sinusoidal": trace.encoding, "positioned": trace.output}.items():
        assert evaluate(explain(position_step_rules(trace), name, (0, 2)).term) == pytest.approx(matrix[0, 2])
    with pytest.raises(ValueError, match=r"a position a row; got 1 positions for x \(2, 4\)"):
        encode(np.ones((2, 4)), [3])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: task("heads", 1), r"concept must be one of softmax_axes, .*; got heads: choose"),
        (lambda: task("scaling", 0), r"seed must be a whole number of at least 1; got 0"),
        (lambda: task("scaling", 1, 4), r"difficulty must be 1, 2 or 3; got 4"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
