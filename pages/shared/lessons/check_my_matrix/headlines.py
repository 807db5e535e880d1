"""The headline of a verdict, and whether the steps tell more than the result."""

from __future__ import annotations

import numpy as np

from attention_core.diagnosis.answer import Diagnosis, Finding
from attention_core.diagnosis.pasted import Problem
from attention_core.reading.matrix_text import MatrixText
from pages.shared.lessons.check_my_matrix import findings_text, mistakes_text, steps
from pages.shared.lessons.check_my_matrix.places import it_or_them, matrix_name

HEADLINES = {
    "coarse": "There are too few decimals to tell",
    "near": "Close: rounding in earlier steps may explain it",
    "rounded_inputs": "Right, if the inputs are rounded",
    "few_numbers": "A few numbers are wrong",
    "one_factor": "All numbers are multiplied by one factor",
    "no_numbers": "There is no number to compare",
    "transposed": "Rows and columns are swapped",
    "reordered": "Your rows are correct, but in another order",
    "one_number": "One number is wrong",
    "one_free": "Several causes are possible",
    "hidden_keys": "Perhaps you used another mask",
    "dropped_out": "Perhaps dropout is switched on",
    "other_end": "Right, if the mask ends with the last key",
}
AS_THEY_STAND = (
    "coarse",
    "near",
    "other_end",
    "other_step",
    "transposed",
    "reordered",
    "rounded_inputs",
    "no_numbers",
)  # kinds of findings without a wrong cell


def headline(problem: Problem, answer: MatrixText, found: Diagnosis) -> str:
    """Return the headline of the verdict on an answer. `found` is its diagnosis."""
    if names_wrong_steps(found):
        return steps.headline(found)
    if not found.findings:
        return _of_nan(answer) or "No known mistake gives these numbers"
    first = found.findings[0]
    if found.answer_is_correct:
        return _of_right(problem, found)
    if first.kind == "other_step":
        return _of_another_step(first)
    if first.kind == "other_scale":
        if problem.gives_scores:
            return "No known mistake gives these numbers, but another scale does"
        return f"Perhaps your scaled scores are too {'small' if first.factor < 1 else 'large'}"
    if first.keys and first.keys.empty and _of_nan(answer):
        return _of_nan(answer)
    if first.kind == "all_equal":
        return f"All your {first.step} are equal"
    if first.kind == "copied_row":
        return (
            f"A copied row in your {matrix_name(first.step)} gives these numbers"
            if len(first.stages) < 2
            else "Perhaps one row is a copy of another row"
        )
    if findings_text.is_reversed(first):
        return "Your rows are in reverse order"
    if first.kind == "one_number" and _is_before_the_result(problem, found):
        return "One wrong number in an earlier step gives these numbers"
    return HEADLINES.get(first.kind) or mistakes_text.headline(found, problem)


def _of_nan(answer: MatrixText) -> str:
    """Return the headline for an answer with NaN, or "" if it has none."""
    is_nan = np.isnan(answer.values)
    rows = int(is_nan.all(axis=1).sum())
    if rows:
        return "One row is NaN" if rows == 1 else "Some rows are NaN"
    return "One number is NaN" if is_nan.sum() == 1 else "Some numbers are NaN" if is_nan.any() else ""


def _is_before_the_result(problem: Problem, found: Diagnosis) -> bool:
    """Return whether every number that may be wrong belongs to a step before the result."""
    return all(each.changed.stage != problem.stage for each in found.findings if each.changed)


def _of_another_step(first: Finding) -> str:
    if first.head is not None:
        name = "output" if first.step == "heads" else matrix_name(first.step)
        return f"{_these_are(first.step)} the {name} of head {first.head + 1}, and {_they_are(first.step)} correct"
    return f"{_these_are(first.step)} your {matrix_name(first.step)}, and {_they_are(first.step)} correct"


def _these_are(step: str) -> str:
    return "This is" if it_or_them(step) == "it" or step == "heads" else "These are"


def _they_are(step: str) -> str:
    return "it is" if it_or_them(step) == "it" or step == "heads" else "they are"


def names_wrong_steps(found: Diagnosis) -> bool:
    """Return whether the headline should name the visitor's wrong steps, and not the result.

    This is so if several steps or an early step are wrong, or if nothing else explains the result.
    """
    wrong = found.wrong_steps
    if not wrong or found.answer_is_correct:
        return False
    is_earlier = wrong[0] is not found.steps[-1]
    in_own_words = {*AS_THEY_STAND} - ({"no_numbers"} if is_earlier else set())  # the steps tell where NaN begins
    if any(each.kind in in_own_words or each.rows or each.columns for each in found.findings):
        return False
    return len(wrong) > 1 or is_earlier or not found.findings


def _of_right(problem: Problem, found: Diagnosis) -> str:
    wrong = next((step for step in found.steps if step.kind == "wrong"), None)
    if wrong is not None:
        return f"Right, but your {matrix_name(wrong.stage)} are not"
    if problem.aligned is not None:
        return "Right, if the mask begins with the first key"
    return "Right, as far as you pasted it" if found.findings[0].rows or found.findings[0].columns else "Right"
