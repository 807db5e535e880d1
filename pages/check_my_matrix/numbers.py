"""Which numbers differ, where, by how much, and which of them are right."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from attention_core.diagnosis.answer import MOST_DECIMALS, Diagnosis, Finding, OneNumber, StepFound
from attention_core.diagnosis.one_number import is_writing_error
from attention_core.diagnosis.pasted import Problem, correct_cells
from attention_core.diagnosis.stages import matrix_at
from attention_core.reading.matrix_text import MatrixText
from pages.shared.notation.numbers import number
from pages.shared.notation.symbols import SYMBOLS, matrix_id_of_stage

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# The names of stages that are not in the table of symbols, or that have another name there.
STEPS = {"exponents": "exponents", "angles": "angles", "concat": "heads side by side", "heads": "outputs of the heads"}


def place_text(place: Sequence[int]) -> str:
    """Return the place of a number in words, such as “row 1, column 3”.

    `place` has the row and the column, counted from 0. If there are several heads, the head comes first.
    """
    *head, row, column = (i + 1 for i in place)
    return (f"head {head[0]}, " if head else "") + f"row {row}, column {column}"


def place_in_matrix_text(stage: str, place: Sequence[int], whose: str = "the") -> str:
    """Return where a number is, with the name of its matrix. `whose` is the word before this name, such as “your”.

    >>> place_in_matrix_text("scores", (0, 2)), place_in_matrix_text("heads", (1, 0, 2))
    ('row 1, column 3 of the scores', 'row 1, column 3 of the output of head 2')
    """
    *head, row, column = place
    if not head:
        return f"{place_text(place)} of {whose} {matrix_name(stage)}"
    matrix = "output" if stage == "heads" else matrix_name(stage)
    return f"{place_text((row, column))} of {whose} {matrix} of head {head[0] + 1}"


def matrix_name(stage: str) -> str:
    """Return the name of the matrix `stage` for a sentence: "q" gives “queries”."""
    return STEPS.get(stage) or SYMBOLS[matrix_id_of_stage(stage)][1]


def was_or_were(stage: str) -> str:
    """Return “was” or “were”, the verb for the matrix `stage`: the output was, the keys were."""
    return "was" if stage in ("output", "encoding") else "were"


def is_or_are(stage: str) -> str:
    """Return “is” or “are”, the verb for the matrix `stage`: the output is, the keys are."""
    return "is" if was_or_were(stage) == "was" else "are"


def verb_form(stage: str, verb: str) -> str:
    """Return `verb` in the form for the matrix `stage`: the output follows, the queries follow."""
    if was_or_were(stage) == "were":
        return verb
    return "has" if verb == "have" else f"{verb}s"


def it_or_them(stage: str) -> str:
    """Return “it” or “them”, the pronoun for the matrix `stage`."""
    return "it" if was_or_were(stage) == "was" else "them"


def shape_text(values: np.ndarray) -> str:
    """Return the shape of a matrix as a text, such as “3×4”."""
    return "×".join(map(str, values.shape))


def number_in_words(n: int) -> str:
    """Return a number from 0 to 10 as a word, and a greater number in digits."""
    return NUMBERS[n] if n < len(NUMBERS) else str(n)


def join_names(names: Sequence[str], word: str = "and") -> str:
    """Join names with commas, and the last two with a word.

    >>> join_names(["a"]), join_names(["a", "b"], "or"), join_names(["a", "b", "c"])
    ('a', 'a or b', 'a, b and c')
    """
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


FEWEST, USUAL, MOST_WRITTEN, MOST = 2, 4, 6, 12  # decimals
LARGE = 1e6  # numbers from here on are written as powers of ten


def two_numbers(value: float, right: float, decimals: int | None = None) -> tuple[str, str]:
    """Return a number and its correct value in LaTeX, with enough decimals to see that they differ.

    Both get as many decimals as `value` has, and at least `decimals`, the decimals of its matrix. If both would still
    look equal, they get more. Zeros at the end of an exact number are left out.

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


def changed_numbers_text(findings: Sequence[Finding], problem: Problem) -> list[str]:
    """Return paragraphs that name the single numbers which may be wrong, in an earlier step or in the result."""
    changed, asked = [finding.changed for finding in findings if finding.changed], problem.stage
    if not changed:
        return []
    if findings[0].mistakes:
        more = " (or another number: see “More about this verdict”)" if len(changed) > 1 else ""
        return [
            f"One wrong number would also give your numbers: {_change(changed[0], in_sentence=True)}{more}. The "
            "result alone cannot show which of these causes it is."
        ]
    if findings[0].kind == "one_free":
        return [
            "One wrong number in an earlier step would give your numbers, for example "
            f"{_change(changed[0], in_sentence=True)}. But other mistakes would also give them, and your result has "
            "too few numbers to show which one it is. Paste your earlier steps as well."
        ]
    if findings[0].kind == "few_numbers":
        return [_wrong_numbers(changed, len(findings))]
    if changed[0].stage == asked and not findings[0].wrong_from:
        return [f"**{_change(changed[0])}.** Every other number is correct. {_what_to_check(changed, asked)}"]
    if len(changed) == 1:
        return [
            f"**{_change(changed[0])}.** Your numbers fit if only this number is wrong, and every later step is "
            "computed from it. Compute it again."
        ]
    return [
        f"One wrong number in an earlier step would give your numbers. It may be:\n\n{_short_list(changed)}\n\nPaste "
        "your earlier steps as well. Then I can find out which number it is."
    ]


def _what_to_check(changed: Sequence[OneNumber], asked: str) -> str:
    """Return sentences that say what to check if one number of the result is wrong.

    `changed` has the number of the result first, and then numbers of earlier steps that may be the cause. `asked` is
    the name of the result, such as "weights".
    """
    again = "Check its sign, its digits and its decimal point."
    if asked == "weights" and not changed[0].value:
        again = "A weight of 0 can also mean that you hid this key after the softmax."
    if len(changed) == 1:
        return again
    return (
        f"{again} Perhaps a number in an earlier step is wrong instead. {_each(changed[1:])} your "
        f"numbers:\n\n{_short_list(changed[1:])}\n\nPaste your earlier steps as well. Then I can find out which number "
        "it is."
    )


def _each(changed: Sequence[OneNumber]) -> str:
    return "This change alone gives" if len(changed) == 1 else "Each of these changes, alone, gives"


def _short_list(changed: Sequence[OneNumber]) -> str:
    """Return a list with the first few numbers in `changed`, and where to find the others."""
    more = ["another number: see “More about this verdict”"] if len(changed) > MOST_LISTED else []
    return "\n".join(f"- {each}" for each in [*map(_change, changed[:MOST_LISTED]), *more])


def _wrong_numbers(changed: Sequence[OneNumber], n_wrong: int) -> str:
    lines = "\n".join(f"- {_change(each)}{_typing_error_text(each)}" for each in changed)
    return (
        f"These {number_in_words(n_wrong)} numbers are wrong:\n\n{lines}\n\n"
        "All other numbers are correct to the last digit. No known mistake gives the wrong ones. Compute them again, "
        "and check what you copied."
    )


def _typing_error_text(changed: OneNumber) -> str:
    """Return “ (perhaps you mistyped it)” if a typing error explains the number, or ""."""
    return " (perhaps you mistyped it)" if is_writing_error(changed.value, changed.correct_value) else ""


def changed_numbers_list(findings: Sequence[Finding], asked: str) -> str:
    """Return a list of all single numbers that may be wrong, or "" if the verdict has already named all of them.

    `asked` is the name of the result, such as "weights".
    """
    changed = [finding.changed for finding in findings if finding.changed]
    n_named = 1 if findings[0].mistakes else MOST_LISTED + (bool(changed) and changed[0].stage == asked)
    if findings[0].kind in ("one_free", "few_numbers") or len(changed) < 2 or len(changed) <= n_named:
        return ""
    lines = "\n".join(f"- {_change(each)}" for each in changed)
    return f"Each of these changes, alone, gives your numbers:\n\n{lines}"


def _change(changed: OneNumber, *, in_sentence: bool = False) -> str:
    value, right = two_numbers(round(changed.value, MOST_DECIMALS) + 0.0, changed.correct_value)  # 0.0 is added for −0
    values = f"${value}$ in place of ${right}$"
    if in_sentence:
        return f"{place_in_matrix_text(changed.stage, changed.place)} ({values})"
    said = place_in_matrix_text(changed.stage, changed.place)
    return f"{said[0].upper()}{said[1:]}: {values}"


MOST_ROWS = 6  # the most rows that are listed one by one


def correct_part_text(problem: Problem, answer: MatrixText, found: Diagnosis) -> str:
    """Return sentences that say which steps, rows or numbers of a wrong result are correct, or "" if none is."""
    steps = _right_steps(found.steps[:-1])
    if answer.values.shape != problem.correct_result.shape:
        return steps
    right = correct_cells(problem, answer)
    return " ".join(filter(None, (steps, _correct_rows_text(right, problem.stage) if right.any() or not steps else "")))


def _right_steps(steps: Sequence[StepFound]) -> str:
    told = []
    for kind, right in {
        "right": "correct",
        "near": "correct, except for differences that rounding may explain",
    }.items():
        stages = [step.stage for step in steps if step.kind == kind]
        are = "are" if len(stages) > 1 or (stages and was_or_were(stages[0]) == "were") else "is"
        told += [f"Your {join_names([matrix_name(stage) for stage in stages])} {are} {right}."] if stages else []
    return " ".join(told)


def _correct_rows_text(is_correct: np.ndarray, stage: str) -> str:
    """Return a sentence that says which rows, or how many numbers, of a result are correct.

    `is_correct` has True for each correct number. If no number is correct, the sentence says that the shape is correct.
    """
    good = np.flatnonzero(is_correct.all(axis=1)).tolist()
    if len(good) > MOST_ROWS and good != list(range(len(good))):
        return f"{len(good)} of {len(is_correct)} rows of your {matrix_name(stage)} are correct."
    if good == [0]:
        return f"The first row of your {matrix_name(stage)} is correct."
    if len(good) == 1:
        return f"Row {good[0] + 1} of your {matrix_name(stage)} is correct."
    if good == list(range(len(good))) and good:
        return f"The first {number_in_words(len(good))} rows of your {matrix_name(stage)} are correct."
    if good:
        return f"Rows {join_names([str(row + 1) for row in good])} of your {matrix_name(stage)} are correct."
    if is_correct.any():
        n, verb = int(is_correct.sum()), "is" if is_correct.sum() == 1 else "are"
        return f"{n} of {is_correct.size} numbers of your {matrix_name(stage)} {verb} correct."
    shape = f"{len(is_correct)}×{is_correct.shape[1]}"
    return f"Your {matrix_name(stage)} {verb_form(stage, 'have')} the correct shape, {shape}."


def first_wrong_text(problem: Problem, answer: MatrixText, found: Diagnosis) -> str:
    """Return sentences with the first wrong number and its correct value, or "" if no number is wrong."""
    if found.first_wrong_cell is None:
        return ""
    stage, row, column = found.first_wrong_cell
    wrong = next((step for step in found.steps if step.kind == "wrong"), None)
    if wrong is not None:
        return wrong_step_text(problem, wrong)
    if answer.values.shape != problem.correct_result.shape:
        return _of_shape(problem, answer)
    value, right = (float(m[row, column]) for m in (answer.values, problem.correct_result))
    return f"{_place(stage, (row, column))} {_value_text(value, right, answer.decimals)}"


def first_difference_text(problem: Problem, answer: MatrixText) -> str:
    """Return sentences with the first number that differs from the correct one, even if only in its last digit.

    Return "" if no number differs.
    """
    off = np.argwhere(~correct_cells(problem, answer))
    if not len(off):
        return ""
    row, column = off[0].tolist()
    value, right = two_numbers(
        float(answer.values[row, column]), float(problem.correct_result[row, column]), answer.decimals
    )
    place = place_text((row, column))
    return f"The first number that differs is in {place}. It is ${value}$; the correct one is ${right}$."


def wrong_step_text(problem: Problem, step: StepFound) -> str:
    """Return a sentence with the first wrong number of a step and its correct value.

    If the shape of the step is wrong, the sentence gives the correct shape.
    """
    if step.correct_value == step.correct_value:
        return f"{_place(step.stage, step.place)} {_value_text(step.value, step.correct_value)}"
    wanted = shape_text(matrix_at(problem.trace, step.stage))
    return (
        f"Your {matrix_name(step.stage)} {verb_form(step.stage, 'have')} another shape. The correct shape is {wanted}."
    )


def _place(stage: str, place: Sequence[int]) -> str:
    return f"The first wrong number is in {place_in_matrix_text(stage, place, 'your')}."


def _value_text(value: float, right: float, decimals: int | None = None) -> str:
    """Return a sentence with a number, `value`, and its correct value, `right`."""
    written, wanted = two_numbers(value, right, decimals)
    is_written = "NaN (not a number)" if np.isnan(value) else f"${written}$"
    return f"It is {is_written}, but it should be ${wanted}.$"


def _of_shape(problem: Problem, answer: MatrixText) -> str:
    matrix, have = matrix_name(problem.stage), verb_form(problem.stage, "have")
    told = (
        f"The correct {matrix} {have} the shape {shape_text(problem.correct_result)}, "
        f"but yours {have} the shape {shape_text(answer.values)}."
    )
    return told + _wrong_rows_text(problem, len(answer.values))


def _wrong_rows_text(problem: Problem, n_rows: int) -> str:
    """Return a sentence about what may have caused a wrong number of rows, or "" if nothing is known."""
    asks, answers = len(problem.example.tokens), len(problem.example.key_tokens)
    if n_rows == answers != asks:
        return " You have a row for each token of the context. There should be a row for each token that has a query."
    return ""
