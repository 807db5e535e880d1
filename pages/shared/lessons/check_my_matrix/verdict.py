"""The diagnosis in words: what is true, the first place that is not, the mistake with its line of code, what to try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from attention_core.checks import greatest_difference
from attention_core.diagnosis.finding import Diagnosis, Finding
from attention_core.diagnosis.pasted import Problem
from attention_core.mistakes import WITH_SWITCH, Mistake
from attention_core.reading.matrix_text import MatrixText
from pages.shared.controls import Parameters
from pages.shared.lessons.check_my_matrix import findings_text, hidden, mistakes_text, remedy, steps, truths, unknown
from pages.shared.lessons.check_my_matrix.mistakes_text import likely
from pages.shared.lessons.check_my_matrix.places import them, what
from pages.shared.mistake_switch import source_of
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import typeset
from pages.shared.site.catalogue import page_named
from pages.shared.site.links import link
from pages.shared.state import widgets

__all__ = ["likely", "show"]
MendingLines = Callable[[Mistake[Any], Problem], str]
HEADLINES = {
    "coarse": "Too few decimals to tell",
    "near": "Close: rounding on the way may explain it",
    "rounded_inputs": "Right for rounded inputs",
    "few_numbers": "A few numbers are off",
    "copied_row": "One row has the numbers of another",
    "one_factor": "All numbers are off by one factor",
    "no_numbers": "There is no number to compare",
    "transposed": "The right numbers in other places",
    "reordered": "The right numbers in other places",
    "one_number": "One number is off",
    "all_equal": "No known mistake gives these numbers",
    "one_free": "Several things would explain it",
    "hidden_keys": "Another mask",
    "dropped_out": "Dropout left on",
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
)  # nothing is wrong in a cell


def show(parameters: Any, problem: Problem, answer: MatrixText, found: Diagnosis, mending_lines: MendingLines) -> None:
    """Write the diagnosis and what mends it; behind a press, the other explanations, sources and pages.

    `mending_lines` returns the lines of code that mend a mistake.
    """
    said = "\n\n".join(filter(None, _verdict_sentences(problem, answer, found)))
    st.markdown(parameters.in_layout(f"## {_headline(problem, found)}\n\n{said}"))
    mistakes = [] if found.answer_is_right else likely(found)
    for i, mistake in enumerate(mistakes):
        begins = None if i else remedy.place_to_begin(problem, answer, mistake)  # the others come after the first
        several = len(mistakes_text.findings_that_name(found)) > 1 or len(mistakes) > 1
        remedy.show(parameters, problem, mistake, begins, mending_lines(mistake, problem), several)
    if problem.earlier and not parameters.steps and not found.answer_is_right:
        widgets.step_button("Paste the steps before it", "steps", True, icon=":material/stairs:", disabled=False)
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
    if _is_told_by_steps(found):
        return steps.headline(found)
    if not found.findings:
        return "No known mistake gives these numbers"
    first = found.findings[0]
    if found.answer_is_right:
        return _of_right(problem, found)
    if first.kind == "other_step":
        return _of_another_step(first)
    if first.kind == "other_scale":
        return "No known mistake, but another scale" if problem.scored else "Another scale"
    return HEADLINES.get(first.kind) or mistakes_text.headline(found)


def _of_another_step(first: Finding) -> str:
    if first.head is not None:
        name = "output" if first.step == "heads" else what(first.step)
        return f"{_these_are(first.step)} the {name} of head {first.head + 1}, and {_they_are(first.step)} right"
    return f"{_these_are(first.step)} your {what(first.step)}, and {_they_are(first.step)} right"


def _these_are(step: str) -> str:
    return "This is" if them(step) == "it" or step == "heads" else "These are"


def _they_are(step: str) -> str:
    return "it is" if them(step) == "it" or step == "heads" else "they are"


def _is_told_by_steps(found: Diagnosis) -> bool:
    """Say whether the steps tell more than the result: several are wrong, one before the last is, or nothing else."""
    wrong = found.wrong_steps
    if not wrong or found.answer_is_right:
        return False
    if any(each.kind in AS_THEY_STAND or each.rows or each.columns for each in found.findings):
        return False
    return len(wrong) > 1 or wrong[0] is not found.steps[-1] or not found.findings


def _of_right(problem: Problem, found: Diagnosis) -> str:
    wrong = next((step for step in found.steps if step.kind == "wrong"), None)
    if wrong is not None:
        return f"Right, but your {what(wrong.stage)} are not"
    if problem.aligned is not None:
        return "Right, if the mask begins with the first key"
    return "Right, as far as it goes" if found.findings[0].rows or found.findings[0].columns else "Right"


def _verdict_sentences(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    if _is_told_by_steps(found):
        return _by_steps(problem, answer, found)
    if not found.findings:
        return [
            truths.true_part(problem, answer, found),
            truths.first_wrong_part(problem, answer, found),
            f"I cannot tell what happened. {unknown.what_was_tried(problem)}",
            unknown.advice(problem, bool(found.steps)),
        ]
    first = found.findings[0]
    part = _part_given(problem, first)
    if found.answer_is_right:
        return [*findings_text.finding_sentences(first, problem), part, *_beside_right(problem, found)]
    return [
        *_opening(problem, answer, found), *findings_text.finding_sentences(first, problem), part,
        *mistakes_text.mistake_paragraphs(problem, found),
        *findings_text.changed_numbers_text(found.findings, problem.stage),
    ]  # fmt: skip


def _by_steps(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    true = truths.true_part(problem, answer, found)
    if len(found.wrong_steps) > 1:
        return [true, *steps.wrong_step_paragraphs(problem, found)]
    told = [true, truths.first_wrong_part(problem, answer, found), steps.after_the_wrong_one(found)]
    why = mistakes_text.mistake_paragraphs(problem, found)
    if not why:
        (wrong,) = found.wrong_steps
        before = found.steps.index(wrong)
        of = f" from your {what(found.steps[before - 1].stage)}" if before else ""
        number_alone = "All its other numbers are right. Compute it again." if wrong.n_wrong == 1 else ""
        why = [number_alone or f"No known mistake gives these numbers. Compute your {what(wrong.stage)} again{of}."]
    return [*told, *why]


def _part_given(problem: Problem, first: Finding) -> str:
    """Say which rows or columns were given, where these are not all."""
    if first.rows:
        return f"You gave {_several('row', first.rows)} of {len(problem.right)}."
    return f"You gave {_several('column', first.columns)} of {problem.right.shape[1]}." if first.columns else ""


def _opening(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    """Say what is true, and then the first place that is not, unless this is all that is to be said."""
    first = found.findings[0]
    if first.kind == "near":
        return [truths.true_part(problem, answer, found), truths.first_off_part(problem, answer)]
    if first.kind in (*AS_THEY_STAND, "few_numbers") or first.rows or first.columns:
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
    listed = findings_text.changed_numbers_list(found.findings) if found.findings else ""
    others = [] if found.answer_is_right else mistakes_text.mistake_list(found)
    worst = _greatest_difference(problem, answer, found)
    not_posed = unknown.NOT_POSED if not found.findings else ""
    hidden_ones = hidden.list_in_a_right_result(problem) if found.right else ""
    return [
        listed,
        *others,
        mistakes_text.rare_mistakes_text(found),
        steps.steps_text(found.steps),
        worst,
        not_posed,
        hidden_ones,
    ]


def _greatest_difference(problem: Problem, answer: MatrixText, found: Diagnosis) -> str:
    kinds = {finding.kind for finding in found.findings}
    if found.answer_is_right or kinds & {*AS_THEY_STAND} or answer.values.shape != problem.right.shape:
        return ""
    off = greatest_difference(answer.values, problem.right)
    return (
        "Some of your numbers are NaN, so there is no greatest difference."
        if off != off
        else f"The greatest difference is ${number(off)}$."
    )


def _link(mistake: Mistake[Any], parameters: Any) -> None:
    """Lead to the page of a mistake, with the mistake switched on if it has a switch there."""
    page = page_named(mistake.concept)
    state = {"mistake": mistake.name} if mistake in WITH_SWITCH else {}
    if mistake.concept == "attention" and parameters.mask != "none":
        state["mask"] = parameters.mask
    link(page.name, f"{mistake.title}, on “{page.concept}”", state, icon=page.icon)


def _several(name: str, places: Sequence[int]) -> str:
    return f"{name} {places[0] + 1}" if len(places) == 1 else f"{name}s {places[0] + 1} to {places[-1] + 1}"
