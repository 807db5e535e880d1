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
from pages.check_my_matrix.numbers import TEXTS, Case, is_singular, join_names, matrix_name, place_in_matrix_text
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import typeset

VISIBLE = 1e-3  # a smaller difference of two weights is not shown


def _mistake_by_numbers(case: Case, mistake: Mistake[Any]) -> str:
    if mistake.stage == "masked":
        return _weight_text(case, mistake)
    return _divisor_text(case, mistake) if mistake.stage == "scaled" else ""


def _weight_text(case: Case, mistake: Mistake[Any]) -> str:
    """Return a sentence about the first weight that a mistake makes wrong, if possible one that should be 0, or ""."""
    problem = case.problem
    right, wrong = edited_run_of(problem.trace).expected("weights"), _wrong_matrix(mistake, problem, "weights")
    if wrong is None or wrong.shape != right.shape:
        return ""
    places = np.argwhere(~(np.abs(wrong - right) <= VISIBLE)).tolist()
    if not places:
        return ""
    place = tuple(next((each for each in places if not right[tuple(each)]), places[0]))
    is_now, should = float(wrong[place]), float(right[place])
    return case.say(
        "mistake_of_weight" if should else "mistake_of_hidden_weight",
        place=place_in_matrix_text(case.parameters, "weights", place),
        right=should,
        value="NaN" if np.isnan(is_now) else f"${number(is_now)}$",
    )


def _divisor_text(case: Case, mistake: Mistake[Any]) -> str:
    """Return sentences with the divisor of a mistake and the correct one, or "" if it does not divide all scores."""
    problem = case.problem
    scores, scaled = _wrong_matrix(mistake, problem, "scores"), _wrong_matrix(mistake, problem, "scaled")
    if problem.setting.scale is not None or scores is None or scaled is None or scores.shape != scaled.shape:
        return ""
    factor = float(np.vdot(scaled, scores) / np.vdot(scores, scores)) if scores.any() else 0.0
    if not factor or abs(factor - 1) < VISIBLE or not np.allclose(scaled, factor * scores):
        return ""
    root = float(np.sqrt(edited_run_of(problem.trace).names["d_k"]))
    return case.say("mistake_of_divisor", divisor=1 / factor, root=root)


def _wrong_matrix(mistake: Mistake[Any], problem: Problem, stage: str) -> Array | None:
    work = edited_run_of(problem.trace)
    lines = lines_to_compute(work.pipeline, name_of(stage), mistake.lines_in(work.pipeline))
    return work.matrix_after(lines, stage) if lines else work.expected(stage)


MOST_NAMED = 6
PLAINER = ("hidden_keys", "reordered", "copied_row")  # kinds of findings that are explained instead of a mistake
ROUNDING = 0.01  # a smaller difference may come from rounding to two decimals


def findings_that_name(found: Diagnosis, problem: Problem) -> list[Finding]:
    """Return the findings that name a mistake, the commonest first; if possible, only those that fit correct steps."""
    named = [finding for finding in found.findings if finding.mistakes]
    agree = [finding for finding in named if not _contradicted_step(found, finding, problem)]
    return sorted(agree or named, key=lambda finding: (not _is_usual(finding), -_n_sources(finding)))


def _contradicted_step(found: Diagnosis, finding: Finding, problem: Problem) -> str:
    correct = [step.stage for step in found.steps[:-1] if step.kind == "right"]
    work = edited_run_of(problem.trace) if correct else None
    return next((stage for stage in correct if work and _changes_stage(work, finding, stage)), "")


def _changes_stage(run: EditedRun, finding: Finding, stage: str) -> bool:
    made, right = matrix_with(run, finding, stage), run.expected(stage)
    return made is None or made.shape != right.shape or not np.allclose(made, right, rtol=0, atol=ROUNDING)


def _is_usual(finding: Finding) -> bool:
    return all(mistake.rank == "usual" for mistake in finding.mistakes)


def _n_sources(finding: Finding) -> int:
    return min(len(mistake.sources) for mistake in finding.mistakes)


def likely(found: Diagnosis, problem: Problem) -> list[Mistake[Any]]:
    """Return the mistakes to explain: the commonest, those of each wrong step, or [] if the cause is a plainer one."""
    if len(found.wrong_steps) > 1:
        return [mistake for step in found.wrong_steps for each in step.why[:1] for mistake in each.mistakes]
    is_plainer = found.findings and found.findings[0].kind in PLAINER
    named = findings_that_name(found, problem)
    return list(named[0].mistakes) if named and not is_plainer else []


def headline(case: Case) -> str:
    """Return a headline that says how many known mistakes, or pairs of mistakes, explain an answer."""
    if any(finding.changed for finding in case.found.findings):
        return case.say("several_causes")
    named = findings_that_name(case.found, case.problem)
    together = len(named[0].mistakes) > 1
    if len(named) > 1:
        return case.say("pairs_give" if together else "mistakes_give", n=len(named))
    return case.say("one_pair_gives" if together else "one_mistake_gives")


def mistake_paragraphs(case: Case) -> list[str]:
    """Return paragraphs that explain the commonest mistake, or the commonest pair of mistakes."""
    found, problem = case.found, case.problem
    if not likely(found, problem):
        return []
    findings = findings_that_name(found, problem)
    several = len(findings) > 1 or any(finding.changed for finding in found.findings)
    told = [mistake_paragraph(case, mistake, is_sure=not several) for mistake in findings[0].mistakes]
    if stage := _contradicted_step(found, findings[0], problem):
        section = "it_contradicts" if is_singular(stage) else "they_contradict"
        told.append(case.say(section, name=matrix_name(stage), asked=case.name))
    return told


def other_mistakes_text(case: Case) -> str:
    """Return why one of several mistakes is explained, and how to find out which one was made; or ""."""
    findings = findings_that_name(case.found, case.problem) if likely(case.found, case.problem) else []
    return f"{_why_first_text(case, findings)} {_what_tells_apart(case, findings)}" if len(findings) > 1 else ""


def _why_first_text(case: Case, findings: Sequence[Finding]) -> str:
    """Return a sentence that says why the page explains the first of several findings."""
    first, second, n_others = _n_sources(findings[0]), max(map(_n_sources, findings[1:])), len(findings) - 1
    if first <= second:
        return case.say("another_mistake_too" if n_others == 1 else "other_mistakes_too", n=n_others)
    section = "known_alone" if not second else "known_more_often" if n_others == 1 else "known_most_often"
    others = case.say("the_other_one" if n_others == 1 else "the_others", n=n_others)
    return case.say(
        section, cases=case.say("public_case" if first == 1 else "public_cases", n=first), second=second, others=others
    )


def _what_tells_apart(case: Case, findings: Sequence[Finding]) -> str:
    """Return sentences with a step to paste, or an example, in which several mistakes give different numbers."""
    problem = case.problem
    if step := step_that_tells_apart(edited_run_of(problem.trace), findings, problem.earlier_stages):
        return case.say("step_tells_apart", name=matrix_name(step))
    found = example_that_tells_apart(problem, findings)
    if found is None:
        return case.say("no_example_tells_apart")
    title, n_apart = found
    n_others = len(findings) - 1
    section = "example_tells_all_apart" if n_apart == n_others else "example_tells_some_apart"
    return case.say(
        "example_tells_two_apart" if n_others == 1 else section, title=title, n_apart=n_apart, n_others=n_others
    )


def mistake_list(case: Case) -> str:
    """Return a list of all known mistakes that explain an answer, or "" if the verdict already explains all."""
    findings = findings_that_name(case.found, case.problem)
    is_open = bool(likely(case.found, case.problem))
    if len(findings) < 1 + is_open:
        return ""
    between = f" {case.say('and_also')} "
    lines = [between.join(_titled(case, mistake) for mistake in each.mistakes) for each in findings[:MOST_NAMED]]
    lines += [between.join(case.of_core(m.title) for m in each.mistakes) for each in findings[MOST_NAMED:]]
    section = {1: "listed_mistake", 2: "both_mistakes"}.get(len(findings), "all_mistakes")
    return case.say(section, n=len(findings), lines="\n".join(f"- {line}" for line in lines))


def rare_mistakes_text(case: Case, findings: Sequence[Finding]) -> str:
    """Return a sentence that names rare mistakes which give the same numbers as a simpler explanation, or ""."""
    told_here = [finding for finding in findings if finding.kind not in ("coarse", "no_numbers")]
    rare = list(dict.fromkeys(mistake.title for finding in told_here for mistake in finding.further_mistakes))
    if not rare:
        return ""
    titles = "; ".join(case.say("quoted", title=case.of_core(title)) for title in rare[:MOST_NAMED])
    if len(rare) > MOST_NAMED:
        titles = case.say("and_more", titles=titles, n=len(rare) - MOST_NAMED)
    return case.say("rare_mistake" if len(rare) == 1 else "rare_mistakes", n=len(rare), titles=titles)


def mistake_paragraph(case: Case, mistake: Mistake[Any], *, is_sure: bool = True) -> str:
    """Return a paragraph that names a mistake, with its reason and a number of this task that shows it."""
    paragraph = f"{_titled(case, mistake)} {_mistake_by_numbers(case, mistake)}".rstrip()
    return paragraph if is_sure else case.say("perhaps", paragraph=paragraph)


def _titled(case: Case, mistake: Mistake[Any]) -> str:
    return f"**{case.of_core(mistake.title)}.** {case.of_core(mistake.why)}"


MOST_IN_A_SENTENCE = 2
OF_THE_SCALE = {"scores", "scaled", "d_k", "np", "math", "int", "round", "float"}
MOST_NUMBERS = 1000  # with more numbers in the result, trying all mistakes takes half a second


def hidden_mistakes_text(parameters: Any, problem: Problem) -> str:
    """Return a sentence that names the common mistakes which do not change the result of a problem, or ""."""
    found = _titles(problem.trace) if _is_searched(problem) else ()
    if not found:
        return ""
    titles = "; ".join(parameters.in_layout(typeset(title)) for title in found)
    return parameters.say(
        TEXTS, "hidden_mistake" if len(found) == 1 else "hidden_mistakes", n=len(found), titles=titles
    )


def same_result_text(case: Case) -> str:
    """Return sentences that name mistakes which give the same correct result here, or "" if there are none."""
    found = _hidden_titles(case.problem)
    if not found:
        return ""
    titles = [case.say("quoted", title=case.of_core(title)) for title in found[:MOST_IN_A_SENTENCE]]
    if len(found) > MOST_IN_A_SENTENCE:
        titles.append(case.say("n_more", n=len(found) - MOST_IN_A_SENTENCE))
    return case.say("one_with_same_result" if len(found) == 1 else "some_with_same_result", titles=join_names(titles))


def same_result_list(case: Case) -> str:
    """Return a list of all mistakes that would give the same numbers, or "" if `same_result_text` names all of them."""
    found = _hidden_titles(case.problem)
    if len(found) <= MOST_IN_A_SENTENCE:
        return ""
    return case.say("all_with_same_result", n=len(found), titles="; ".join(map(case.of_core, found)))


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
    may_hide = (
        mistake for mistake in possible_mistakes(trace) if mistake.rank == "usual" or _scales_by_another_size(mistake)
    )
    return tuple(dict.fromkeys(mistake.title for mistake in blind_spots(trace, may_hide)))


def _scales_by_another_size(mistake: Mistake[Any]) -> bool:
    sizes = {name for line in lines_of(mistake.code) for name in line.reads} - OF_THE_SCALE
    return mistake.stage == "scaled" and bool(sizes)
