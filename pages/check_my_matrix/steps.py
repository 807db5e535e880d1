"""The visitor's own steps, and advice where no mistake is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.attention import AttentionTrace
from attention_core.checks import Array
from attention_core.diagnosis.answer import Diagnosis, StepFound
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.explaining import skipped_searches
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import matrix_at, name_of, pairs
from attention_core.heads import MultiHeadTrace
from attention_core.reading.matrix_text import MatrixText
from attention_core.rotation import PositionTrace
from pages.check_my_matrix.mistakes import mistake_paragraph, rare_mistakes_text
from pages.check_my_matrix.numbers import (
    join_names,
    matrix_name,
    number_in_words,
    place_text,
    shape_text,
    two_numbers,
    verb_form,
)
from pages.check_my_matrix.setting import TITLE

FROM_GIVEN = ("q", "k", "v", "exponents")  # steps that follow from the given numbers, without a step in between
# The matrices that a step is computed from. The output of several heads is computed from the heads alone.
COMPUTED_FROM = {
    "scores": ("q", "k"), "scaled": ("scores",), "weights": ("scaled",), "concat": ("q", "k", "v"),
    "output": ("weights", "v"), "angles": ("exponents",), "encoding": ("angles",),
}  # fmt: skip


def steps_text(steps: Sequence[StepFound]) -> str:
    """Return a list with one line for each step that was pasted, or "" if there are none."""
    return (
        "**Your steps, one by one:**\n\n" + "\n".join(f"- {_of(step, is_first=not i)}" for i, step in enumerate(steps))
        if steps
        else ""
    )


def headline(found: Diagnosis) -> str:
    """Return a headline that names the wrong steps."""
    wrong = found.wrong_steps
    if wrong == [found.steps[-1]]:
        return "Only your last step is wrong"
    steps = join_names([f"your {matrix_name(step.stage)}" for step in wrong])
    if wrong == [found.steps[0]] and wrong[0].stage not in FROM_GIVEN:
        return f"The first wrong step that you pasted: {steps}"
    if len(wrong) == 1:
        return f"One step is wrong: {steps}"
    many = number_in_words(len(wrong))
    return f"{many[0].upper()}{many[1:]} steps are wrong: {steps}"


def wrong_step_paragraphs(problem: Problem, found: Diagnosis) -> list[str]:
    """Return paragraphs about several wrong steps: one that introduces them, and then one for each of them."""
    told = [_paragraph(problem, step, is_first=not i) for i, step in enumerate(found.wrong_steps)]
    return ["Each of these steps has its own mistake:", *told]


def after_the_wrong_one(found: Diagnosis) -> str:
    """Return a sentence that says that all later steps follow from the only wrong step, or "" if there are none."""
    (wrong,) = found.wrong_steps
    after = [*found.steps[found.steps.index(wrong) + 1 :]]
    if not after:
        return ""
    if len(after) > 1:
        return f"You computed every later step correctly from your wrong {matrix_name(wrong.stage)}."
    return f"You computed your {matrix_name(after[0].stage)} correctly from your wrong {matrix_name(wrong.stage)}."


def compute_again_text(step: StepFound, found: Diagnosis) -> str:
    """Return sentences that say what to compute again in a wrong step, if no known mistake gives its numbers."""
    if step.n_wrong == 1:
        return _one_number_text(step)
    before = [matrix_name(stage) for stage in _computed_from(step, found)]
    of = f" from your {join_names(before)}" if before else ""
    return f"No known mistake gives these numbers. Compute your {matrix_name(step.stage)} again{of}."


def _computed_from(step: StepFound, found: Diagnosis) -> list[str]:
    """Return the stages that `step` is computed from, and whose matrices the visitor pasted.

    A stage whose matrix was not pasted is replaced by the pasted stages that it is computed from.
    """
    pasted = [each.stage for each in found.steps]

    def pasted_before(stage: str) -> list[str]:
        before = ("concat",) if stage == "output" and "concat" in pasted else COMPUTED_FROM.get(stage, ())
        return [one for each in before for one in ([each] if each in pasted else pasted_before(each))]

    return list(dict.fromkeys(pasted_before(step.stage)))


def _paragraph(problem: Problem, step: StepFound, *, is_first: bool) -> str:
    name = matrix_name(step.stage)
    if step.correct_value != step.correct_value:
        wanted = shape_text(matrix_at(problem.trace, step.stage))
        told = f"**Your {name}** {verb_form(step.stage, 'have')} another shape. The correct shape is {wanted}."
        return f"{told} {_mistakes_of(step, problem)}".rstrip()
    value, right = two_numbers(step.value, step.correct_value)
    from_what = "it should be" if is_first else "computed from your earlier steps, it would be"
    told = f"**Your {name}:** the number in {place_text(step.place)} is ${value}$, but {from_what} ${right}$."
    return f"{told} {_why(step, problem)}"


def _why(step: StepFound, problem: Problem) -> str:
    if _mistakes_of(step, problem):
        return _mistakes_of(step, problem)
    if step.n_wrong == 1:
        return f"{_one_number_text(step)} {rare_mistakes_text(step.why)}".rstrip()
    return f"{step.n_wrong} of its numbers are wrong. No known mistake gives them."


def _one_number_text(step: StepFound) -> str:
    return f"All other numbers of your {matrix_name(step.stage)} are correct. Compute this one again."


def _mistakes_of(step: StepFound, problem: Problem) -> str:
    return " ".join(mistake_paragraph(mistake, problem) for each in step.why[:1] for mistake in each.mistakes)


def _of(step: StepFound, *, is_first: bool) -> str:
    name = matrix_name(step.stage)
    name = name[0].upper() + name[1:]
    if step.kind == "right":
        return f"{name}: correct."
    if step.kind == "near":
        return f"{name}: correct, except for differences that rounding may explain."
    if step.kind == "follows":
        return f"{name}: not all numbers are correct, but you computed them correctly from your earlier steps."
    if step.correct_value != step.correct_value:
        return f"**{name}:** the shape does not follow from your earlier steps."
    many = "one number does not follow" if step.n_wrong == 1 else f"{step.n_wrong} numbers do not follow"
    many += " from your earlier steps"
    if is_first:
        many = "one number is wrong" if step.n_wrong == 1 else f"{step.n_wrong} numbers are wrong"
    first = "The number" if step.n_wrong == 1 else "The first of them,"
    value, right = two_numbers(step.value, step.correct_value)
    comma = "," if step.n_wrong > 1 else ""
    told = f"{first} in {place_text(step.place)}{comma} is ${value}$, but it should be ${right}$."
    maybe_before = is_first and step.stage not in FROM_GIVEN
    earlier = " You pasted no earlier step, so perhaps an earlier one is already wrong." if maybe_before else ""
    return f"**{name}:** {many}. {told}{earlier}"


NOT_POSED = (
    "Does your task use another mask, another scale, or only one of several heads? Does your model rotate queries and "
    "keys by angles that grow with the position (rotary positions, RoPE), lower each score by the distance of the two "
    f"tokens (ALiBi), or share keys between heads? Choose it under *{TITLE}*. If your task has something "
    "that cannot be chosen there, your numbers may be correct, although the page calls them wrong."
)
ROUNDING = 0.01  # a number that is outside by less may be rounded
LEFT_OUT = {
    "rare": "the rarer mistakes",
    "pairs": "pairs of mistakes",
    "one_number": "a changed number in every matrix",
}


def what_was_tried(problem: Problem) -> str:
    """Return sentences that list what the diagnosis has tried without success: mistakes, and other causes."""
    work = edited_run_of(problem.trace)
    ones = sum(mistake.name in work.shown for mistake in work.mistakes)
    n_pairs = len(pairs(work.pipeline, name_of(problem.stage), work.paired))
    missing = skipped_searches(work, problem.stage)
    of_ones = "the more usual mistakes" if "rare" in missing else f"{ones:,} mistakes"
    of_pairs = "" if "pairs" in missing else f"{n_pairs:,} pairs of the more common ones, "
    told = (
        f"I tried {of_ones} that fit this task, {of_pairs}{_other_causes_text(problem)}and rounding in earlier steps."
    )
    not_tried = [LEFT_OUT[kind] for kind in missing]
    return f"{told} On matrices as large as these, I did not try {join_names(not_tried)}." if not_tried else told


def _other_causes_text(problem: Problem) -> str:
    """Return words for more causes that the diagnosis has tried: other masks if they matter, and a changed number."""
    is_masked = problem.stage in ("weights", "output") and not isinstance(
        problem.trace, (MultiHeadTrace, PositionTrace)
    )
    return f"{'other masks, ' if is_masked else ''}one changed number, "


def outside_the_values(problem: Problem, answer: MatrixText) -> str:
    """Return a sentence that names an impossible number of an output, or "" if there is none.

    An output is an average of values. So each number lies between the smallest and the greatest value in its column.
    """
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
    which, relation = ("smallest", "smaller") if is_below else ("greatest", "greater")
    return (
        f"The number in {place_text(place)} of your output is ${written}$. But the {which} number in column "
        f"{column + 1} of the values is ${bound}$. The output is an average of the values, because the weights of "
        f"a row are not negative and add up to 1. An average cannot be {relation} than the {which} value. So your "
        f"weights in row {row + 1} do not add up to 1, or a weight is negative, or your values or your last product "
        "are wrong."
    )


def _most_outside(output: Array, values: Array) -> tuple[int, int] | None:
    """Return the row and column of the number that is the furthest outside the range of its column of values.

    Return None if no number is outside.
    """
    least, greatest = _range(values)
    outside = np.nan_to_num(np.maximum(least - output, output - greatest), nan=-1.0)
    row, column = np.unravel_index(int(outside.argmax()), outside.shape)
    return (int(row), int(column)) if outside[row, column] > ROUNDING else None


def _range(values: Array) -> Array:
    """Return the smallest and the greatest number of each column."""
    return np.stack([values.min(axis=0), values.max(axis=0)])


def advice(problem: Problem, has_steps: bool) -> str:
    """Return a sentence that says what to try next if nothing explains an answer."""
    if problem.gives_scores:
        return "Check what you pasted against the numbers above."
    if has_steps or not problem.earlier_stages:
        return "Compute the first wrong number again by hand. You find its arithmetic below."
    return "Paste your earlier steps as well. Then I can find the first one that is wrong."
