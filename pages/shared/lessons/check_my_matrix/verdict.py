"""The diagnosis in words: what is right, the first wrong place, the mistake with its code, and what to try."""

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
from pages.shared.controls import Parameters
from pages.shared.lessons.check_my_matrix import (
    findings_text,
    hidden,
    mistakes_text,
    numbers_text,
    remedy,
    steps,
    truths,
    unknown,
)
from pages.shared.lessons.check_my_matrix.explained_words import explained_words
from pages.shared.lessons.check_my_matrix.headlines import AS_THEY_STAND, headline, names_wrong_steps
from pages.shared.lessons.check_my_matrix.mistakes_text import likely
from pages.shared.lessons.check_my_matrix.places import matrix_name
from pages.shared.mistake_switch import source_of
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import typeset
from pages.shared.site.catalogue import page_named
from pages.shared.site.links import link
from pages.shared.state import widgets

__all__ = ["likely", "show"]
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
        several = len(mistakes_text.findings_that_name(found, problem)) > 1 or len(mistakes) > 1
        lines = mending_lines(mistake, problem)
        remedy.show(parameters, problem, mistake, begins, lines, several, answer.decimals)
    others = "" if found.answer_is_correct else mistakes_text.other_mistakes_text(problem, found)
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
                    more.replace(unknown.NOT_POSED, ""), problem
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
            truths.correct_part_text(problem, answer, found),
            truths.first_wrong_text(problem, answer, found),
            f"I cannot tell which mistake this is. {unknown.what_was_tried(problem)}",
            unknown.outside_the_values(problem, answer),
            findings_text.nan_text(problem) if np.isnan(answer.values).any() else "",
            unknown.advice(problem, bool(found.steps)),
        ]
    first = found.findings[0]
    part = _given_part_text(problem, first)
    if found.answer_is_correct:
        return [
            *findings_text.finding_sentences(first, problem, answer, found),
            part,
            *_correct_result_sentences(problem, found),
        ]
    return [
        *_opening_sentences(problem, answer, found),
        *findings_text.finding_sentences(first, problem, answer, found),
        part,
        *mistakes_text.mistake_paragraphs(problem, found),
        *numbers_text.changed_numbers_text(found.findings, problem),
        mistakes_text.rare_mistakes_text(found.findings),
    ]


def _by_steps(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    true = truths.correct_part_text(problem, answer, found)
    if len(found.wrong_steps) > 1:
        return [true, *steps.wrong_step_paragraphs(problem, found)]
    told = [true, truths.first_wrong_text(problem, answer, found), steps.after_the_wrong_one(found)]
    (wrong,) = found.wrong_steps
    return [*told, *_reasons_of_step(problem, found, wrong), mistakes_text.rare_mistakes_text(wrong.why)]


def _reasons_of_step(problem: Problem, found: Diagnosis, wrong: StepFound) -> list[str]:
    """Return sentences that say why the step `wrong`, the only wrong one, is wrong, or what to compute again."""
    for finding in wrong.why:
        if finding.kind == "no_numbers":
            return [findings_text.no_numbers_text(finding, problem, wrong.stage)]
    return mistakes_text.mistake_paragraphs(problem, found) or [steps.compute_again_text(wrong, found)]


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
        return [truths.correct_part_text(problem, answer, found), truths.first_difference_text(problem, answer)]
    if first.kind in (*AS_THEY_STAND, "few_numbers") or first.rows or first.columns:
        return []
    is_this_alone = first.changed is not None and first.changed.stage == problem.stage and not first.wrong_from
    place = "" if is_this_alone else truths.first_wrong_text(problem, answer, found)
    return [truths.correct_part_text(problem, answer, found), place]


def _correct_result_sentences(problem: Problem, found: Diagnosis) -> list[str]:
    """Return sentences for a correct result: about a wrong earlier step, or about mistakes that it does not show."""
    wrong = next((step for step in found.steps if step.kind == "wrong"), None)
    if wrong is not None:
        known = [
            f"The mistake “{typeset(mistake.title)}” gives these numbers." for mistake in likely(found, problem)[:1]
        ]
        return [
            truths.wrong_step_text(problem, wrong),
            *known,
            f"Your result does not follow from these {matrix_name(wrong.stage)}.",
        ]
    if problem.aligned is not None:
        return [
            "Here, the causal mask begins with the first key, so the first query sees only the first key. With a cache "
            "of earlier keys, the mask ends with the last key, and then these numbers are wrong."
        ]
    return [hidden.same_result_text(problem)]


def _more(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    listed = numbers_text.changed_numbers_list(found.findings, problem.stage) if found.findings else ""
    others = "" if found.answer_is_correct else mistakes_text.mistake_list(found, problem)
    worst = _greatest_difference(problem, answer, found)
    not_posed = unknown.NOT_POSED if not found.findings else ""
    hidden_ones = hidden.same_result_list(problem) if found.all_correct else ""
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
