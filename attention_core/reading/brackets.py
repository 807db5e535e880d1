"""Read the rows of a matrix in square brackets, as NumPy, PyTorch, Python, Julia and MATLAB write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attention_core.reading.text_error import (
    AmbiguousTextError,
    MatrixTextError,
    Reading,
    several_matrices_error,
    stacked_matrices_error,
)
from attention_core.reading.written import Row, Written, split_keeping_places

MOST_AXES = 8

_WORD = re.compile(r"(?:np\.|numpy\.)?float\d*\([^()\[\]]*\)|[^\s,;\[\]/]+(?:[ \t]*/[ \t]*[^\s,;\[\]/]+)?|\S")
# A name, a label, a shape, a data type, or nothing; an arrow to a label, and a numbered label.
_LABEL = re.compile(r"[^\W\d_]|[(<→←⇒⇐]|->|=>|[0-9]{1,6}[ ]*(?:→|⇒|->|=>|:|\))|\Z")
_THIRD_AXIS = re.compile(r"\[\s*\[\s*\[")
_SECOND_OF_BATCH = re.compile(r"\]\s*\]\s*(?:,\s*)?\[\s*\[")


def rows_in_brackets(text: str, original_text: str) -> list[Row]:
    """Return the rows of the only matrix in square brackets in a text.

    Each inner pair of brackets is a row, or semicolons separate the rows. Error messages quote `original_text`, the
    text that the visitor wrote. `text` is the same text, perhaps with other kinds of brackets replaced by square ones.
    """
    rows, groups, depth, outside = list[Row](), list[int](), 0, 0
    for mark in re.finditer(r"[\[\]]", text):
        inner = Written(text[outside : mark.start()], outside)
        if depth:
            rows += _inner_rows(
                original_text, inner, mark[0] == "]" and text[outside - 1] == "[", is_only_pair=depth == 1
            )
        else:
            _check_label(original_text, inner)
        depth += 1 if mark[0] == "[" else -1
        if depth < 0:
            raise MatrixTextError(
                original_text, mark.start(), "Every ] needs a [ before it, but this one has none. Remove it."
            )
        if depth == 0:
            groups.append(len(rows))
            _check_one_matrix(text, original_text, mark.start(), groups)
        outside = mark.end()
    if depth:
        raise MatrixTextError(
            original_text,
            max(len(original_text.rstrip()) - 1, 0),
            "Every [ needs a ] after it, but one ] is missing. Add it.",
        )
    _check_label(original_text, Written(text[outside:], outside))
    _check_batches(text, original_text)
    return rows


def _inner_rows(shown: str, inner: Written, innermost: bool, *, is_only_pair: bool) -> list[Row]:
    """Return the rows in `inner`, the part of a text between one bracket and the next bracket.

    If the two brackets are a pair (`innermost`), the part has one or more rows. Otherwise, the part should be empty.
    Its words are returned as a row, so that a later check reports the words. `is_only_pair` says whether the pair
    stands in no other brackets.
    """
    if not innermost:
        stray = [word for word in _words(inner) if word.text not in ",;"]
        return [stray] if stray else []
    ends = _row_ends(shown, inner) if is_only_pair else re.compile(";")
    return [row for part in split_keeping_places(ends, inner.text, 0) if (row := _row(part, inner.offset))]


def _row_ends(shown: str, inner: Written) -> re.Pattern[str]:
    """Return the pattern at which a single pair of brackets is cut into rows: at semicolons or at new lines.

    Raises: AmbiguousTextError if the lines may be rows, as in Julia and MATLAB, or parts of one long row, as in NumPy.
    """
    lines = [line for line in inner.text.split("\n") if line.strip()]
    if len(lines) < 2 or ";" in inner.text or any(line.rstrip().endswith(",") for line in lines):
        return re.compile(";")
    if "," in inner.text:
        return re.compile("\n")
    if len({len(line.split()) for line in lines}) == 1:
        readings = (
            Reading("A row for each line", f"[{'; '.join(' '.join(line.split()) for line in lines)}]"),
            Reading("All in one row", f"[[{' '.join(inner.text.split())}]]"),
        )
        problem = (
            f"It must be clear whether each line is a row, but one bracket holds {len(lines)} lines. Put ; between "
            "rows, or [[…]] around a single row."
        )
        raise AmbiguousTextError(shown, inner.offset, problem, readings)
    return re.compile(";")


def _row(part: Written, offset: int) -> Row:
    """Return the cells of one row, which begins at `offset`. An empty cell stands between two commas without a number.

    A comma may end the row.
    """
    row, missing = Row(), False
    for word in _words(Written(part.text, offset + part.offset)):
        if word.text == ",":
            if missing or not row:
                row.append(Written("", word.offset))
            missing = True
        else:
            row.append(word)
            missing = False
    return row


def _words(part: Written) -> Iterator[Written]:
    return (Written(word[0], part.offset + word.start()) for word in _WORD.finditer(part.text))


def _check_label(shown: str, outside: Written) -> None:
    """Raise an error if numbers stand outside the brackets, because they would be lost.

    Names, data types and shapes may stand outside.
    """
    if not _LABEL.match(outside.text.lstrip().lstrip("),").lstrip()):
        start = outside.offset + len(outside.text) - len(outside.text.lstrip(" \n\t,)"))
        what = "".join(shown[start:].split(maxsplit=1)[:1])
        raise MatrixTextError(
            shown, start, f"All numbers must be in the brackets, but “{what[:24]}” is outside. Put it inside."
        )


def _check_one_matrix(text: str, shown: str, offset: int, groups: list[int]) -> None:
    """Raise an error if a text has two matrices in brackets. Rows that were printed one by one count as one matrix.

    `groups` has the number of rows from the beginning of the text to the end of each matrix: [2, 4] for two matrices
    of 2 rows.
    """
    if len(groups) > 1 and max(groups[0], groups[-1] - groups[-2]) > 1:
        raise several_matrices_error(shown, offset, _matrices_in(text, shown))


def _check_batches(text: str, shown: str) -> None:
    """Raise an error if a text has several matrices in a third pair of brackets, such as a batch."""
    second = _SECOND_OF_BATCH.search(text)
    if second and _THIRD_AXIS.search(text):
        raise stacked_matrices_error(shown, second.end() - 1, _matrices_of_stack(text, shown))


def _matrices_of_stack(text: str, shown: str) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield each matrix of an array with more than two axes, with its indices from 1, such as batch and head."""
    opened, counts = list[int](), [0] * (MOST_AXES + 2)
    height = _count_axes(text)
    for mark in re.finditer(r"[\[\]]", text):
        if mark[0] == "]":
            start = opened.pop() if opened else 0
            if len(opened) == height - 2:
                yield tuple(counts[1 : height - 1]), shown[start : mark.end()]
            continue
        opened.append(mark.start())
        depth = min(len(opened), MOST_AXES) - 1
        counts[depth] += 1
        counts[depth + 1] = 0


def _count_axes(text: str) -> int:
    """Return the number of axes of an array in brackets: how many brackets are open at the first number, at most 8."""
    height = 0
    for mark in re.finditer(r"[\[\]0-9]", text):
        if mark[0] not in "[]" and height > 2:
            break
        height = max(height + (mark[0] == "[") - (mark[0] == "]"), 0)
    return min(height, MOST_AXES)


def _matrices_in(text: str, shown: str) -> Iterator[str]:
    """Yield the text of each matrix in `text`, such as “[[1, 2], [3, 4]]” or “[1 2; 3 4]”."""
    opened = list[list[int]]()  # for each open bracket: where it began, and how many brackets deep its content is
    for mark in re.finditer(r"[\[\]]", text):
        if mark[0] == "[":
            opened.append([mark.start(), 1])
        elif opened:
            start, height = opened.pop()
            if height == 2 or (height == 1 and not opened):
                yield shown[start : mark.end()]
            if opened:
                opened[-1][1] = max(opened[-1][1], height + 1)
