"""Sentences about a finding, without the mistakes that it names."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core.diagnosis.finding import Finding, OneNumber
from pages.shared.lessons.check_my_matrix.places import cell, what
from pages.shared.notation.latex import number

ROUNDED = {
    "root": "√d_k",
    "powers": "powers",
    "powers_from_the_maximum": "powers",
    "v": "queries, keys and values",
}  # besides the matrices


def of(finding: Finding) -> list[str]:
    """Say what kind of finding it is."""
    return {
        "right": lambda: ["Every number is right."],
        "rounded": lambda: [f"Every number is right, to {finding.decimals} decimals."],
        "on_the_way": lambda: [_on_the_way(finding)],
        "coarse": lambda: [
            "As far as they go, these numbers are right. But fewer than two decimals prove nothing: give two."
        ],
        "near": lambda: [
            f"Rounding every step to {finding.decimals} decimals may lead here, and so may a small mistake. Give the "
            "steps before it, or more decimals, and it is settled."
        ],
        "transposed": lambda: ["Every number is right, and rows and columns are swapped: transpose it."],
        "reordered": lambda: [
            f"Every row is right and stands in another place. Yours are rows {_list(finding.order)}."
        ],
        "follow_through": lambda: _wrong_from(finding),
        "slips": lambda: _rounded_too(finding),
        "one_number": lambda: [],
    }[finding.kind]()


def of_numbers(findings: Sequence[Finding]) -> list[str]:
    """Name the single numbers that may have been changed."""
    changed = [finding.changed for finding in findings if finding.changed]
    if not changed:
        return []
    if len(changed) == 1:
        return [f"**{_change(changed[0])}.** All else is computed rightly from it. Compute this number again."]
    lines = "\n".join(f"- {_change(each)}" for each in changed)
    return [
        "Any one of these changes gives exactly your numbers, when all else is computed rightly:\n\n"
        f"{lines}\n\nPaste your {what(changed[0].stage)} as well, and they are told apart."
    ]


def _change(changed: OneNumber) -> str:
    name = what(changed.stage)
    values = f"${number(changed.value)}$ in place of ${number(changed.instead)}$"
    return f"{name[0].upper()}{name[1:]}, {cell(changed.place)}: {values}"


def _on_the_way(finding: Finding) -> str:
    steps = " and ".join(ROUNDED.get(step) or what(step) for step in finding.rounded)
    if finding.decimals is None:
        return f"It follows from your own {steps}, which are right as far as they are rounded."
    return f"Every number is right; you rounded the {steps} on the way, to {finding.decimals} decimals."


def _rounded_too(finding: Finding) -> list[str]:
    return [f"You also rounded on the way, to {finding.decimals} decimals."] if finding.rounded else []


def _wrong_from(finding: Finding) -> list[str]:
    where = what(finding.wrong_from)
    known = finding.slips or finding.changed
    why = "" if known else " What happened to them is none of the mistakes that are known here."
    return [f"What you did with your {where} is right. The {where} themselves are not.{why}"]


def _list(places: Sequence[int]) -> str:
    return ", ".join(str(place + 1) for place in places)
