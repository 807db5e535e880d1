"""Remove the labels of a table: a header row above the numbers, and a label before each row."""

from __future__ import annotations

import re
from itertools import pairwise

from attention_core.reading.text_error import AmbiguousTextError, Reading
from attention_core.reading.written import Row, Written

_LETTER = re.compile(r"[^\W\d_]")
_NUMERIC = re.compile(r"[+-]?\.?[0-9]")
_DECIMALS = re.compile(r"[.,][0-9]|[0-9]\.")
_MISTYPED = re.compile(
    r"[.,][0-9]|\A[oOlI]\Z|\A[+-]?(?:inf(?:ty|inity)?|nan|na|n/a|null|none|missing)\Z", re.IGNORECASE
)


def without_labels(rows: list[Row]) -> list[Row]:
    """Remove the header row and the row labels, if they cannot be numbers of the matrix.

    A header has only words. Row labels are words, or numbers that count from 0 or 1 below an empty place in the header,
    as in the data frames of pandas and R. A mistyped number (O.5) or a missing number (NA) is not a label.
    """
    if len(rows) == 1:
        return [_without_first_name(rows[0])]
    if len(rows) < 2 or not all(rows):
        return rows
    head, *body = rows
    names = head[1:] if len(head) > 1 and not head[0].text else head
    headed = all(map(is_label, names)) and not is_label(body[0][-1])
    if (headed or _counts_up(names)) and all(len(row) == len(names) + 1 for row in body):
        return [row[1:] for row in body] if _counts_up(_first_column(body)) or _are_labels(body) else rows
    if headed:
        return body if len(head) == len(body[0]) else rows
    return [row[1:] for row in rows] if _are_labels(rows) else rows


def check_counted_rows(text: str, rows: list[Row]) -> None:
    """Raise an error if the first column may have row numbers: it counts up, and all other numbers have decimals.

    Raises: AmbiguousTextError, which offers the rows without their first column, and with it.
    """
    if len(rows) < 2 or min(map(len, rows)) < 2 or not all(cell.text.isdecimal() for cell in _first_column(rows)):
        return
    numbers = [int(cell.text) for cell in _first_column(rows) if len(cell.text) < 7]
    counts = len(numbers) == len(rows) and all(after == before + 1 for before, after in pairwise(numbers))
    if counts and all(_DECIMALS.search(cell.text) for row in rows for cell in row[1:]):
        readings = (
            Reading("The first column counts the lines", _in_lines([row[1:] for row in rows])),
            Reading("All columns are of the matrix", _in_lines(rows)),
        )
        problem = (
            f"It must be clear what the first column is, but {numbers[0]}, {numbers[1]} … may only count the lines. "
            "Remove the column if it counts lines."
        )
        raise AmbiguousTextError(text, rows[0][0].offset, problem, readings)


def _in_lines(rows: list[Row]) -> str:
    return "\n".join(
        "\t".join(f"{cell.text}.0" if cell.text.isdecimal() else cell.text for cell in row) for row in rows
    )


def _without_first_name(row: Row) -> Row:
    """Return a row without its first cell if this cell is a name and the others are numbers."""
    numbers = row[1:]
    between = row[1].offset - row[0].offset - len(row[0].text) if numbers else 0
    named = len(numbers) > 1 and is_label(row[0]) and between > 1 and all(_NUMERIC.match(cell.text) for cell in numbers)
    return numbers if named else row


def _first_column(rows: list[Row]) -> Row:
    return [row[0] for row in rows]


def is_label(cell: Written) -> bool:
    """Return whether a cell is a word, and not a mistyped or missing number."""
    return bool(_LETTER.match(cell.text)) and not _MISTYPED.search(cell.text)


def _are_labels(rows: list[Row]) -> bool:
    """Return whether the first cells of all rows are labels: different words. No row may end with another word."""
    labels = _first_column(rows)
    distinct = len({label.text for label in labels}) == len(labels)
    return distinct and all(map(is_label, labels)) and not any(is_label(row[-1]) for row in rows)


def _counts_up(cells: Row) -> bool:
    """Return whether cells count up from 0 or from 1."""
    texts, length = [cell.text for cell in cells], len(cells)
    return any(texts == [str(number) for number in range(start, start + length)] for start in (0, 1))
