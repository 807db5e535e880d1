"""Sentences about the findings that are not known mistakes: what happened, why, and what to try."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.diagnosis.finding import Finding, HiddenKeys
from attention_core.diagnosis.other_keys import rows_of
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import matrix_at
from pages.shared.lessons.check_my_matrix.places import join_names, what
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import typeset

ROUNDED = {
    "root": "√d_k",
    "powers": "powers",
    "powers_from_the_maximum": "powers",
    "v": "queries, keys and values",
}  # besides the matrices
PERCENT = 100
MOST_ROWS = 2  # whose keys are listed
FEWEST_IN_REVERSE = 3  # rows: two rows in reverse are two that are swapped
OF_NAN = (
    "NaN (not a number) comes, for example, from 0/0, ∞/∞ or ∞ − ∞. A softmax gives it if every key of a row is "
    "masked, or if a score is too large for exp. Look at your steps in order, and search for the mistake in the first "
    "step that has a NaN."
)


def finding_sentences(finding: Finding, problem: Problem) -> list[str]:
    """Say what kind of finding it is."""
    return {
        "right": lambda: ["Every number is right."],
        "rounded": lambda: [f"Every number is right, to {finding.decimals} decimals."],
        "rounded_inputs": lambda: [
            f"Every number is right if the inputs are rounded to {finding.decimals} decimals, as the page shows them. "
            "The inputs have more digits: set “Digits” above to 8, or copy each matrix with the button beside its name."
        ],
        "few_numbers": lambda: [],
        "copied_row": lambda: [
            f"You get exactly these numbers if row {finding.order[0] + 1} of your {what(finding.step)} is a copy of "
            f"row {finding.order[1] + 1}, and all else is right. Look for an index that did not change, or for a row "
            "that you copied twice."
        ],
        "one_factor": lambda: [_one_factor(finding)],
        "no_numbers": lambda: [_no_numbers(finding)],
        "on_the_way": lambda: [_on_the_way(finding)],
        "coarse": lambda: [_coarse(finding)],
        "near": lambda: [_near(finding)],
        "transposed": lambda: ["Every number is right, but rows and columns are swapped. Transpose your matrix."],
        "reordered": lambda: [_reordered(finding)],
        "other_step": lambda: [_other_step(finding, problem)],
        "hidden_keys": lambda: _other_mask(finding.keys, problem) if finding.keys else [],
        "dropped_out": lambda: [
            "Dropout is a step of training: it sets some attention weights to 0, at random, and multiplies the "
            f"others by a factor. You get these numbers if that factor is ${number(finding.factor)}${_rate(finding)}. "
            "Switch dropout off: in PyTorch, call `model.eval()`, and where you pass `dropout_p` yourself, set it to 0."
        ],
        "other_scale": lambda: [_other_scale(finding, problem)],
        "all_equal": lambda: [_all_equal(finding)],
        "other_end": lambda: [
            "Every number is right if the last query belongs to the last key, as with a cache of earlier keys. Here, "
            "the first query belongs to the first key, so the causal mask hides other keys. Check which of the two "
            "your task means."
        ],
        "follow_through": lambda: [],
        "mistakes": lambda: _mistakes(finding, problem),
        "one_number": lambda: [],
        "one_free": lambda: [],
    }[finding.kind]()


def _rate(finding: Finding) -> str:
    """Name the rate of dropout whose factor 1 / (1 − p) a result shows."""
    rate = 1 - 1 / finding.factor
    return f" $= 1 / (1 - p)$, for a dropout of $p = {number(rate)}$" if 0 < rate < 1 else ""


def _no_numbers(finding: Finding) -> str:
    told = f"All your numbers are NaN or ∞, so they do not show where the mistake is. {OF_NAN}"
    titles = join_names([f"“{typeset(mistake.title)}”" for mistake in finding.also]) if finding.also else ""
    return f"{told} In this task, for example, {titles} can give such numbers." if titles else told


def _one_factor(finding: Finding) -> str:
    by = finding.factor
    as_percent = " Did you write the numbers in percent?" if abs(by - PERCENT) < 1 else ""
    return (
        f"Each of your numbers is ${number(by)}$ times the right number.{as_percent} Look for a factor that you "
        "multiplied by, or for a division that you forgot."
    )


def _coarse(finding: Finding) -> str:
    if not finding.also:
        return (
            "These numbers are right, but they have fewer than two decimals, so they prove nothing. Paste two decimals."
        )
    titles = join_names([f"“{typeset(mistake.title)}”" for mistake in finding.also[:MOST_ROWS]])
    more = f" and {len(finding.also) - MOST_ROWS} more" if len(finding.also) > MOST_ROWS else ""
    gives = "gives" if len(finding.also) == 1 else "give"
    places = "1 decimal" if finding.decimals == 1 else "no decimals" if not finding.decimals else f"{finding.decimals}"
    return (
        f"{titles}{more} {gives} exactly these numbers, rounded to {places}. So few decimals prove nothing. Paste two "
        "decimals."
    )


def _on_the_way(finding: Finding) -> str:
    steps = join_names([ROUNDED.get(step) or what(step) for step in finding.rounded])
    if finding.decimals is None:
        return f"Every number follows from your own {steps}. These are right, except that you rounded them."
    return f"Every number is right, if you rounded the {steps} to {finding.decimals} decimals before you went on."


def _near(finding: Finding) -> str:
    if finding.decimals is None:
        return (
            f"Your {join_names([what(step) for step in finding.rounded])} differ from the right numbers by so "
            "little that rounding may explain it. But a small mistake may be hidden in this difference. Paste more "
            "decimals of your earlier steps. Then I can find out."
        )
    return (
        f"If you round every step to {finding.decimals} decimals, you can get numbers like these. But a small mistake "
        "or one wrong digit can also give them. Paste more decimals. Then I can find out."
    )


def _other_step(finding: Finding, problem: Problem) -> str:
    if finding.head is not None:
        return (
            f"Every number is right for head {finding.head + 1} alone. But the task asks for the "
            f"{what(problem.stage)} of all heads. Continue from your numbers."
        )
    return (
        f"Every number is right for the {what(finding.step)}. But the task asks for the {what(problem.stage)}. Choose "
        f"the {what(finding.step)} above, or continue from your numbers."
    )


def _other_mask(keys: HiddenKeys, problem: Problem) -> list[str]:
    """Say which keys each row used, and which it should use."""
    masked = matrix_at(problem.trace, "masked")
    allowed = np.isfinite(masked if masked.ndim == 2 else masked[0])  # the same in all heads
    if keys.said:
        told = f"Your numbers are right if {keys.said}. That is not the mask of the task."
    else:
        told = " ".join(_row(row, keys, allowed[row]) for row in rows_of(keys, allowed)[:MOST_ROWS])
    empty = join_names([str(row + 1) for row in keys.empty]) if keys.empty else ""
    none = (
        f" In row {empty}, every key is hidden. So its softmax divides 0 by 0, or makes all weights equal."
        if empty
        else ""
    )
    return [
        f"{told}{none} Print your mask, and compare it with the mask of the task, row by row. A hidden key has a "
        "weight of exactly 0."
    ]


def _row(row: int, keys: HiddenKeys, allowed: np.ndarray) -> str:
    right = [str(int(key) + 1) for key in np.flatnonzero(allowed)]
    used = [str(key + 1) for key in keys.rows[row]]
    if not used:
        return f"Row {row + 1} used no key, but it should use {_keys(right)}."
    return f"Row {row + 1} used only {_keys(used)}, but it should use {_keys(right)}."


def _keys(numbers: Sequence[str]) -> str:
    if not numbers:
        return "none"
    return f"key {numbers[0]}" if len(numbers) == 1 else f"keys {join_names(numbers)}"


def _other_scale(finding: Finding, problem: Problem) -> str:
    by = f"${number(finding.factor)}$"
    if problem.scored:
        return (
            f"Your weights are the softmax of {by} times these scores. Did you scale the scores? This page takes the "
            "scores as they are. If your task scales them, your weights are right."
        )
    size = "small" if finding.factor < 1 else "large"
    check = (
        "Check the number that divides the scores. It should be √d_k, the square root of the width of a key."
        if problem.setting.scale is None
        else f"Check the number that multiplies the scores. It should be ${number(problem.setting.scale)}$."
    )
    return f"Your scaled scores are too {size}: each is {by} times the right one. All else is right. {check}"


def _reordered(finding: Finding) -> str:
    if is_reversed(finding):
        return (
            f"Every row is right, but the order is reversed: your first row is the right row {finding.order[0] + 1}. "
            "Look for the place where the order changes. For example, the rows of your input may be in reverse order."
        )
    return (
        f"Every row is right, but the order is not. Your rows are the right rows {_list(finding.order)}, in this order."
    )


def is_reversed(finding: Finding) -> bool:
    """Say whether all rows are right, and in reverse order."""
    order = finding.order
    return (
        finding.kind == "reordered" and len(order) >= FEWEST_IN_REVERSE and order == tuple(reversed(range(len(order))))
    )


def _all_equal(finding: Finding) -> str:
    which = finding.step
    of = "token" if which == "rows" else "feature"
    to = f" to the right {which[:-1]} {finding.order[0] + 1}" if finding.order else ""
    return (
        f"All your {which} are equal{to}. But each {of} has its own numbers. Look for an index that does not "
        "change in the loop, or for broadcasting, where NumPy repeats one row or column."
    )


def _mistakes(finding: Finding, problem: Problem) -> list[str]:
    told = []
    if finding.rounded == ("inputs",):
        told = [f"You also rounded the inputs to {finding.decimals} decimals, as this page shows them."]
    elif finding.rounded:
        told = [f"You also rounded a step before the result, to {finding.decimals} decimals."]
    if finding.step == "concat":
        told += [
            "Your numbers are right up to the step before: they are the outputs of the heads, side by side. The task "
            f"asks for the {what(problem.stage)}."
        ]
    elif finding.step:
        told += [f"Your numbers are the right {what(finding.step)}. The task asks for the {what(problem.stage)}."]
    return told


def _list(places: Sequence[int]) -> str:
    return ", ".join(str(place + 1) for place in places)
