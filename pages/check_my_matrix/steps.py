"""The visitor's own steps, and advice where no mistake is known."""

from __future__ import annotations

import numpy as np

from attention_core.attention import AttentionTrace
from attention_core.checks import Array
from attention_core.diagnosis.answer import Diagnosis, StepFound
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.explaining import skipped_searches
from attention_core.diagnosis.stages import matrix_at, name_of, pairs
from attention_core.heads import MultiHeadTrace
from attention_core.rotation import PositionTrace
from pages.check_my_matrix.mistakes import mistake_paragraph, rare_mistakes_text
from pages.check_my_matrix.numbers import (
    TEXTS,
    Case,
    is_singular,
    join_names,
    matrix_name,
    number_in_words,
    place_text,
    shape_text,
    two_numbers,
)

FROM_GIVEN = ("q", "k", "v", "exponents")  # steps that follow from the given numbers, without a step in between
# The matrices that a step is computed from. The output of several heads is computed from the heads alone.
COMPUTED_FROM = {
    "scores": ("q", "k"), "scaled": ("scores",), "weights": ("scaled",), "concat": ("q", "k", "v"),
    "output": ("weights", "v"), "angles": ("exponents",), "encoding": ("angles",),
}  # fmt: skip


def steps_text(case: Case) -> str:
    """Return a list with one line for each step that was pasted, or "" if there are none."""
    lines = [f"- {_line(case, step, is_first=not i)}" for i, step in enumerate(case.found.steps)]
    return case.say("steps_one_by_one", lines="\n".join(lines)) if lines else ""


def headline(case: Case) -> str:
    """Return a headline that names the wrong steps."""
    found, wrong = case.found, case.found.wrong_steps
    if wrong == [found.steps[-1]]:
        return case.say("only_last_step")
    steps = join_names([case.say("your_matrix", name=matrix_name(step.stage)) for step in wrong])
    if wrong == [found.steps[0]] and wrong[0].stage not in FROM_GIVEN:
        return case.say("first_wrong_step", steps=steps)
    if len(wrong) == 1:
        return case.say("one_wrong_step", steps=steps)
    return case.say("several_wrong_steps", many=number_in_words(len(wrong)).capitalize(), steps=steps)


def wrong_step_paragraphs(case: Case) -> list[str]:
    """Return paragraphs about several wrong steps: one that introduces them, and then one for each of them."""
    told = [_paragraph(case, step, is_first=not i) for i, step in enumerate(case.found.wrong_steps)]
    return [case.say("each_has_its_own"), *told]


def after_the_wrong_one(case: Case) -> str:
    """Return a sentence that says that all later steps follow from the only wrong step, or "" if there are none."""
    steps, (wrong,) = case.found.steps, case.found.wrong_steps
    after = steps[steps.index(wrong) + 1 :]
    if not after:
        return ""
    section = "later_step_follows" if len(after) == 1 else "later_steps_follow"
    return case.say(section, later=matrix_name(after[0].stage), name=matrix_name(wrong.stage))


def compute_again_text(case: Case, step: StepFound) -> str:
    """Return sentences that say what to compute again in a wrong step, if no known mistake gives its numbers."""
    name, before = matrix_name(step.stage), [matrix_name(stage) for stage in _computed_from(step, case.found)]
    if step.n_wrong == 1:
        return case.say("all_others_correct", name=name)
    return case.say("compute_again_from", name=name, names=join_names(before)) if before else (
        case.say("compute_again", name=name)
    )  # fmt: skip


def _computed_from(step: StepFound, found: Diagnosis) -> list[str]:
    """Return the pasted stages that `step` is computed from, directly or by stages that were not pasted."""
    pasted = [each.stage for each in found.steps]

    def pasted_before(stage: str) -> list[str]:
        before = ("concat",) if stage == "output" and "concat" in pasted else COMPUTED_FROM.get(stage, ())
        return [one for each in before for one in ([each] if each in pasted else pasted_before(each))]

    return list(dict.fromkeys(pasted_before(step.stage)))


def _paragraph(case: Case, step: StepFound, *, is_first: bool) -> str:
    name = matrix_name(step.stage)
    if step.correct_value != step.correct_value:
        wanted = shape_text(matrix_at(case.problem.trace, step.stage))
        section = "step_has_another_shape" if is_singular(step.stage) else "steps_have_another_shape"
        return f"{case.say(section, name=name, shape=wanted)} {_mistakes_of(case, step)}".rstrip()
    value, right = two_numbers(step.value, step.correct_value)
    section = "number_of_first_step" if is_first else "number_of_later_step"
    told = case.say(section, name=name, place=place_text(case.parameters, step.place), value=value, right=right)
    return f"{told} {_why(case, step)}"


def _why(case: Case, step: StepFound) -> str:
    if mistakes := _mistakes_of(case, step):
        return mistakes
    if step.n_wrong == 1:
        one = case.say("all_others_correct", name=matrix_name(step.stage))
        return f"{one} {rare_mistakes_text(case, step.why)}".rstrip()
    return case.say("unexplained_numbers", n=step.n_wrong)


def _mistakes_of(case: Case, step: StepFound) -> str:
    return " ".join(mistake_paragraph(case, mistake) for each in step.why[:1] for mistake in each.mistakes)


_LISTED = {"right": "listed_as_right", "near": "listed_as_close", "follows": "listed_as_following"}


def _line(case: Case, step: StepFound, *, is_first: bool) -> str:
    name = matrix_name(step.stage)
    name = name[0].upper() + name[1:]
    if step.kind in _LISTED:
        return case.say(_LISTED[step.kind], name=name)
    if step.correct_value != step.correct_value:
        return case.say("listed_with_shape", name=name)
    one, several = ("listed_number_not_following", "listed_numbers_not_following")
    if is_first:
        one, several = ("listed_number_wrong", "listed_numbers_wrong")
    value, right = two_numbers(step.value, step.correct_value)
    place, n = place_text(case.parameters, step.place), step.n_wrong
    line = case.say(one if n == 1 else several, name=name, n=n, place=place, value=value, right=right)
    return case.say("perhaps_an_earlier_step", line=line) if is_first and step.stage not in FROM_GIVEN else line


ROUNDING = 0.01  # a number that is outside by less may be rounded


def what_was_tried(case: Case) -> str:
    """Return sentences that list what the diagnosis has tried without success: mistakes, and other causes."""
    problem = case.problem
    work = edited_run_of(problem.trace)
    n = sum(mistake.name in work.shown for mistake in work.mistakes)
    n_pairs = len(pairs(work.pipeline, name_of(problem.stage), work.paired))
    missing = skipped_searches(work, problem.stage)
    causes = [case.say("tried_usual_mistakes" if "rare" in missing else "tried_mistakes", n=n)]
    if "pairs" not in missing:
        causes.append(case.say("tried_pairs", n=n_pairs))
    if problem.stage in ("weights", "output") and not isinstance(problem.trace, (MultiHeadTrace, PositionTrace)):
        causes.append(case.say("tried_masks"))
    told = case.say("tried", causes=", ".join([*causes, case.say("tried_changed_number")]))
    if not missing:
        return told
    searches = TEXTS.words("searches").options
    return f"{told} {case.say('not_tried', searches=join_names([searches[kind] for kind in missing]))}"


def outside_the_values(case: Case) -> str:
    """Return sentences about a number of an output that no average of the values can be, or "" if there is none."""
    problem, answer = case.problem, case.answer
    if problem.stage != "output" or not isinstance(problem.trace, AttentionTrace):
        return ""
    values = matrix_at(problem.trace, "v")
    if answer.values.shape != problem.correct_result.shape or values.shape[1] != problem.correct_result.shape[1]:
        return ""
    place = _most_outside(answer.values, values)
    if place is None:
        return ""
    row, column = place
    value, least, greatest = (float(each) for each in (answer.values[place], *_range(values)[:, column]))
    is_below = value < least
    written, bound = two_numbers(value, least if is_below else greatest, answer.decimals)
    return case.say(
        "below_the_values" if is_below else "above_the_values",
        place=place_text(case.parameters, place), i=row + 1, j=column + 1, value=written, bound=bound,
    )  # fmt: skip


def _most_outside(output: Array, values: Array) -> tuple[int, int] | None:
    least, greatest = _range(values)
    outside = np.nan_to_num(np.maximum(least - output, output - greatest), nan=-1.0)
    row, column = np.unravel_index(int(outside.argmax()), outside.shape)
    return (int(row), int(column)) if outside[row, column] > ROUNDING else None


def _range(values: Array) -> Array:
    return np.stack([values.min(axis=0), values.max(axis=0)])


def advice(case: Case) -> str:
    """Return a sentence that says what to try next if nothing explains an answer."""
    if case.problem.gives_scores:
        return case.say("check_what_you_pasted")
    has_steps = bool(case.found.steps) or not case.problem.earlier_stages
    return case.say("compute_first_wrong" if has_steps else "paste_earlier_steps")
