"""Test the tasks: the same seed gives the same task, numbers are small, and every mistake shows in the answer."""

import hashlib
import json
import math
import random
from dataclasses import replace
from inspect import unwrap
from itertools import combinations, count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.arithmetic import Number, Operation, evaluate, explain
from attention_core.arithmetic.attention_rules import rules_of
from attention_core.arithmetic.position_rules import position_step_rules
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.stages import rounded_singles
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
from tasks_on_paper import answer

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
    for right in (made.correct_answer, np.round(made.correct_answer, 2), np.round(made.correct_answer, 5)):
        assert made.correct_cells(right).all()
        assert made.diagnose(right).all_correct
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


KINDS = [(concept, difficulty) for concept in RECIPES for difficulty in DIFFICULTIES]
SEEDS = range(1, 85)  # 84 seeds for each of 24 kinds give more than 2,000 tasks
TRIES = 7  # the number of ways in which the numbers of each task are rounded


def half_up(number, decimals):
    """Return `number` rounded to `decimals` decimals, with 5 always rounded up."""
    return math.floor(number * 10**decimals + 0.5) / 10**decimals


def roundings(chance):
    """Yield functions that round a number as people do when they write it down."""
    for nearest in (round, half_up):
        for decimals in (2, 3, 4):
            yield lambda number, to=decimals, nearest=nearest: nearest(number, to)
    while True:
        yield lambda number: chance.choice((round, half_up))(number, chance.choice((2, 2, 3, 4, 6)))


def rounded_answers(task, tries=TRIES, chance=None):
    """Yield `tries` answers to `task` by people who work correctly, but round intermediate numbers in different ways.

    `chance` is the random generator. By default it has the seed of the task.
    """
    chance = chance or random.Random(task.seed)
    for write, _ in zip(roundings(chance), range(tries), strict=False):
        how = {"less_the_greatest": chance.random() < 0.5, "times_inverse": chance.random() < 0.5}
        yield np.array(answer(task, write, **how))


@pytest.fixture(scope="module", params=KINDS, ids=str)
def tasks(request):
    """Give the test several tasks of one kind, from different seeds."""
    return [task(request.param[0], seed, request.param[1]) for seed in SEEDS]


@pytest.mark.many
def test_rounded_answers_are_marked_correct_and_answers_beyond_are_marked_wrong(tasks):
    for this in tasks:
        np.testing.assert_allclose(answer(this, lambda number: number), this.correct_answer, atol=1e-12)
        for found in rounded_answers(this):
            assert this.correct_cells(found).all(), (this.seed, found, this.least, this.most)
            assert this.correct_cells(np.round(found, 2)).all(), (this.seed, found)
        assert not this.correct_cells(this.most + 0.01).any()
        assert not this.correct_cells(this.least - 0.01).any()


@pytest.mark.many
def test_each_mistake_gives_another_answer_than_the_right_one_and_all_others(tasks):
    for this in tasks:
        wrong = [np.round(this.wrong_answer(mistake), 2) for mistake in this.mistakes]
        assert wrong
        assert hidden_mistakes(this) == mistakes_with_same_answer(this) == ()
        for found, mistake in zip(wrong, this.mistakes, strict=True):
            assert not this.correct_cells(found).all()
            assert not this.correct_cells(this.wrong_answer(mistake)).all()
        for one, other in combinations(wrong, 2):
            assert not np.array_equal(one, other)


@pytest.mark.many
def test_at_most_a_third_of_the_numbers_are_0_and_no_position_comes_twice(tasks):
    for this in tasks:
        for matrix in (*map(this.matrix, this.given), this.correct_answer):
            assert 3 * np.count_nonzero(matrix == 0) <= matrix.size, (this.seed, matrix)
        if "positions" in this.given:
            assert len(np.unique(this.matrix("positions"))) == this.matrix("positions").size


@pytest.mark.many
@pytest.mark.parametrize(("concept", "difficulty"), [("attention", 3), ("cross_attention", 3), ("scaling", 3)])
def test_a_mistake_is_named_although_every_step_was_rounded(concept, difficulty):
    """Check that the diagnosis names a mistake although its author rounded every step."""
    for this in (task(concept, seed, difficulty) for seed in range(1, 4)):
        work = edited_run_of(this.trace)
        plans = rounded_singles(work.pipeline, this.asked, this.mistakes, 3)
        for plan in plans:
            made = work.matrix_after(plan.lines, this.asked)
            assert made is not None
            named = [mistake for finding in this.diagnose(np.round(made, 2)).findings for mistake in finding.mistakes]
            assert plan.mistakes[0] in named or not np.isfinite(made).all()


# --- difficulty ---


def operations_of(task):
    """Return the set of operations that are needed to compute the answer of `task`."""
    rules = {name: rule for name, (_, rule) in rules_of(task.worked).items()}
    given, found, to_do = {name.partition(".")[0] for name in task.given}, set(), []
    for place in np.ndindex(task.correct_answer.shape):
        to_do.append(rules[matrix_id_of_stage(task.asked)](*place))
    while to_do:
        term = to_do.pop()
        if isinstance(term, Operation) and term not in found:
            to_do += term.terms
            found.add(term)
        elif isinstance(term, Number) and term.index and term.name in rules and term.name not in given:
            to_do.append(rules[term.name](*term.index))
    return found


def work_of(task):
    """Return how much work `task` takes, as two counts in an array.

    The first is the number of operations other than sums, differences and maxima. The second is the number of shown
    numbers that are not whole.
    """
    multiplied = [one for one in operations_of(task) if one.symbol not in ("sum", "difference", "maximum")]
    shown = np.concatenate([task.matrix(name).ravel() for name in task.given] + [task.correct_answer.ravel()])
    return np.array([len(multiplied), np.count_nonzero(shown != np.round(shown))])


@pytest.mark.many
@pytest.mark.parametrize("concept", RECIPES)
def test_harder_tasks_take_more_work(concept):
    easy, middle, hard = (
        np.mean([work_of(task(concept, seed, d)) for seed in range(1, 21)], axis=0) for d in (1, 2, 3)
    )
    assert easy.sum() < middle.sum() < hard.sum()
    assert (easy <= middle).all()
    assert (middle <= hard).all()
