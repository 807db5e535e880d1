"""Remove signs around numbers: bold, percent signs, and commas and points that group thousands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from attention_core.reading.text_error import AmbiguousTextError, MatrixTextError, Reading
from attention_core.reading.written import Row, Written

_BOLD = re.compile(r"(\*\*\*|\*\*|__|\*|`)([+\-−]?[0-9.][0-9.,eE+\-]*%?)(?:\*\*\*|\*\*|__|\*|`)(?![0-9*])")
_SPACED_PERCENT = re.compile(r"(?<=[0-9.])( |\\)%")
# 1,234.56 and 1,234,567; 1.234,56 and 1.234.567
_ENGLISH = re.compile(r"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3}){1,9}\.[0-9]{1,30}|(?:,[0-9]{3}){2,9})\Z")
_GERMAN = re.compile(r"[+-]?[0-9]{1,3}(?:(?:\.[0-9]{3}){1,9},[0-9]{1,30}|(?:\.[0-9]{3}){2,9})\Z")
_IN_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3}){0,9}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,5})?\Z")
_IN_GERMAN_THOUSANDS = re.compile(r"[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3}){0,9}|[0-9]{1,30})(?:,[0-9]{0,30})?\Z")
_PERCENT = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})\Z")
_EITHER = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}\Z")  # 1,234: 1.234 or 1234


def without_bold(text: str) -> str:
    """Replace the signs for bold numbers by spaces, and move each percent sign next to its number.

    The length of the text does not change.

    >>> without_bold("**1** 50 %")
    '  1   50% '
    """
    text = (
        _BOLD.sub(lambda bold: f"{' ' * len(bold[1])}{bold[2]}".ljust(len(bold[0])), text)
        if _has_bold_signs(text)
        else text
    )
    return _SPACED_PERCENT.sub("% ", text) if "%" in text else text


def _has_bold_signs(text: str) -> bool:
    return any(mark in text for mark in "*_`")


def without_thousands(text: str, rows: Sequence[Row]) -> list[Row]:
    """Remove the commas or points that group thousands: 1,234.5 shows that commas do, and 1.234,5 that points do.

    Raises: AmbiguousTextError if every comma may group thousands or be a decimal point, as in 1,234;
            MatrixTextError if both signs group thousands.
    """
    cells = [cell for row in rows for cell in row if "," in cell.text or "." in cell.text]
    english, german = (next((cell for cell in cells if style.match(cell.text)), None) for style in (_ENGLISH, _GERMAN))
    if english and german:
        raise MatrixTextError(
            text,
            max(english.offset, german.offset),
            "A matrix must have one kind of decimal point, but this one has "
            f"“{english.text[:12]}” and “{german.text[:12]}”. Write both in the same way.",
        )
    if english:
        return _remove_group_signs(text, rows, _IN_THOUSANDS, str.maketrans("", "", ","))
    if german:
        return _remove_group_signs(text, rows, _IN_GERMAN_THOUSANDS, str.maketrans(",", ".", "."))
    commas = [cell for cell in cells if "," in cell.text]
    if commas and ";" not in text and all(_EITHER.match(cell.text) for cell in commas):
        _ask_about_commas(text, commas[0], rows)
    return [*rows]


def without_percent(rows: Sequence[Row]) -> list[Row]:
    """Replace each percentage in the rows by its number: 12.5% becomes 0.125."""
    return [[_as_number(cell) if cell.text.endswith("%") else cell for cell in row] for row in rows]


def _as_number(cell: Written) -> Written:
    number = cell.text[:-1].replace(",", ".")
    return Written(f"{Decimal(number).scaleb(-2):f}", cell.offset) if _PERCENT.match(number) else cell


def _remove_group_signs(
    text: str, rows: Sequence[Row], style: re.Pattern[str], table: dict[int, int | None]
) -> list[Row]:
    """Remove the signs that group thousands from all numbers that `style` matches. Raise an error for any other number.

    `table` says which characters are removed or replaced, as `str.translate` reads it.
    """
    for cell in (cell for row in rows for cell in row):
        if ("," in cell.text or "." in cell.text) and cell.text[:1] in "+-.,0123456789" and not style.match(cell.text):
            raise MatrixTextError(
                text,
                cell.offset,
                f"One sign groups thousands and the other is the decimal point, but “{cell.text[:24]}” does not fit. "
                "Write all numbers without groups.",
            )
    return [
        [Written(cell.text.translate(table), cell.offset) if style.match(cell.text) else cell for cell in row]
        for row in rows
    ]


def _ask_about_commas(text: str, first: Written, rows: Sequence[Row]) -> None:
    """Raise the error that asks whether a comma, as in `first`, is a decimal point or groups thousands."""
    point, none = first.text.replace(",", "."), first.text.replace(",", "")
    readings = (
        Reading("Commas are decimal points", _in_lines(rows, ".")),
        Reading("Commas group thousands", _in_lines(rows, "")),
    )
    problem = (
        f"It must be clear what a comma means, but “{first.text}” can be read in two ways. Write {point} if it is a "
        f"decimal point, {none} if it groups thousands."
    )
    raise AmbiguousTextError(text, first.offset, problem, readings)


def _in_lines(rows: Sequence[Row], mark: str) -> str:
    return "\n".join("\t".join(cell.text.replace(",", mark) for cell in row) for row in rows)
