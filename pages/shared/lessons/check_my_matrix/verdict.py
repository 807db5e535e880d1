"""The diagnosis in words: what is true, the first place that is not, the mistake with its line of code, what to try."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from attention_core.checks import greatest_difference
from attention_core.diagnosis.finding import Diagnosis
from attention_core.diagnosis.pasted import Problem
from attention_core.mistakes import WITH_SWITCH, Mistake
from attention_core.reading.matrix_text import MatrixText
from pages.shared.controls import Parameters
from pages.shared.lessons.check_my_matrix import findings_said, hidden, mistakes_said, remedy, steps, truths, unknown
from pages.shared.lessons.check_my_matrix.mistakes_said import likely
from pages.shared.lessons.check_my_matrix.places import what
from pages.shared.mistake_switch import source_of
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import typeset
from pages.shared.site.catalogue import page_named
from pages.shared.site.links import link

__all__ = ["likely", "show"]
HEADLINES = {
    "coarse": "Too few decimals to tell",
    "near": "As near as rounding on the way explains",
    "transposed": "The right numbers in other places",
    "reordered": "The right numbers in other places",
    "follow_through": "Right from there on",
    "one_number": "One number is off",
    "all_equal": "No known mistake gives these numbers",
    "one_free": "Several things would explain it",
    "hidden_keys": "Another mask",
    "dropped_out": "Dropout left on",
    "other_end": "Right, if the mask ends with the last key",
}
AS_THEY_STAND = ("coarse", "near", "other_end", "other_step", "transposed", "reordered")  # nothing is wrong in a cell


def show(parameters: Parameters, problem: Problem, answer: MatrixText, found: Diagnosis) -> None:
    """Write the diagnosis and what mends it; behind a press, the other explanations, sources and pages."""
    said = "\n\n".join(filter(None, _verdict_sentences(problem, answer, found)))
    st.markdown(parameters.in_layout(f"## {_headline(problem, found)}\n\n{said}"))
    mistakes = [] if found.answer_is_right else likely(found)
    for mistake in mistakes:
        remedy.show(parameters, problem, mistake, several=len(mistakes_said.findings_that_name(found)) > 1)
    more = "\n\n".join(filter(None, _more(problem, answer, found)))
    if more or mistakes:
        with st.expander("More about this verdict"):
            if more:
                st.markdown(parameters.in_layout(more))
            _lead_on(parameters, mistakes)


def _lead_on(parameters: Parameters, mistakes: Sequence[Mistake[Any]]) -> None:
    for mistake in mistakes:
        _link(mistake, parameters)
    seen = ", ".join(dict.fromkeys(source_of(source) for mistake in mistakes for source in mistake.sources))
    if seen:
        st.caption(f"Seen in: {seen}")


def _headline(problem: Problem, found: Diagnosis) -> str:
    if not found.findings:
        return "No known mistake gives these numbers"
    first = found.findings[0]
    if found.answer_is_right:
        return _of_right(problem, found)
    if first.kind == "other_step":
        return f"These are your {what(first.step)}, and they are right"
    if first.kind == "other_scale":
        return "No known mistake, but another scale" if problem.scored else "Another scale"
    return HEADLINES.get(first.kind) or mistakes_said.headline(found)


def _of_right(problem: Problem, found: Diagnosis) -> str:
    wrong = next((step for step in found.steps if step.kind == "wrong"), None)
    if wrong is not None:
        return f"Right, but your {what(wrong.stage)} are not"
    if problem.aligned is not None:
        return "Right, if the mask begins with the first key"
    return "Right, as far as it goes" if found.findings[0].rows else "Right"


def _verdict_sentences(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    if not found.findings:
        return [
            truths.true_part(problem, answer, found),
            truths.first_wrong_part(problem, answer, found),
            f"I cannot tell what happened. {unknown.what_was_tried(problem)}",
            unknown.advice(problem, bool(found.steps)),
        ]
    first = found.findings[0]
    part = f"You gave {_rows(first.rows)} of {len(problem.right)}." if first.rows else ""
    if found.answer_is_right:
        return [*findings_said.of(first, problem), part, *_beside_right(problem, found)]
    return [
        *_opening(problem, answer, found), *findings_said.of(first, problem), part,
        *findings_said.of_numbers(found.findings, problem.stage), *mistakes_said.mistake_paragraphs(problem, found),
    ]  # fmt: skip


def _opening(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    """Say what is true, and then the first place that is not, unless this is all that is to be said."""
    first = found.findings[0]
    if first.kind in AS_THEY_STAND or first.rows:
        return []
    is_this_alone = first.changed is not None and first.changed.stage == problem.stage and not first.wrong_from
    place = "" if is_this_alone else truths.first_wrong_part(problem, answer, found)
    return [truths.true_part(problem, answer, found), place]


def _beside_right(problem: Problem, found: Diagnosis) -> list[str]:
    """Say of a right result which step before it is not right, and what it does not prove."""
    wrong = next((step for step in found.steps if step.kind == "wrong"), None)
    if wrong is not None:
        known = [f"This is what “{typeset(mistake.title)}” gives." for mistake in likely(found)[:1]]
        return [
            truths.wrong_step(problem, wrong),
            *known,
            f"Your result does not follow from these {what(wrong.stage)}.",
        ]
    if problem.aligned is not None:
        return [
            "The causal mask begins with the first key here, so the first query sees the first key alone. With a cache "
            "of earlier keys the mask ends with the last key, and these numbers are wrong."
        ]
    return [hidden.in_a_right_result(problem)]


def _more(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    listed = findings_said.list_numbers(found.findings) if found.findings else ""
    others = [] if found.answer_is_right else mistakes_said.mistake_list(found)
    worst = _greatest_difference(problem, answer, found)
    not_posed = unknown.NOT_POSED if not found.findings else ""
    return [listed, *others, mistakes_said.also(found), steps.steps_text(found.steps), worst, not_posed]


def _greatest_difference(problem: Problem, answer: MatrixText, found: Diagnosis) -> str:
    kinds = {finding.kind for finding in found.findings}
    if found.answer_is_right or kinds & {*AS_THEY_STAND} or answer.values.shape != problem.right.shape:
        return ""
    off = greatest_difference(answer.values, problem.right)
    return "Some are no numbers." if off != off else f"The greatest difference is ${number(off)}$."


def _link(mistake: Mistake[Any], parameters: Any) -> None:
    """Lead to the page of a mistake, with the mistake switched on if it has a switch there."""
    page = page_named(mistake.concept)
    state = {"mistake": mistake.name} if mistake in WITH_SWITCH else {}
    if mistake.concept == "attention" and parameters.mask != "none":
        state["mask"] = parameters.mask
    link(page.name, f"{mistake.title}, on “{page.concept}”", state, icon=page.icon)


def _rows(rows: Sequence[int]) -> str:
    return f"row {rows[0] + 1}" if len(rows) == 1 else f"rows {rows[0] + 1} to {rows[-1] + 1}"
