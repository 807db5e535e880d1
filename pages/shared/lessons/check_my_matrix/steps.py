"""The given steps in words: which are right, which follow from a wrong one, and which is the first wrong one."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core.diagnosis.finding import StepFound
from pages.shared.lessons.check_my_matrix.places import cell, what
from pages.shared.notation.numbers import number


def steps_text(steps: Sequence[StepFound]) -> str:
    """Return a line for each step, and how many are right."""
    if not steps:
        return ""
    lines = "\n".join(f"- {_of(step)}" for step in steps)
    good = sum(step.kind != "wrong" for step in steps)
    return f"**{good} of {len(steps)} steps are right in themselves:**\n\n{lines}"


def _of(step: StepFound) -> str:
    name = what(step.stage)
    name = name[0].upper() + name[1:]
    if step.kind == "right":
        return f"{name}: right."
    if step.kind == "near":
        return f"{name}: as near as rounding explains."
    if step.kind == "follows":
        return f"{name}: rightly computed from your own steps before."
    if step.instead != step.instead:
        return f"{name}: another shape than the steps before it lead to."
    many = "one number does not follow" if step.n_wrong == 1 else f"{step.n_wrong} numbers do not follow"
    first = "" if step.n_wrong == 1 else "the first, "
    values = f"${number(step.value)}$ in place of ${number(step.instead)}$"
    return f"**{name}:** {many} from the steps before: {first}{cell(step.place)}, has {values}."
