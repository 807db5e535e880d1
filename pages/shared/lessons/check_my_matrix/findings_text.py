"""Sentences about a finding: the mistake that is none of the known ones, its reason, and what to try."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.diagnosis.answer import MOST_DECIMALS
from attention_core.diagnosis.finding import Finding, HiddenKeys, OneNumber
from attention_core.diagnosis.other_keys import rows_of
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.plausible import is_another_writing
from attention_core.diagnosis.stages import matrix_at
from pages.shared.lessons.check_my_matrix.pairs_of_values import two_numbers
from pages.shared.lessons.check_my_matrix.places import cell, in_words, join_names, were, what
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
            f"Row {finding.order[0] + 1} of your {what(finding.step)} has the numbers of row {finding.order[1] + 1}. "
            "Everything else fits this. Look for an index that did not change, or for a line that was copied twice."
        ],
        "one_factor": lambda: [_one_factor(finding)],
        "no_numbers": lambda: [_no_numbers(finding)],
        "on_the_way": lambda: [_on_the_way(finding)],
        "coarse": lambda: [_coarse(finding)],
        "near": lambda: [_near(finding)],
        "transposed": lambda: ["Every number is right, and rows and columns are swapped: transpose it."],
        "reordered": lambda: [
            "Every row is right, but not all stand in their places. Your rows are the right rows "
            f"{_list(finding.order)}."
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
        "follow_through": lambda: [],
        "mistakes": lambda: _mistakes(finding),
        "one_number": lambda: [],
        "one_free": lambda: [],
    }[finding.kind]()


def changed_numbers_text(findings: Sequence[Finding], asked: str) -> list[str]:
    """Name the single numbers that may have been changed on the way to the matrix that is asked for, or in it."""
    changed = [finding.changed for finding in findings if finding.changed]
    if not changed:
        return []
    if findings[0].mistakes:
        more = ", or another one, listed below" if len(changed) > 1 else ""
        return [
            f"One wrong number would explain it as well: {_change(changed[0], in_sentence=True)}{more}. The result "
            "alone cannot tell."
        ]
    if findings[0].kind == "one_free":
        example = f"for example {_change(changed[0], in_sentence=True)}"
        return [
            f"One changed number in an earlier step could explain this, {example}. Other changes could, too, and this "
            "result has too few numbers to tell which. Paste the steps before it."
        ]
    if len(changed) == 1 and changed[0].stage == asked and not findings[0].wrong_from:
        again = "Look again at its sign, its digits, and its point."
        if asked == "weights" and not changed[0].value:
            again = "A weight of exactly 0 may also be a key that was hidden after the softmax."
        return [f"**{_change(changed[0])}.** Every other number is right. {again}"]
    if len(changed) == 1:
        fits = f"**{_change(changed[0])}.** Everything else fits this change. Compute this number again."
        is_in_scores = changed[0].stage == "scores" and asked not in ("scores", "scaled")
        return [f"{fits} The scaled score in this place may be the wrong one instead." if is_in_scores else fits]
    if findings[0].kind == "few_numbers":
        return [_wrong_numbers(changed, len(findings))]
    first, *others = changed
    more = "another one, listed below" if len(others) > 1 else _change(others[0], in_sentence=True)
    return [
        f"One changed number before the result could give exactly your numbers, for example "
        f"{_change(first, in_sentence=True)}; or {more}. Paste the steps before the result, and I can tell which."
    ]


def _wrong_numbers(changed: Sequence[OneNumber], n_wrong: int) -> str:
    lines = "\n".join(f"- {_change(each)}{_how(each)}" for each in changed)
    return (
        f"All other numbers are right to the last digit, and these {in_words(n_wrong)} are not:\n\n{lines}\n\n"
        "I know no mistake that gives them. Compute them again, and compare what you copied."
    )


def _how(changed: OneNumber) -> str:
    """Say of a number that it may have been written down wrongly."""
    return " (perhaps it was written down wrongly)" if is_another_writing(changed.value, changed.instead) else ""


def _no_numbers(finding: Finding) -> str:
    told = (
        "NaN or ∞ everywhere does not tell where it began, so I cannot tell the cause. NaN comes from 0/0, ∞ − ∞, "
        "0 · ∞, or the root or logarithm of a negative number. Print your steps in order: the first one with a NaN has "
        "the mistake."
    )
    titles = join_names([f"“{typeset(mistake.title)}”" for mistake in finding.also]) if finding.also else ""
    return f"{told} Here, for example, {titles} can lead to it." if titles else told


def _one_factor(finding: Finding) -> str:
    by = finding.factor
    as_percent = " That is how a share is written in percent." if abs(by - PERCENT) < 1 else ""
    return (
        f"Each of your numbers is the right one multiplied by ${number(by)}$.{as_percent} Everything else is right: "
        "look for a factor that was added, or for a division that was forgotten."
    )


def _coarse(finding: Finding) -> str:
    if not finding.also:
        return "As far as they go, these numbers are right. But fewer than two decimals prove nothing: give two."
    titles = join_names([f"“{typeset(mistake.title)}”" for mistake in finding.also[:MOST_ROWS]])
    more = f" and {len(finding.also) - MOST_ROWS} more" if len(finding.also) > MOST_ROWS else ""
    gives = "gives" if len(finding.also) == 1 else "give"
    places = "1 decimal" if finding.decimals == 1 else "no decimals" if not finding.decimals else f"{finding.decimals}"
    return f"{titles}{more} {gives} exactly these numbers, rounded to {places}. That proves nothing: give two decimals."


def changed_numbers_list(findings: Sequence[Finding]) -> str:
    """List the single numbers, where there are more than a sentence names."""
    changed = [finding.changed for finding in findings if finding.changed]
    least = 2 if findings[0].mistakes else 3  # a sentence names fewer
    if findings[0].kind in ("one_free", "few_numbers") or len(changed) < least:
        return ""
    lines = "\n".join(f"- {_change(each)}" for each in changed)
    return f"Any one of these changes gives exactly your numbers:\n\n{lines}"


def _change(changed: OneNumber, *, in_sentence: bool = False) -> str:
    name = what(changed.stage)
    value, right = two_numbers(round(changed.value, MOST_DECIMALS) + 0.0, changed.instead)  # 0.0 is added for −0
    values = f"${value}$ in place of ${right}$"
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
            "and a small mistake may hide in that. With more decimals of the steps before, I can tell."
        )
    return (
        f"Rounding every step to {finding.decimals} decimals can lead to numbers like these. So can a small mistake "
        "or a digit that was written wrongly. With more decimals, I can tell."
    )


def _other_step(finding: Finding, problem: Problem) -> str:
    if finding.head is not None:
        return (
            f"Every number is right for head {finding.head + 1} alone. The {what(problem.stage)} of all heads "
            f"{were(problem.stage)} asked for: go on from there."
        )
    asked = f"The {what(problem.stage)} {were(problem.stage)} asked for"
    return (
        f"Every number is right for the {what(finding.step)}. {asked}: choose the other matrix above, or go on from it."
    )


def _other_mask(keys: HiddenKeys, problem: Problem) -> list[str]:
    """Say which keys each row used, and which it should use."""
    masked = matrix_at(problem.trace, "masked")
    allowed = np.isfinite(masked if masked.ndim == 2 else masked[0])  # the same in all heads
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
    if finding.rounded == ("inputs",):
        told = [f"You also rounded the inputs to {finding.decimals} decimals, as the page shows them."]
    else:
        told = [f"You also rounded on the way, to {finding.decimals} decimals."] if finding.rounded else []
    return [*told, f"These are the right {what(finding.step)}."] if finding.step else told


def _list(places: Sequence[int]) -> str:
    return ", ".join(str(place + 1) for place in places)
