"""A pasted answer with its task and diagnosis, and which of its numbers differ: where, and by how much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from attention_core.diagnosis.answer import MOST_DECIMALS, Diagnosis, Finding, OneNumber, StepFound
from attention_core.diagnosis.one_number import is_writing_error
from attention_core.diagnosis.pasted import Problem, correct_cells
from attention_core.diagnosis.stages import matrix_at
from attention_core.reading.matrix_text import MatrixText
from pages.shared.notation.latex import Said
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import typeset
from pages.shared.notation.symbols import SYMBOLS, matrix_id_of_stage
from pages.shared.notation.texts import texts_beside

TEXTS = texts_beside(__file__)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A pasted answer with its task and its diagnosis, and how the texts of the page speak about them."""

    parameters: Any
    problem: Problem
    answer: MatrixText
    found: Diagnosis

    @property
    def first(self) -> Finding:
        """The first explanation of the answer."""
        return self.found.findings[0]

    @property
    def name(self) -> str:
        """The name of the matrix that the task asks for, as in “queries”."""
        return matrix_name(self.problem.stage)

    def say(self, section: str, /, **names: Any) -> Said:
        """Return the text of a section of the page's texts, for the visitor's layout."""
        return self.parameters.say(TEXTS, section, **names)

    def of_core(self, text: str) -> str:
        """Return a text of the core, such as the title of a mistake, for the visitor's layout."""
        return self.parameters.in_layout(typeset(text))


def place_text(parameters: Any, place: Sequence[int]) -> str:
    """Return the place of a number in words, such as “row 1, column 3”; `place` may begin with a head."""
    *head, i, j = (index + 1 for index in place)
    if head:
        return parameters.say(TEXTS, "place_in_head", head=head[0], i=i, j=j)
    return parameters.say(TEXTS, "place", i=i, j=j)


def place_in_matrix_text(parameters: Any, stage: str, place: Sequence[int], *, yours: bool = False) -> str:
    """Return where a number is, such as “row 1, column 3 of the scores”; if `yours`, “of your scores”."""
    *head, row, column = place
    said = place_text(parameters, (row, column))
    if not head:
        return parameters.say(
            TEXTS, "place_in_yours" if yours else "place_in_matrix", place=said, matrix=matrix_name(stage)
        )
    matrix = matrix_name("output" if stage == "heads" else stage)
    section = "place_in_yours_of_head" if yours else "place_in_matrix_of_head"
    return parameters.say(TEXTS, section, place=said, matrix=matrix, head=head[0] + 1)


def matrix_name(stage: str) -> str:
    """Return the name of the matrix `stage` for a sentence: "q" gives “queries”."""
    return TEXTS.words("other_matrices").options.get(stage) or SYMBOLS[matrix_id_of_stage(stage)][1]


def is_singular(stage: str) -> bool:
    """Return whether the name of the matrix `stage` is singular: the output is, the keys are."""
    return stage in ("output", "encoding")


def shape_text(values: np.ndarray) -> str:
    """Return the shape of a matrix as a text, such as “3×4”."""
    return "×".join(map(str, values.shape))


def number_in_words(n: int) -> str:
    """Return a number from 0 to 10 as a word, and a greater number in digits."""
    words = TEXTS.points("numbers_in_words")
    return words[n] if n < len(words) else str(n)


def join_names(names: Sequence[str], section: str = "joined_with_and") -> str:
    """Join names with commas, and the last two with a word.

    >>> join_names(["a"]), join_names(["a", "b"], "joined_with_or"), join_names(["a", "b", "c"])
    ('a', 'a or b', 'a, b and c')
    """
    *first, last = names
    return TEXTS.fill(section, first=", ".join(first), last=last) if first else last


FEWEST, USUAL, MOST_WRITTEN, MOST = 2, 4, 6, 12  # decimals
LARGE = 1e6  # numbers from here on are written as powers of ten


def two_numbers(value: float, right: float, decimals: int | None = None) -> tuple[str, str]:
    """Return a number and its correct value in LaTeX, with at least `decimals`, and enough to see that they differ.

    >>> two_numbers(17.3919, 17.391982)
    ('17.3919', '17.3920')
    >>> two_numbers(2.0, 3.25)
    ('2', '3.25')
    >>> two_numbers(4.68, 4.4810)
    ('4.68', '4.48')
    >>> two_numbers(0.6, 0.26341, 4)
    ('0.6', '0.2634')
    """
    if not (math.isfinite(value) and math.isfinite(right)) or max(abs(value), abs(right)) >= LARGE:
        return number(value), number(right)
    written = next((n for n in range(FEWEST, MOST_WRITTEN + 1) if round(value, n) == value), USUAL)
    least = max(written, min(decimals or 0, MOST_WRITTEN))
    decimals = next((n for n in range(least, MOST) if round(value, n) != round(right, n)), MOST)
    return _cut(value, decimals), _cut(right, decimals)


def with_decimals(right: float, decimals: int | None) -> str:
    """Return a correct number in LaTeX, with the `decimals` of the visitor's matrix (None: 4).

    >>> with_decimals(1.86391, 5), with_decimals(0.08781, 3), with_decimals(1.86391, None)
    ('1.86391', '0.088', '1.8639')
    """
    if not math.isfinite(right) or abs(right) >= LARGE:
        return number(right)
    return _cut(right, max(FEWEST, min(USUAL if decimals is None else decimals, MOST_WRITTEN)))


def _cut(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    is_exact = math.isclose(value, float(text), rel_tol=0, abs_tol=1e-12)
    return text.rstrip("0").rstrip(".") if is_exact else text


MOST_LISTED = 3


def changed_numbers_text(case: Case) -> str:
    """Return paragraphs that name the single numbers which may be wrong, in an earlier step or in the result."""
    first, changed = case.first, _changed(case)
    if not changed:
        return ""
    if first.mistakes:
        section = "numbers_or_mistake" if len(changed) > 1 else "number_or_mistake"
        return case.say(section, change=_change(case, changed[0], in_sentence=True))
    if first.kind == "one_free":
        return case.say("one_free_number", change=_change(case, changed[0], in_sentence=True))
    if first.kind == "few_numbers":
        return _wrong_numbers(case, changed)
    if changed[0].stage == case.problem.stage and not first.wrong_from:
        check = _what_to_check(case, changed)
        return case.say("wrong_number_of_result", change=_change(case, changed[0]), check=check)
    if len(changed) == 1:
        return case.say("one_earlier_number", change=_change(case, changed[0]))
    return case.say("several_earlier_numbers", lines=_short_list(case, changed))


def _changed(case: Case) -> list[OneNumber]:
    return [finding.changed for finding in case.found.findings if finding.changed]


def _what_to_check(case: Case, changed: Sequence[OneNumber]) -> str:
    """Return sentences that say what to check if the first number in `changed`, one of the result, is wrong."""
    is_hidden = case.problem.stage == "weights" and not changed[0].value
    check = case.say("check_hidden_key" if is_hidden else "check_digits")
    if len(changed) == 1:
        return check
    section = "perhaps_an_earlier_number" if len(changed) == 2 else "perhaps_earlier_numbers"
    return case.say(section, check=check, lines=_short_list(case, changed[1:]))


def _short_list(case: Case, changed: Sequence[OneNumber]) -> str:
    more = [case.say("another_number")] if len(changed) > MOST_LISTED else []
    return _lines([*(_change(case, each) for each in changed[:MOST_LISTED]), *more])


def _lines(points: Sequence[str]) -> str:
    return "\n".join(f"- {each}" for each in points)


def _wrong_numbers(case: Case, changed: Sequence[OneNumber]) -> str:
    lines = [_change(case, each) for each in changed]
    for i, each in enumerate(changed):
        if is_writing_error(each.value, each.correct_value):
            lines[i] = case.say("mistyped", change=lines[i])
    return case.say("wrong_numbers", many=number_in_words(len(case.found.findings)), lines=_lines(lines))


def changed_numbers_list(case: Case) -> str:
    """Return a list of all single numbers that may be wrong, or "" if the verdict has already named all of them."""
    changed = _changed(case)
    if len(changed) < 2 or case.first.kind in ("one_free", "few_numbers"):
        return ""
    n_named = 1 if case.first.mistakes else MOST_LISTED + (changed[0].stage == case.problem.stage)
    if len(changed) <= n_named:
        return ""
    return case.say("all_changes", lines=_lines([_change(case, each) for each in changed]))


def _change(case: Case, changed: OneNumber, *, in_sentence: bool = False) -> str:
    value, right = two_numbers(round(changed.value, MOST_DECIMALS) + 0.0, changed.correct_value)  # 0.0 is added for −0
    place = place_in_matrix_text(case.parameters, changed.stage, changed.place)
    if in_sentence:
        return case.say("change_in_sentence", place=place, value=value, right=right)
    return case.say("change", place=f"{place[0].upper()}{place[1:]}", value=value, right=right)


MOST_ROWS = 6  # the most rows that are listed one by one


def correct_part_text(case: Case) -> str:
    """Return sentences that say which steps, rows or numbers of a wrong result are correct, or "" if none is."""
    steps = _right_steps(case)
    if case.answer.values.shape != case.problem.correct_result.shape:
        return steps
    right = correct_cells(case.problem, case.answer)
    rows = _correct_rows_text(case.parameters, right, case.problem.stage) if right.any() or not steps else ""
    return " ".join(filter(None, (steps, rows)))


def _right_steps(case: Case) -> str:
    told = []
    for kind, one, several in (
        ("right", "step_is_correct", "steps_are_correct"),
        ("near", "step_is_close", "steps_are_close"),
    ):
        stages = [step.stage for step in case.found.steps[:-1] if step.kind == kind]
        if stages:
            section = one if len(stages) == 1 and is_singular(stages[0]) else several
            told.append(case.say(section, name=join_names([matrix_name(stage) for stage in stages])))
    return " ".join(told)


def _correct_rows_text(parameters: Any, is_correct: np.ndarray, stage: str) -> str:
    """Return a sentence that says which rows, or how many numbers, of a result are correct, or that its shape is."""
    say, name = partial(parameters.say, TEXTS), matrix_name(stage)
    good = np.flatnonzero(is_correct.all(axis=1)).tolist()
    are_first = good == list(range(len(good)))
    if len(good) > MOST_ROWS and not are_first:
        return say("some_rows_correct", n=len(good), n_rows=len(is_correct), name=name)
    if len(good) == 1:
        return say("first_row_correct" if are_first else "one_row_correct", n=good[0] + 1, name=name)
    if good:
        section = "first_rows_correct" if are_first else "listed_rows_correct"
        which = join_names([str(i + 1) for i in good])
        return say(section, many=number_in_words(len(good)), which=which, name=name)
    if n := int(is_correct.sum()):
        section = "one_number_correct" if n == 1 else "some_numbers_correct"
        return say(section, n=n, size=is_correct.size, name=name)
    section = "it_has_correct_shape" if is_singular(stage) else "they_have_correct_shape"
    return say(section, name=name, shape=shape_text(is_correct))


def first_wrong_text(case: Case) -> str:
    """Return sentences with the first wrong number and its correct value, or "" if no number is wrong."""
    if case.found.first_wrong_cell is None:
        return ""
    stage, row, column = case.found.first_wrong_cell
    wrong = next((step for step in case.found.steps if step.kind == "wrong"), None)
    if wrong is not None:
        return wrong_step_text(case, wrong)
    right = case.problem.correct_result
    if case.answer.values.shape != right.shape:
        return _of_shape(case)
    value = float(case.answer.values[row, column])
    return _first_wrong(case, stage, (row, column), value, float(right[row, column]), case.answer.decimals)


def first_difference_text(case: Case) -> str:
    """Return sentences with the first number that differs, even if only in its last digit, or "" if there is none."""
    off = np.argwhere(~correct_cells(case.problem, case.answer))
    if not len(off):
        return ""
    place = tuple(off[0].tolist())
    value, right = (float(matrix[place]) for matrix in (case.answer.values, case.problem.correct_result))
    value, right = two_numbers(value, right, case.answer.decimals)
    return case.say("first_difference", place=place_text(case.parameters, place), value=value, right=right)


def wrong_step_text(case: Case, step: StepFound) -> str:
    """Return a sentence with the first wrong number of a step and its correct value, or with the correct shape."""
    if step.correct_value == step.correct_value:
        return _first_wrong(case, step.stage, step.place, step.value, step.correct_value)
    wanted = shape_text(matrix_at(case.problem.trace, step.stage))
    section = "it_has_another_shape" if is_singular(step.stage) else "they_have_another_shape"
    return case.say(section, name=matrix_name(step.stage), shape=wanted)


def _first_wrong(
    case: Case, stage: str, place: Sequence[int], value: float, right: float, decimals: int | None = None
) -> str:
    written, wanted = two_numbers(value, right, decimals)
    where = place_in_matrix_text(case.parameters, stage, place, yours=True)
    section = "first_wrong_nan" if np.isnan(value) else "first_wrong_number"
    return case.say(section, place=where, value=written, right=wanted)


def _of_shape(case: Case) -> str:
    right, yours, example = case.problem.correct_result, case.answer.values, case.problem.example
    section = "its_shape_differs" if is_singular(case.problem.stage) else "their_shapes_differ"
    told = case.say(section, name=case.name, shape=shape_text(right), your_shape=shape_text(yours))
    n_asks, n_answers = len(example.tokens), len(example.key_tokens)
    return f"{told} {case.say('a_row_for_each_key')}" if len(yours) == n_answers != n_asks else told
