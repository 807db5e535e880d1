"""Sentences about a finding: the mistake that is none of the known ones, its reason, and what to try."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.diagnosis.finding import Finding, HiddenKeys, OneNumber
from attention_core.diagnosis.other_keys import rows_of
from attention_core.diagnosis.pasted import Problem
from pages.shared.lessons.check_my_matrix.places import cell, join_names, were, what
from pages.shared.notation.numbers import number

ROUNDED = {
    "root": "√d_k",
    "powers": "powers",
    "powers_from_the_maximum": "powers",
    "v": "queries, keys and values",
}  # besides the matrices
MOST_ROWS = 2  # whose keys are listed


def of(finding: Finding, problem: Problem) -> list[str]:
    """Say what kind of finding it is."""
    return {
        "right": lambda: ["Every number is right."],
        "rounded": lambda: [f"Every number is right, to {finding.decimals} decimals."],
        "on_the_way": lambda: [_on_the_way(finding)],
        "coarse": lambda: [
            "As far as they go, these numbers are right. But fewer than two decimals prove nothing: give two."
        ],
        "near": lambda: [_near(finding)],
        "transposed": lambda: ["Every number is right, and rows and columns are swapped: transpose it."],
        "reordered": lambda: [
            f"Every row is right and stands in another place. Yours are rows {_list(finding.order)}."
        ],
        "other_step": lambda: [_other_step(finding, problem)],
        "hidden_keys": lambda: _other_mask(finding.keys, problem) if finding.keys else [],
        "dropped_out": lambda: [
            "**Dropout left on.** Some weights are 0, and all others are the right ones multiplied by "
            f"${number(finding.factor)}$, as dropout does in training. Switch it off with `model.eval()`."
        ],
        "other_scale": lambda: [_other_scale(finding, problem)],
        "all_equal": lambda: [_all_equal(finding)],
        "other_end": lambda: [
            "Every number is right if the last query stands beside the last key, as with a cache of earlier keys. A "
            "causal mask that begins with the first key, as here, hides other keys. Say which of the two is asked."
        ],
        "follow_through": lambda: _wrong_from(finding),
        "mistakes": lambda: _mistakes(finding),
        "one_number": lambda: [],
        "one_free": lambda: [],
    }[finding.kind]()


def of_numbers(findings: Sequence[Finding], asked: str) -> list[str]:
    """Name the single numbers that may have been changed on the way to the matrix that is asked for, or in it."""
    changed = [finding.changed for finding in findings if finding.changed]
    if not changed:
        return []
    if findings[0].kind == "one_free":
        example = f"for example {_change(changed[0], in_sentence=True)}"
        return [
            f"Several changes of a single number would explain this, {example}. So few numbers are left that they "
            "cannot prove which. Give a result with more rows, or the steps before it."
        ]
    if len(changed) == 1 and changed[0].stage == asked and not findings[0].wrong_from:
        again = "Look again at its sign, its digits, and its point."
        if asked == "weights" and not changed[0].value:
            again = "A weight of exactly 0 may also be a key that was hidden after the softmax."
        return [f"**{_change(changed[0])}.** Every other number is right. {again}"]
    if len(changed) == 1:
        return [f"**{_change(changed[0])}.** All else is computed rightly from it. Compute this number again."]
    first, *others = changed
    more = " one of the others below" if len(others) > 1 else f" {_change(others[0], in_sentence=True)}"
    return [
        f"Changing one number explains all of them: {_change(first, in_sentence=True)}, or{more}. Paste your "
        f"{what(first.stage)} as well, and they are told apart."
    ]


def list_numbers(findings: Sequence[Finding]) -> str:
    """List the single numbers, where there are more than a sentence names."""
    changed = [finding.changed for finding in findings if finding.changed]
    if findings[0].kind == "one_free" or len(changed) < 3:
        return ""
    lines = "\n".join(f"- {_change(each)}" for each in changed)
    return f"Any one of these changes gives exactly your numbers:\n\n{lines}"


def _change(changed: OneNumber, *, in_sentence: bool = False) -> str:
    name = what(changed.stage)
    values = f"${number(changed.value)}$ in place of ${number(changed.instead)}$"
    if in_sentence:
        return f"{cell(changed.place)} of the {name}, {values}"
    return f"{name[0].upper()}{name[1:]}, {cell(changed.place)}: {values}"


def _on_the_way(finding: Finding) -> str:
    steps = join_names([ROUNDED.get(step) or what(step) for step in finding.rounded])
    if finding.decimals is None:
        return f"It follows from your own {steps}, which are right as far as they are rounded."
    return f"Every number is right; you rounded the {steps} on the way, to {finding.decimals} decimals."


def _near(finding: Finding) -> str:
    if finding.decimals is None:
        return (
            f"Your {join_names([what(step) for step in finding.rounded])} are off by no more than rounding explains, "
            "and a small mistake may hide in that. Give more decimals of the steps before, and it is settled."
        )
    return (
        f"Rounding every step to {finding.decimals} decimals may lead here, and so may a small mistake. Give more "
        "decimals, and it is settled."
    )


def _other_step(finding: Finding, problem: Problem) -> str:
    asked = f"The {what(problem.stage)} {were(problem.stage)} asked for"
    return (
        f"Every number is right for the {what(finding.step)}. {asked}: choose the other matrix above, or go on from it."
    )


def _other_mask(keys: HiddenKeys, problem: Problem) -> list[str]:
    """Say which keys each row used, and which it should use."""
    allowed = np.isfinite(problem.trace.masked)  # type: ignore[union-attr]
    if keys.said:
        told = f"Your numbers are right for a mask under which {keys.said}."
    else:
        told = " ".join(_row(row, keys, allowed[row]) for row in rows_of(keys, allowed)[:MOST_ROWS])
    empty = join_names([str(row + 1) for row in keys.empty]) if keys.empty else ""
    none = f" Row {empty} has no key left, so its softmax divides 0 by 0 or makes all weights equal." if empty else ""
    return [
        f"**Another mask.** {told}{none} A key that is hidden has a weight of exactly 0; print your mask, and compare "
        "it row by row."
    ]


def _row(row: int, keys: HiddenKeys, allowed: np.ndarray) -> str:
    right = [str(int(key) + 1) for key in np.flatnonzero(allowed)]
    used = [str(key + 1) for key in keys.rows[row]]
    if not used:
        return f"Row {row + 1} used no key; it should use {_keys(right)}."
    return f"Row {row + 1} used {_keys(used)} alone; it should use {_keys(right)}."


def _keys(numbers: Sequence[str]) -> str:
    if not numbers:
        return "none"
    return f"key {numbers[0]}" if len(numbers) == 1 else f"keys {join_names(numbers)}"


def _other_scale(finding: Finding, problem: Problem) -> str:
    by = f"${number(finding.factor)}$ (divided by ${number(1 / finding.factor)}$)" if finding.factor else "0"
    if problem.scored:
        return (
            f"Your weights are the softmax of the scores multiplied by {by}. They are right if these scores have still "
            "to be scaled by that; this page takes the scores as they stand."
        )
    return (
        f"Your numbers are right for scaled scores that are multiplied by {by} once more. Check the number that "
        "divides the scores: it should be √d_k, the root of the width of a key."
    )


def _all_equal(finding: Finding) -> str:
    which = finding.step
    of = "token" if which == "rows" else "feature"
    return (
        f"**All your {which} are equal.** The numbers of one {of} were taken for all: look for an index that does not "
        "change in the loop, or for a shape that is broadcast."
    )


def _mistakes(finding: Finding) -> list[str]:
    told = [f"You also rounded on the way, to {finding.decimals} decimals."] if finding.rounded else []
    return [*told, f"These are the right {what(finding.step)}."] if finding.step else told


def _wrong_from(finding: Finding) -> list[str]:
    where = what(finding.wrong_from)
    known = finding.mistakes or finding.changed
    why = "" if known else " What happened to them is none of the mistakes that are known here."
    return [f"What you did with your {where} is right. The {where} themselves are not.{why}"]


def _list(places: Sequence[int]) -> str:
    return ", ".join(str(place + 1) for place in places)
