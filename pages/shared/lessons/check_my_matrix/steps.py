"""Sentences about the given steps: which are right, which follow from a wrong step, and what went wrong in it."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core.diagnosis.answer import Diagnosis, StepFound
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import matrix_at
from pages.shared.lessons.check_my_matrix.mistakes_text import mistake_paragraph, rare_mistakes_text
from pages.shared.lessons.check_my_matrix.pairs_of_values import two_numbers
from pages.shared.lessons.check_my_matrix.places import (
    join_names,
    matrix_name,
    number_in_words,
    place_text,
    shape_text,
    verb_form,
)

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
