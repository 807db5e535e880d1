"""The verdict on the visitor's result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from attention_core.checks import greatest_difference
from attention_core.diagnosis.answer import Diagnosis, Finding, StepFound
from attention_core.diagnosis.pasted import Problem
from attention_core.mistakes import WITH_SWITCH, Mistake
from attention_core.reading.matrix_text import MatrixText
from pages.check_my_matrix import findings, numbers, remedy, steps
from pages.check_my_matrix import mistakes as mistake_texts
from pages.check_my_matrix.findings import explained_words
from pages.check_my_matrix.mistakes import likely
from pages.check_my_matrix.numbers import it_or_them, matrix_name
from pages.shared.controls import Parameters
from pages.shared.mistake_switch import source_of
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import typeset
from pages.shared.site.menu import link
from pages.shared.site.page import page_named
from pages.shared.state import widgets

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
    if findings.is_reversed(first):
        return "Your rows are in reverse order"
    if first.kind == "one_number" and _is_before_the_result(problem, found):
        return "One wrong number in an earlier step gives these numbers"
    return HEADLINES.get(first.kind) or mistake_texts.headline(found, problem)


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


MendingLines = Callable[[Mistake[Any], Problem], str]


def show(parameters: Any, problem: Problem, answer: MatrixText, found: Diagnosis, mending_lines: MendingLines) -> None:
    """Draw the diagnosis of an answer, and how to correct the mistakes. An expander has further explanations and links.

    `mending_lines` returns the lines of code that correct a mistake.
    """
    said = "\n\n".join(filter(None, _verdict_sentences(problem, answer, found)))
    title = headline(problem, answer, found)
    st.markdown(parameters.in_layout(f"## {title}\n\n{said}"))
    mistakes = [] if found.answer_is_correct else likely(found, problem)
    for i, mistake in enumerate(mistakes):
        begins = None if i else remedy.place_to_begin(problem, answer, mistake)  # the others come after the first
        several = len(mistake_texts.findings_that_name(found, problem)) > 1 or len(mistakes) > 1
        lines = mending_lines(mistake, problem)
        remedy.show(parameters, problem, mistake, begins, lines, several, answer.decimals)
    others = "" if found.answer_is_correct else mistake_texts.other_mistakes_text(problem, found)
    if others:
        st.markdown(parameters.in_layout(others))
    if words := explained_words(f"{title} {said} {others}", problem):
        st.caption(parameters.in_layout(words))
    if problem.earlier_stages and not parameters.steps and not found.answer_is_correct:
        widgets.step_button("Paste your earlier steps", "steps", True, icon=":material/stairs:", disabled=False)
    more = "\n\n".join(filter(None, _more(problem, answer, found)))
    if more or mistakes:
        with st.expander("More about this verdict"):
            if more:
                st.markdown(parameters.in_layout(more))
                if words := explained_words(
                    more.replace(steps.NOT_POSED, ""), problem
                ):  # this sentence explains its own words
                    st.caption(parameters.in_layout(words))
            _lead_on(parameters, mistakes)


def _lead_on(parameters: Parameters, mistakes: Sequence[Mistake[Any]]) -> None:
    for mistake in mistakes:
        _draw_link(mistake, parameters)
    seen = ", ".join(dict.fromkeys(source_of(source) for mistake in mistakes for source in mistake.sources))
    if seen:
        st.caption(f"Seen in: {seen}")


def _verdict_sentences(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    if names_wrong_steps(found):
        return _by_steps(problem, answer, found)
    if not found.findings:
        return [
            numbers.correct_part_text(problem, answer, found),
            numbers.first_wrong_text(problem, answer, found),
            f"I cannot tell which mistake this is. {steps.what_was_tried(problem)}",
            steps.outside_the_values(problem, answer),
            findings.nan_text(problem) if np.isnan(answer.values).any() else "",
            steps.advice(problem, bool(found.steps)),
        ]
    first = found.findings[0]
    part = _given_part_text(problem, first)
    if found.answer_is_correct:
        return [
            *findings.finding_sentences(first, problem, answer, found),
            part,
            *_correct_result_sentences(problem, found),
        ]
    return [
        *_opening_sentences(problem, answer, found),
        *findings.finding_sentences(first, problem, answer, found),
        part,
        *mistake_texts.mistake_paragraphs(problem, found),
        *numbers.changed_numbers_text(found.findings, problem),
        mistake_texts.rare_mistakes_text(found.findings),
    ]


def _by_steps(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    true = numbers.correct_part_text(problem, answer, found)
    if len(found.wrong_steps) > 1:
        return [true, *steps.wrong_step_paragraphs(problem, found)]
    told = [true, numbers.first_wrong_text(problem, answer, found), steps.after_the_wrong_one(found)]
    (wrong,) = found.wrong_steps
    return [*told, *_reasons_of_step(problem, found, wrong), mistake_texts.rare_mistakes_text(wrong.why)]


def _reasons_of_step(problem: Problem, found: Diagnosis, wrong: StepFound) -> list[str]:
    """Return sentences that say why the step `wrong`, the only wrong one, is wrong, or what to compute again."""
    for finding in wrong.why:
        if finding.kind == "no_numbers":
            return [findings.no_numbers_text(finding, problem, wrong.stage)]
    return mistake_texts.mistake_paragraphs(problem, found) or [steps.compute_again_text(wrong, found)]


def _given_part_text(problem: Problem, first: Finding) -> str:
    """Return a sentence that says how many rows or columns an answer has, or "" if none are missing.

    `first` is the first finding of the diagnosis.
    """
    if first.rows:
        return f"You gave {_several('row', first.rows)} of {len(problem.correct_result)}."
    return (
        f"You gave {_several('column', first.columns)} of {problem.correct_result.shape[1]}." if first.columns else ""
    )


def _opening_sentences(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    """Return sentences that say which part of an answer is correct, and then name the first wrong number.

    Return [] if the explanation itself says this.
    """
    first = found.findings[0]
    if first.kind == "near":
        return [numbers.correct_part_text(problem, answer, found), numbers.first_difference_text(problem, answer)]
    if first.kind in (*AS_THEY_STAND, "few_numbers") or first.rows or first.columns:
        return []
    is_this_alone = first.changed is not None and first.changed.stage == problem.stage and not first.wrong_from
    place = "" if is_this_alone else numbers.first_wrong_text(problem, answer, found)
    return [numbers.correct_part_text(problem, answer, found), place]


def _correct_result_sentences(problem: Problem, found: Diagnosis) -> list[str]:
    """Return sentences for a correct result: about a wrong earlier step, or about mistakes that it does not show."""
    wrong = next((step for step in found.steps if step.kind == "wrong"), None)
    if wrong is not None:
        known = [
            f"The mistake “{typeset(mistake.title)}” gives these numbers." for mistake in likely(found, problem)[:1]
        ]
        return [
            numbers.wrong_step_text(problem, wrong),
            *known,
            f"Your result does not follow from these {matrix_name(wrong.stage)}.",
        ]
    if problem.aligned is not None:
        return [
            "Here, the causal mask begins with the first key, so the first query sees only the first key. With a cache "
            "of earlier keys, the mask ends with the last key, and then these numbers are wrong."
        ]
    return [mistake_texts.same_result_text(problem)]


def _more(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    listed = numbers.changed_numbers_list(found.findings, problem.stage) if found.findings else ""
    others = "" if found.answer_is_correct else mistake_texts.mistake_list(found, problem)
    worst = _greatest_difference(problem, answer, found)
    not_posed = steps.NOT_POSED if not found.findings else ""
    hidden_ones = mistake_texts.same_result_list(problem) if found.all_correct else ""
    return [
        listed,
        others,
        steps.steps_text(found.steps),
        worst,
        not_posed,
        hidden_ones,
    ]


def _greatest_difference(problem: Problem, answer: MatrixText, found: Diagnosis) -> str:
    kinds = {finding.kind for finding in found.findings}
    if found.answer_is_correct or kinds & {*AS_THEY_STAND} or answer.values.shape != problem.correct_result.shape:
        return ""
    off = greatest_difference(answer.values, problem.correct_result)
    return (
        "Some of your numbers are NaN, so there is no largest difference."
        if off != off
        else f"The largest difference in your {matrix_name(problem.stage)} is ${number(off)}$."
    )


def _draw_link(mistake: Mistake[Any], parameters: Any) -> None:
    """Draw a link to the page that explains a mistake. If the page has a switch for the mistake, it is switched on."""
    page = page_named(mistake.concept)
    state = {"mistake": mistake.name} if mistake in WITH_SWITCH else {}
    if mistake.concept == "attention" and parameters.mask != "none":
        state["mask"] = parameters.mask
    link(page.name, f"{mistake.title}, on “{page.concept}”", state, icon=page.icon)


def _several(name: str, places: Sequence[int]) -> str:
    return f"{name} {places[0] + 1}" if len(places) == 1 else f"{name}s {places[0] + 1} to {places[-1] + 1}"


__all__ = [
    "likely",
    "show",
]
