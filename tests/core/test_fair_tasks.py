"""Test that tasks are fair.

Every answer that is rounded honestly is marked correct, and no other answer is. Harder tasks take more work.
"""

import math
import random
from itertools import combinations

import numpy as np
import pytest

from attention_core.arithmetic import Number, Operation
from attention_core.arithmetic.attention_rules import rules_of
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.stages import rounded_singles
from attention_core.tasks.recipes import RECIPES
from attention_core.tasks.seeded import DIFFICULTIES, hidden_mistakes, mistakes_with_same_answer, task
from pages.shared.notation.symbols import matrix_id_of_stage
from tasks_on_paper import answer

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
