"""Sentences about single wrong numbers: which number it may be, and what to check."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core.diagnosis.answer import MOST_DECIMALS, Finding, OneNumber
from attention_core.diagnosis.one_number import is_writing_error
from attention_core.diagnosis.pasted import Problem
from pages.shared.lessons.check_my_matrix.pairs_of_values import two_numbers
from pages.shared.lessons.check_my_matrix.places import number_in_words, place_in_matrix_text

MOST_LISTED = 3


def changed_numbers_text(findings: Sequence[Finding], problem: Problem) -> list[str]:
    """Return paragraphs that name the single numbers which may be wrong, in an earlier step or in the result."""
    changed, asked = [finding.changed for finding in findings if finding.changed], problem.stage
    if not changed:
        return []
    if findings[0].mistakes:
        more = " (or another number: see “More about this verdict”)" if len(changed) > 1 else ""
        return [
            f"One wrong number would also give your numbers: {_change(changed[0], in_sentence=True)}{more}. The "
            "result alone cannot show which of these causes it is."
        ]
    if findings[0].kind == "one_free":
        return [
            "One wrong number in an earlier step would give your numbers, for example "
            f"{_change(changed[0], in_sentence=True)}. But other mistakes would also give them, and your result has "
            "too few numbers to show which one it is. Paste your earlier steps as well."
        ]
    if findings[0].kind == "few_numbers":
        return [_wrong_numbers(changed, len(findings))]
    if changed[0].stage == asked and not findings[0].wrong_from:
        return [f"**{_change(changed[0])}.** Every other number is correct. {_what_to_check(changed, asked)}"]
    if len(changed) == 1:
        return [
            f"**{_change(changed[0])}.** Your numbers fit if only this number is wrong, and every later step is "
            "computed from it. Compute it again."
        ]
    return [
        f"One wrong number in an earlier step would give your numbers. It may be:\n\n{_short_list(changed)}\n\nPaste "
        "your earlier steps as well. Then I can find out which number it is."
    ]


def _what_to_check(changed: Sequence[OneNumber], asked: str) -> str:
    """Return sentences that say what to check if one number of the result is wrong.

    `changed` has the number of the result first, and then numbers of earlier steps that may be the cause. `asked` is
    the name of the result, such as "weights".
    """
    again = "Check its sign, its digits and its decimal point."
    if asked == "weights" and not changed[0].value:
        again = "A weight of 0 can also mean that you hid this key after the softmax."
    if len(changed) == 1:
        return again
    return (
        f"{again} Perhaps a number in an earlier step is wrong instead. {_each(changed[1:])} your "
        f"numbers:\n\n{_short_list(changed[1:])}\n\nPaste your earlier steps as well. Then I can find out which number "
        "it is."
    )


def _each(changed: Sequence[OneNumber]) -> str:
    return "This change alone gives" if len(changed) == 1 else "Each of these changes, alone, gives"


def _short_list(changed: Sequence[OneNumber]) -> str:
    """Return a list with the first few numbers in `changed`, and where to find the others."""
    more = ["another number: see “More about this verdict”"] if len(changed) > MOST_LISTED else []
    return "\n".join(f"- {each}" for each in [*map(_change, changed[:MOST_LISTED]), *more])


def _wrong_numbers(changed: Sequence[OneNumber], n_wrong: int) -> str:
    lines = "\n".join(f"- {_change(each)}{_typing_error_text(each)}" for each in changed)
    return (
        f"These {number_in_words(n_wrong)} numbers are wrong:\n\n{lines}\n\n"
        "All other numbers are correct to the last digit. No known mistake gives the wrong ones. Compute them again, "
        "and check what you copied."
    )


def _typing_error_text(changed: OneNumber) -> str:
    """Return “ (perhaps you mistyped it)” if a typing error explains the number, or ""."""
    return " (perhaps you mistyped it)" if is_writing_error(changed.value, changed.correct_value) else ""


def changed_numbers_list(findings: Sequence[Finding], asked: str) -> str:
    """Return a list of all single numbers that may be wrong, or "" if the verdict has already named all of them.

    `asked` is the name of the result, such as "weights".
    """
    changed = [finding.changed for finding in findings if finding.changed]
    n_named = 1 if findings[0].mistakes else MOST_LISTED + (bool(changed) and changed[0].stage == asked)
    if findings[0].kind in ("one_free", "few_numbers") or len(changed) < 2 or len(changed) <= n_named:
        return ""
    lines = "\n".join(f"- {_change(each)}" for each in changed)
    return f"Each of these changes, alone, gives your numbers:\n\n{lines}"


def _change(changed: OneNumber, *, in_sentence: bool = False) -> str:
    value, right = two_numbers(round(changed.value, MOST_DECIMALS) + 0.0, changed.correct_value)  # 0.0 is added for −0
    values = f"${value}$ in place of ${right}$"
    if in_sentence:
        return f"{place_in_matrix_text(changed.stage, changed.place)} ({values})"
    said = place_in_matrix_text(changed.stage, changed.place)
    return f"{said[0].upper()}{said[1:]}: {values}"
