"""The verdict on the visitor's result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from attention_core.checks import greatest_difference
from attention_core.diagnosis.answer import StepFound
from attention_core.diagnosis.pasted import Problem
from attention_core.mistakes import WITH_SWITCH, Mistake
from pages.check_my_matrix import findings, numbers, remedy, steps
from pages.check_my_matrix import mistakes as mistake_texts
from pages.check_my_matrix.findings import explained_words
from pages.check_my_matrix.mistakes import likely
from pages.check_my_matrix.numbers import TEXTS, Case, is_singular, matrix_name
from pages.shared.mistake_switch import source_of
from pages.shared.site.menu import link
from pages.shared.site.page import page_named
from pages.shared.state import widgets

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


def headline(case: Case) -> str:
    """Return the headline of the verdict on an answer."""
    if names_wrong_steps(case):
        return steps.headline(case)
    if not case.found.findings:
        return _of_nan(case) or case.say("no_mistake_known")
    first = case.first
    if case.found.answer_is_correct:
        return _of_right(case)
    if first.kind == "other_step":
        return _of_another_step(case)
    if first.kind == "other_scale":
        if case.problem.gives_scores:
            return case.say("another_scale")
        return case.say("scores_too_small" if first.factor < 1 else "scores_too_large")
    if first.keys and first.keys.empty and _of_nan(case):
        return _of_nan(case)
    if first.kind == "all_equal":
        return case.say("all_rows_equal" if first.step == "rows" else "all_columns_equal")
    if first.kind == "copied_row":
        is_known = len(first.stages) < 2
        return case.say("row_copied_in", name=matrix_name(first.step)) if is_known else case.say("perhaps_row_copied")
    if findings.is_reversed(first):
        return case.say("reverse_order")
    if first.kind == "one_number" and _is_before_the_result(case):
        return case.say("one_earlier_number_gives")
    named = TEXTS.words("headlines", case.parameters.columns).options
    return named.get(first.kind) or mistake_texts.headline(case)


def _of_nan(case: Case) -> str:
    is_nan = np.isnan(case.answer.values)
    if n_rows := int(is_nan.all(axis=1).sum()):
        return case.say("one_row_nan" if n_rows == 1 else "some_rows_nan")
    return case.say("one_number_nan" if is_nan.sum() == 1 else "some_numbers_nan") if is_nan.any() else ""


def _is_before_the_result(case: Case) -> bool:
    return all(each.changed.stage != case.problem.stage for each in case.found.findings if each.changed)


def _of_another_step(case: Case) -> str:
    step, head = case.first.step, case.first.head
    is_one = is_singular(step) or step == "heads"
    if head is None:
        return case.say("it_is_another_step" if is_one else "they_are_another_step", name=matrix_name(step))
    name = matrix_name("output" if step == "heads" else step)
    return case.say("it_is_of_head" if is_one else "they_are_of_head", name=name, head=head + 1)


def names_wrong_steps(case: Case) -> bool:
    """Return whether the verdict is about the visitor's wrong steps, because the result alone says less."""
    found, wrong = case.found, case.found.wrong_steps
    if not wrong or found.answer_is_correct:
        return False
    is_earlier = wrong[0] is not found.steps[-1]
    in_own_words = {*AS_THEY_STAND} - ({"no_numbers"} if is_earlier else set())  # the steps tell where NaN begins
    if any(each.kind in in_own_words or each.rows or each.columns for each in found.findings):
        return False
    return len(wrong) > 1 or is_earlier or not found.findings


def _of_right(case: Case) -> str:
    if wrong := _wrong_step(case):
        return case.say("right_but_step", name=matrix_name(wrong.stage))
    if case.problem.aligned is not None:
        return case.say("right_if_first_key")
    return case.say("right_so_far" if case.first.rows or case.first.columns else "right")


def _wrong_step(case: Case) -> StepFound | None:
    return next((step for step in case.found.steps if step.kind == "wrong"), None)


MendingLines = Callable[[Mistake[Any], Problem], str]


def show(case: Case, mending_lines: MendingLines) -> None:
    """Draw the diagnosis of an answer, and how to correct the mistakes, with the lines of code that correct them."""
    is_wrong = not case.found.answer_is_correct
    title, said = headline(case), "\n\n".join(filter(None, _verdict_sentences(case)))
    st.markdown(f"## {title}\n\n{said}")
    mistakes = likely(case.found, case.problem) if is_wrong else []
    for i, mistake in enumerate(mistakes):
        several = len(mistakes) > 1 or len(mistake_texts.findings_that_name(case.found, case.problem)) > 1
        begins = None if i else remedy.place_to_begin(case.problem, case.answer, mistake)  # the others come after
        remedy.show(case, mistake, begins, mending_lines(mistake, case.problem), several)
    others = mistake_texts.other_mistakes_text(case) if is_wrong else ""
    if others:
        st.markdown(others)
    if words := explained_words(case, f"{title} {said} {others}"):
        st.caption(words)
    if case.problem.earlier_stages and not case.parameters.steps and is_wrong:
        label = case.say("paste_steps_button")
        widgets.step_button(label, "steps", True, icon=":material/stairs:", disabled=False)
    more = "\n\n".join(filter(None, _more(case)))
    if more or mistakes:
        with st.expander(case.say("more_about_verdict")):
            _draw_more(case, more, mistakes)


def _draw_more(case: Case, more: str, mistakes: Sequence[Mistake[Any]]) -> None:
    if more:
        st.markdown(more)
        if words := explained_words(case, more.replace(case.say("not_posed"), "")):  # that text explains its own words
            st.caption(words)
    for mistake in mistakes:
        _draw_link(case, mistake)
    seen = ", ".join(dict.fromkeys(source_of(source) for mistake in mistakes for source in mistake.sources))
    if seen:
        st.caption(case.say("seen_in", sources=seen))


def _verdict_sentences(case: Case) -> list[str]:
    if names_wrong_steps(case):
        return _by_steps(case)
    if not case.found.findings:
        return [
            numbers.correct_part_text(case),
            numbers.first_wrong_text(case),
            case.say("cannot_tell", tried=steps.what_was_tried(case)),
            steps.outside_the_values(case),
            findings.nan_text(case) if np.isnan(case.answer.values).any() else "",
            steps.advice(case),
        ]
    if case.found.answer_is_correct:
        return [findings.finding_text(case), _given_part_text(case), *_correct_result_sentences(case)]
    return [
        *_opening_sentences(case),
        findings.finding_text(case),
        _given_part_text(case),
        *mistake_texts.mistake_paragraphs(case),
        numbers.changed_numbers_text(case),
        mistake_texts.rare_mistakes_text(case, case.found.findings),
    ]


def _by_steps(case: Case) -> list[str]:
    true = numbers.correct_part_text(case)
    if len(case.found.wrong_steps) > 1:
        return [true, *steps.wrong_step_paragraphs(case)]
    (wrong,) = case.found.wrong_steps
    return [
        true,
        numbers.first_wrong_text(case),
        steps.after_the_wrong_one(case),
        *_reasons_of_step(case, wrong),
        mistake_texts.rare_mistakes_text(case, wrong.why),
    ]


def _reasons_of_step(case: Case, wrong: StepFound) -> list[str]:
    for finding in wrong.why:
        if finding.kind == "no_numbers":
            return [findings.no_numbers_text(case, finding, wrong.stage)]
    return mistake_texts.mistake_paragraphs(case) or [steps.compute_again_text(case, wrong)]


def _given_part_text(case: Case) -> str:
    """Return a sentence that says how many rows or columns an answer has, or "" if none are missing."""
    n_rows, n_columns = case.problem.correct_result.shape
    if rows := case.first.rows:
        section = "you_gave_row" if len(rows) == 1 else "you_gave_rows"
        return case.say(section, first=rows[0] + 1, last=rows[-1] + 1, n=n_rows)
    if columns := case.first.columns:
        section = "you_gave_column" if len(columns) == 1 else "you_gave_columns"
        return case.say(section, first=columns[0] + 1, last=columns[-1] + 1, n=n_columns)
    return ""


def _opening_sentences(case: Case) -> list[str]:
    """Return sentences with the correct part and the first wrong number, or [] if the explanation says this."""
    first = case.first
    if first.kind == "near":
        return [numbers.correct_part_text(case), numbers.first_difference_text(case)]
    if first.kind in (*AS_THEY_STAND, "few_numbers") or first.rows or first.columns:
        return []
    is_this_alone = first.changed is not None and first.changed.stage == case.problem.stage and not first.wrong_from
    return [numbers.correct_part_text(case), "" if is_this_alone else numbers.first_wrong_text(case)]


def _correct_result_sentences(case: Case) -> list[str]:
    """Return sentences for a correct result: about a wrong earlier step, or about mistakes that it does not show."""
    if wrong := _wrong_step(case):
        known = [
            case.say("mistake_of_step", title=case.of_core(mistake.title))
            for mistake in likely(case.found, case.problem)[:1]
        ]
        result = case.say("result_does_not_follow", name=matrix_name(wrong.stage))
        return [numbers.wrong_step_text(case, wrong), *known, result]
    if case.problem.aligned is not None:
        return [case.say("begins_with_first_key")]
    return [mistake_texts.same_result_text(case)]


def _more(case: Case) -> list[str]:
    return [
        numbers.changed_numbers_list(case),
        "" if case.found.answer_is_correct else mistake_texts.mistake_list(case),
        steps.steps_text(case),
        _greatest_difference(case),
        "" if case.found.findings else case.say("not_posed"),
        mistake_texts.same_result_list(case) if case.found.all_correct else "",
    ]


def _greatest_difference(case: Case) -> str:
    kinds, right = {finding.kind for finding in case.found.findings}, case.problem.correct_result
    if case.found.answer_is_correct or kinds & {*AS_THEY_STAND} or case.answer.values.shape != right.shape:
        return ""
    difference = greatest_difference(case.answer.values, right)
    section = "no_largest_difference" if np.isnan(difference) else "largest_difference"
    return case.say(section, name=case.name, difference=difference)


def _draw_link(case: Case, mistake: Mistake[Any]) -> None:
    page = page_named(mistake.concept)
    state = {"mistake": mistake.name} if mistake in WITH_SWITCH else {}
    if mistake.concept == "attention" and case.parameters.mask != "none":
        state["mask"] = case.parameters.mask
    link(page.name, case.say("link_to_mistake", title=mistake.title, page=page.concept), state, icon=page.icon)
