"""The mistakes that explain the numbers, as text, and those that these numbers hide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.diagnosis.answer import Diagnosis, Finding
from attention_core.diagnosis.edited_run import EditedRun, edited_run_of
from attention_core.diagnosis.own_steps import matrix_with
from attention_core.diagnosis.pasted import Problem, example_that_tells_apart, step_that_tells_apart
from attention_core.diagnosis.stages import Trace, lines_to_compute, name_of, possible_mistakes
from attention_core.mistakes import Mistake, blind_spots
from attention_core.mistakes.engine.code_lines import lines_of
from pages.check_my_matrix.numbers import is_or_are, it_or_them, join_names, matrix_name, place_in_matrix_text
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import typeset

VISIBLE = 1e-3  # a smaller difference of two weights is not shown


def mistake_by_numbers(mistake: Mistake[Any], problem: Problem) -> str:
    """Return a sentence that shows a mistake with numbers of this task.

    Return "" if it is not a mistake of the mask or the scale.
    """
    if mistake.stage == "masked":
        return _weight_text(mistake, problem)
    return _divisor_text(mistake, problem) if mistake.stage == "scaled" else ""


def _weight_text(mistake: Mistake[Any], problem: Problem) -> str:
    """Return a sentence about the first weight that a mistake of the mask makes wrong.

    If possible, it is a weight that should be 0. Return "" if the mistake changes no weight.
    """
    right, wrong = edited_run_of(problem.trace).expected("weights"), _wrong_matrix(mistake, problem, "weights")
    if wrong is None or wrong.shape != right.shape:
        return ""
    places = np.argwhere(~(np.abs(wrong - right) <= VISIBLE)).tolist()
    if not places:
        return ""
    place = tuple(next((each for each in places if not right[tuple(each)]), places[0]))
    is_now, should = float(wrong[place]), float(right[place])
    hidden = " because this key is hidden" if not should else ""
    value = "NaN" if np.isnan(is_now) else f"${number(is_now)}$"
    named = f"{place_in_matrix_text('weights', place)} should be ${number(should)}${hidden}"
    return f"For example, {named}, but this mistake makes it {value}."


def _divisor_text(mistake: Mistake[Any], problem: Problem) -> str:
    """Return sentences with the divisor that a mistake of the scale uses, and the correct divisor.

    Return "" if the mistake does not divide all scores by the same number.
    """
    scores, scaled = _wrong_matrix(mistake, problem, "scores"), _wrong_matrix(mistake, problem, "scaled")
    if problem.setting.scale is not None or scores is None or scaled is None or scores.shape != scaled.shape:
        return ""
    factor = float(np.vdot(scaled, scores) / np.vdot(scores, scores)) if scores.any() else 0.0
    if not factor or abs(factor - 1) < VISIBLE or not np.allclose(scaled, factor * scores):
        return ""
    root = number(float(np.sqrt(edited_run_of(problem.trace).names["d_k"])))
    divides = f"Here, this mistake divides the scores by ${number(1 / factor)}$."
    return rf"{divides} The correct divisor is $\sqrt{{d_k}} = {root}$."


def _wrong_matrix(mistake: Mistake[Any], problem: Problem, stage: str) -> Array | None:
    """Return the matrix `stage` as it is with a mistake, or None if the shapes do not allow the mistake."""
    work = edited_run_of(problem.trace)
    lines = lines_to_compute(work.pipeline, name_of(stage), mistake.lines_in(work.pipeline))
    return work.matrix_after(lines, stage) if lines else work.expected(stage)


MOST_NAMED = 6
PLAINER = ("hidden_keys", "reordered", "copied_row")  # kinds of findings that are explained instead of a mistake
ROUNDING = 0.01  # a smaller difference may come from rounding to two decimals


def findings_that_name(found: Diagnosis, problem: Problem) -> list[Finding]:
    """Return the findings that name a mistake: usual mistakes first, and of these the most frequently seen first.

    If possible, leave out mistakes that would change a step that the visitor has pasted and that is correct.
    """
    named = [finding for finding in found.findings if finding.mistakes]
    agree = [finding for finding in named if not contradicted_step(found, finding, problem)]
    return sorted(agree or named, key=lambda finding: (not _is_usual(finding), -n_sources(finding)))


def contradicted_step(found: Diagnosis, finding: Finding, problem: Problem) -> str:
    """Return the first pasted step that is correct although the mistakes of `finding` would change it, or ""."""
    correct = [step.stage for step in found.steps[:-1] if step.kind == "right"]
    work = edited_run_of(problem.trace) if correct else None
    return next((stage for stage in correct if work and _changes_stage(work, finding, stage)), "")


def _changes_stage(run: EditedRun, finding: Finding, stage: str) -> bool:
    """Return whether the mistakes of a finding change the matrix `stage` by more than rounding."""
    made, right = matrix_with(run, finding, stage), run.expected(stage)
    return made is None or made.shape != right.shape or not np.allclose(made, right, rtol=0, atol=ROUNDING)


def _is_usual(finding: Finding) -> bool:
    return all(mistake.rank == "usual" for mistake in finding.mistakes)


def n_sources(finding: Finding) -> int:
    """Return in how many notebooks and public threads the mistake of a finding was seen.

    For a finding with two mistakes, return the smaller number.
    """
    return min(len(mistake.sources) for mistake in finding.mistakes)


def likely(found: Diagnosis, problem: Problem) -> list[Mistake[Any]]:
    """Return the mistakes to explain: the commonest mistake or pair. If several steps are wrong, return those in each.

    Return [] if another mask or another order of rows gives the same numbers.
    """
    if len(found.wrong_steps) > 1:
        return [mistake for step in found.wrong_steps for each in step.why[:1] for mistake in each.mistakes]
    is_plainer = found.findings and found.findings[0].kind in PLAINER
    named = findings_that_name(found, problem)
    return list(named[0].mistakes) if named and not is_plainer else []


def headline(found: Diagnosis, problem: Problem) -> str:
    """Return a headline that says how many known mistakes, or pairs of mistakes, explain an answer.

    If a single wrong number may also be the cause, the headline says that several causes are possible.
    """
    if any(finding.changed for finding in found.findings):
        return "Several causes are possible"
    named = findings_that_name(found, problem)
    ways, together = len(named), len(named[0].mistakes) > 1
    if ways > 1:
        return (
            f"{ways} pairs of known mistakes give these numbers"
            if together
            else f"{ways} known mistakes give these numbers"
        )
    return f"{'Two known mistakes together give' if together else 'One known mistake gives'} these numbers"


def mistake_paragraphs(problem: Problem, found: Diagnosis) -> list[str]:
    """Return paragraphs that explain the commonest mistake, or the commonest pair of mistakes."""
    if not likely(found, problem):
        return []
    findings = findings_that_name(found, problem)
    several = len(findings) > 1 or any(finding.changed for finding in found.findings)
    told = [mistake_paragraph(mistake, problem, is_sure=not several) for mistake in findings[0].mistakes]
    stage = contradicted_step(found, findings[0], problem)
    return [*told, *([_contradiction_text(problem, stage)] if stage else [])]


def _contradiction_text(problem: Problem, stage: str) -> str:
    """Return sentences that say that a mistake would change the step `stage`, but the visitor's step is correct."""
    name, asked = matrix_name(stage), matrix_name(problem.stage)
    return (
        f"But the {name} that you pasted {is_or_are(stage)} correct, and this mistake changes {it_or_them(stage)}. So "
        f"perhaps your code does not use the {name} that you pasted, but computes other ones. Print the {name} in the "
        f"line before your code computes the {asked}."
    )


def other_mistakes_text(problem: Problem, found: Diagnosis) -> str:
    """Return a text that says why the page explains one of several mistakes, and how to find out which one was made.

    Return "" if there is only one mistake.
    """
    findings = findings_that_name(found, problem) if likely(found, problem) else []
    return f"{_why_first_text(findings)} {_what_tells_apart(problem, findings)}" if len(findings) > 1 else ""


def _why_first_text(findings: Sequence[Finding]) -> str:
    """Return a sentence that says why the page explains the first of several findings."""
    first, second = n_sources(findings[0]), max(map(n_sources, findings[1:]))
    if first > second:
        cases = "1 public case" if first == 1 else f"{first} public cases"
        of_others = f"{second} of" if second else "no case of"
        others = "the other one" if len(findings) == 2 else f"the other {len(findings) - 1}"
        if second and len(findings) > 2:
            of_others = f"at most {second} of each of"
        return f"I explain this mistake because I know {cases} of it, and {of_others} {others}."
    others = "Another mistake gives" if len(findings) == 2 else f"{len(findings) - 1} other mistakes give"
    return f"{others} the same numbers: see “More about this verdict”."


def _what_tells_apart(problem: Problem, findings: Sequence[Finding]) -> str:
    """Return sentences that say how the visitor can find out which of several mistakes was made.

    They name a step to paste, or an example in which these mistakes give different numbers.
    """
    step = step_that_tells_apart(edited_run_of(problem.trace), findings, problem.earlier_stages)
    if step:
        return f"Paste your {matrix_name(step)} as well. Then I can exclude at least one of these mistakes."
    found = example_that_tells_apart(problem, findings)
    if found is None:
        return "I found no example in which these mistakes give different numbers."
    title, n_apart = found
    n_others = len(findings) - 1
    which = f"all the other {n_others}" if n_apart == n_others else f"{n_apart} of the other {n_others}"
    others = f"this mistake gives other numbers than {which}"
    differ = "the two mistakes give different numbers" if len(findings) == 2 else others
    return f"In the example “{title}”, {differ}. Choose that example above, and check your code there."


def mistake_list(found: Diagnosis, problem: Problem) -> str:
    """Return a list of all known mistakes that explain an answer. The first few have their reasons.

    Return "" if there are none, or if there is only one and the verdict already explains it.
    """
    findings = findings_that_name(found, problem)
    is_open = bool(likely(found, problem))
    if len(findings) < 1 + is_open:
        return ""
    explained = [f"- {' And: '.join(_titled(mistake) for mistake in each.mistakes)}" for each in findings[:MOST_NAMED]]
    others = [f"- {' And: '.join(_title(mistake) for mistake in each.mistakes)}" for each in findings[MOST_NAMED:]]
    many = {1: "This known mistake gives", 2: "Both of these mistakes give"}.get(
        len(findings), f"All of these {len(findings)} mistakes give"
    )
    return f"{many} your numbers:\n\n" + "\n".join([*explained, *others])


def rare_mistakes_text(findings: Sequence[Finding]) -> str:
    """Return a sentence that names rare mistakes which give the same numbers as a simpler explanation, or ""."""
    told_here = [finding for finding in findings if finding.kind not in ("coarse", "no_numbers")]
    rare = list(dict.fromkeys(typeset(mistake.title) for finding in told_here for mistake in finding.further_mistakes))
    if not rare:
        return ""
    gives = "A known mistake gives" if len(rare) == 1 else f"{len(rare)} known mistakes give"
    named = "; ".join(f"“{title}”" for title in rare[:MOST_NAMED])
    more = f" and {len(rare) - MOST_NAMED} more" if len(rare) > MOST_NAMED else ""
    return f"{gives} the same numbers: {named}{more}."


def mistake_paragraph(mistake: Mistake[Any], problem: Problem, *, is_sure: bool = True) -> str:
    """Return a paragraph that names a mistake, with its reason and a number of this task that shows it."""
    shown = mistake_by_numbers(mistake, problem)
    return f"{'' if is_sure else 'Perhaps: '}{_titled(mistake)}{f' {shown}' if shown else ''}"


def _titled(mistake: Mistake[Any]) -> str:
    return f"**{_title(mistake)}.** {typeset(mistake.why)}"


def _title(mistake: Mistake[Any]) -> str:
    return typeset(mistake.title)


MOST_IN_A_SENTENCE = 2
OF_THE_SCALE = {"scores", "scaled", "d_k", "np", "math", "int", "round", "float"}
MOST_NUMBERS = 1000  # with more numbers in the result, trying all mistakes takes half a second


def hidden_mistakes_text(problem: Problem) -> str:
    """Return a sentence that names the common mistakes which do not change the result of a problem.

    Return "" if there are none.
    """
    titles = _titles(problem.trace) if _is_searched(problem) else ()
    named = "; ".join(map(typeset, titles))
    many = "one common mistake gives" if len(titles) == 1 else f"{len(titles)} common mistakes give"
    return f"With these inputs, {many} the correct result all the same, up to 0.005: {named}." if titles else ""


def same_result_text(problem: Problem) -> str:
    """Return sentences that name mistakes which give the same correct result here, or "" if there are none."""
    titles = [f"“{typeset(title)}”" for title in _hidden_titles(problem)]
    if not titles:
        return ""
    more = len(titles) - MOST_IN_A_SENTENCE
    named = [*titles[:MOST_IN_A_SENTENCE], *([f"{more} more"] if more > 0 else [])]
    give, it = ("mistake {} gives", "it") if len(titles) == 1 else ("mistakes {} give", "one of them")
    return (
        f"These numbers cannot show every mistake. In this example, the {give.format(join_names(named))} the same "
        f"numbers, up to 0.005. Check that your code does not have {it}."
    )


def same_result_list(problem: Problem) -> str:
    """Return a list of all mistakes that would give the same numbers as a correct result.

    Return "" if `same_result_text` names all of them, because they are few.
    """
    titles = _hidden_titles(problem)
    if len(titles) <= MOST_IN_A_SENTENCE:
        return ""
    named = "; ".join(map(typeset, titles))
    return f"These {len(titles)} mistakes give the correct numbers in this example, up to 0.005: {named}."


def _is_searched(problem: Problem) -> bool:
    return not problem.gives_scores and problem.trace.output.size <= MOST_NUMBERS


def _hidden_titles(problem: Problem) -> tuple[str, ...]:
    return _titles_with_other_sizes(problem.trace) if _is_searched(problem) else ()


@cache_recent
def _titles(trace: Trace) -> tuple[str, ...]:
    usual = (mistake for mistake in possible_mistakes(trace) if mistake.rank == "usual")
    return tuple(mistake.title for mistake in blind_spots(trace, usual))


@cache_recent
def _titles_with_other_sizes(trace: Trace) -> tuple[str, ...]:
    """Return the titles of mistakes that do not change the result of `trace`.

    Usual mistakes are tried, and mistakes that divide by another size, which may have the same value as d_k.
    """
    may_hide = (
        mistake for mistake in possible_mistakes(trace) if mistake.rank == "usual" or _scales_by_another_size(mistake)
    )
    return tuple(dict.fromkeys(mistake.title for mistake in blind_spots(trace, may_hide)))


def _scales_by_another_size(mistake: Mistake[Any]) -> bool:
    """Return whether a mistake scales the scores by the size of a matrix, such as the number of keys, and not by d_k.

    If its code names no size, but has a fixed number, such as 2, return False.
    """
    sizes = {name for line in lines_of(mistake.code) for name in line.reads} - OF_THE_SCALE
    return mistake.stage == "scaled" and bool(sizes)
