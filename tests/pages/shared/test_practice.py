"""Test the tasks of "Try it": a link gives everyone the same task, answers are marked, and mistakes are named."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.tasks.recipes import RECIPES
from attention_core.tasks.seeded import DIFFICULTIES, task
from lit_cells import Board, lit_cells
from pages.shared.equation import Matrix, formulas_of, matrices_of
from pages.shared.equation.computation import lit_as_data
from pages.shared.notation.prose import typeset
from pages.shared.state import history
from pages.shared.task_block import answering, block
from pages.shared.task_block.answering import Practice, Sheet, practice, read_entry
from pages.shared.task_block.task_equation import lines
from strategies import law
from visiting import new_visitor, send, visiting

KINDS = [(concept, difficulty) for concept in RECIPES for difficulty in DIFFICULTIES]
of_every_kind = pytest.mark.parametrize(("concept", "difficulty"), KINDS)
SOFTMAX = task("softmax_axes", 17, 1)


def typed_numbers(numbers, decimals=2):
    """Return numbers as a visitor would type them, with this number of decimals."""
    return tuple(tuple(f"{number:.{decimals}f}" for number in row) for row in numbers)


def go_to_task(visitor, number):
    visitor.visit = visitor.visit.with_parameters(task=number)


def sheet_handed_in(numbers):
    """Return a `Sheet`, a visitor's answer to a task, that is filled with these numbers and handed in."""
    return Sheet(typed_numbers(numbers), done=True)


# --- what is asked, and what is said of an answer ---


@pytest.mark.many
@of_every_kind
def test_every_mistake_of_the_concept_is_named_in_the_text(concept, difficulty):
    for seed in (1, 2, 3):
        this = task(concept, seed, difficulty)
        for mistake in this.mistakes:
            said = block.verdict_text(this, sheet_handed_in(this.wrong_answer(mistake)))
            assert typeset(mistake.title) in said
            assert typeset(mistake.why) in said
            assert "All right" not in said


@of_every_kind
def test_the_right_answer_is_right_whether_rounded_or_as_fractions(concept, difficulty):
    this = task(concept, 5, difficulty)
    assert block.verdict_text(this, sheet_handed_in(this.correct_answer)).startswith("**All right.**")
    assert block.verdict_text(this, Sheet(typed_numbers(this.correct_answer, 6))).startswith("**All right.**")
    fractions = tuple(tuple(f"{number * 7:.12f}/7" for number in row) for row in this.correct_answer)
    assert block.verdict_text(this, Sheet(fractions)).startswith("**All right.**")


def test_a_slip_of_the_pen_is_no_known_mistake():
    numbers = SOFTMAX.correct_answer.copy()
    numbers[1, 1] += 0.1
    assert block.verdict_text(SOFTMAX, sheet_handed_in(numbers)).startswith("**No usual mistake")
    assert "5 of 6 cells are right" in block.verdict_text(SOFTMAX, sheet_handed_in(numbers))


def test_rows_in_another_order_and_transposed_numbers_are_known():
    this = task("attention", 2, 2)
    assert "rows 3, 1, 2" in block.verdict_text(this, sheet_handed_in(this.correct_answer[[2, 0, 1]]))
    assert "transposed" in block.verdict_text(this, sheet_handed_in(this.correct_answer.T))


@of_every_kind
def test_what_is_given_is_enough_and_the_answer_is_not_in_it(concept, difficulty):
    this = task(concept, 9, difficulty)
    empty = Sheet((("",) * this.correct_answer.shape[1],) * this.correct_answer.shape[0])
    items = [item for line in lines(this, empty) for item in line.items if isinstance(item, Matrix)]
    (blank,) = [item for item in items if item.blank is not None]
    assert np.isnan(blank.values).all()
    assert (blank.right, blank.marks, blank.lights) == (None, None, ())
    for i, j in np.ndindex(this.correct_answer.shape):
        hinted = matrices_of(lines(this, replace(empty, hinted=(i, j))))
        (blank,) = [matrix for matrix in hinted if matrix.blank is not None]
        board = Board(formulas_of(hinted))
        for matrix in hinted:
            board.add(matrix.id, matrix.values.shape)
        lights = None if blank.lights is None else [*map(lit_as_data, blank.lights)]
        assert lit_cells(blank.id, i, j, board, lights), f"a hint for {(i, j)} lights up nothing"
    assert block.question_text(this)
    every = [item for line in lines(this, sheet_handed_in(this.correct_answer)) for item in line.items]
    (marked,) = [item for item in every if isinstance(item, Matrix) and item.blank]
    assert marked.marks is not None
    assert marked.marks.all()


@of_every_kind
def test_products_are_true_as_they_stand(concept, difficulty):
    this = task(concept, 4, difficulty)
    for line in lines(this, sheet_handed_in(this.correct_answer)):
        matrices = [item for item in line.items if isinstance(item, Matrix)]
        if "·" in line.items and "=" in line.items:
            left, right, *added, result = [m.values.T if m.transposed else m.values for m in matrices]
            assert np.isnan(result).all()
            np.testing.assert_allclose(left @ right + sum(added), this.correct_answer)


# --- what learners write ---


@pytest.mark.parametrize(
    ("text", "number"), [("1/4", 0.25), ("-2.5", -2.5), ("\u22122/5", -0.4), ("1e-2", 0.01), (" 3 ", 3.0), ("0", 0.0)]
)
def test_numbers_and_fractions_are_read(text, number):
    assert read_entry(text) == number


@pytest.mark.parametrize("text", ["10000/1e-320", "1e4/1e-300", "-1/1e-5", "1e5/10", "1/1e5", "nan/1", "1/inf", "1/"])
def test_a_fraction_is_of_two_numbers_within_bounds_and_within_them_itself(text):
    with pytest.raises(ValueError, match="A cell must hold a number from -10000 to 10000, or a fraction"):
        read_entry(text)


def test_nothing_is_divided_by_zero():
    with pytest.raises(ValueError, match="No number can be divided by 0"):
        read_entry("1/-0")


@law
@given(st.text(max_size=45) | st.integers() | st.none())
def test_whatever_is_sent_is_a_number_or_refused(text):
    visitor = new_visitor("softmax_axes")
    go_to_task(visitor, 17)
    with visiting(visitor):
        problem = answering.fill("weights_task", [[0, 0, text]])
        entry = answering.sheet_of(SOFTMAX).entries[0][0]
        if problem:
            assert entry == ""
            assert "nothing was written" in problem
        else:
            assert entry == text
            assert entry == "" or abs(read_entry(entry)) <= 10_000


def test_undo_and_redo_stay_within_the_blank():
    visitor = new_visitor("softmax_axes")
    go_to_task(visitor, 17)
    with visiting(visitor):
        for i, text in enumerate(["1", "2", "2"]):
            send({"kind": "fill", "id": "weights_task", "cells": [[0, 0, text]]}, first=i + 1)
        for i, (kind, expected) in enumerate([("undo", "1"), ("undo", ""), ("undo", ""), ("redo", "1"), ("redo", "2")]):
            send({"kind": kind, "id": "weights_task"}, first=i + 4)
            assert answering.sheet_of(SOFTMAX).entries[0][0] == expected
        assert history.history().past == []


def test_only_so_many_sheets_are_kept():
    visitor = new_visitor("softmax_axes")
    with visiting(visitor):
        for number in range(1, answering.MOST_SHEETS + 5):
            go_to_task(visitor, number)
            assert answering.fill("weights_task", [[0, 0, "1"]]) is None
        assert len(practice().sheets) == len(practice().past) == answering.MOST_SHEETS


def test_only_so_many_steps_of_a_task_are_kept():
    visitor = new_visitor("softmax_axes")
    go_to_task(visitor, 1)
    with visiting(visitor):
        for number in range(answering.MOST_STEPS + 5):
            assert answering.fill("weights_task", [[0, 0, str(number)]]) is None
        assert [len(past) for past in practice().past.values()] == [answering.MOST_STEPS]


def test_the_score_counts_what_is_right_and_in_a_row():
    assert block.score_text(Practice(right=3, done=4, streak=2)) == "This visit: **3 of 4** right, 2 in a row."
    assert block.score_text(Practice(right=1, done=3, streak=1)) == "This visit: **1 of 3** right."
