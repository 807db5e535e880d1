"""Read the R code of a matrix, as R's function `dput` prints it. R lists the numbers column by column."""

from __future__ import annotations

import re
from itertools import islice

from attention_core.reading.written import MOST_NUMBERS, MOST_SIDE

_STRUCTURE = re.compile(r"\s*(?:[\w.]+\s*(?:<-|=)\s*)?(structure|matrix)\(\s*")
_VECTOR = re.compile(r"c\(([^()]*)\)|(-?[0-9]{1,6}):(-?[0-9]{1,6})")
_COLUMN = re.compile(r"(?:(?<![\w.])[\w.]+|`[^`]*`|\"[^\"]*\")\s*=\s*(?=c\(|-?[0-9]+:)")
_DIM = re.compile(r"\bdim\s*=\s*")
_SIDE = re.compile(r"\b(nrow|ncol)\s*=\s*([0-9]{1,6})")
_BY_ROW = re.compile(r"\bbyrow\s*=\s*T(?:RUE)?\b")


def matrix_in_r_source(text: str) -> str | None:
    """Convert the R code of a matrix to rows in brackets. Return None if the text is not such code.

    >>> matrix_in_r_source("structure(c(1, 2, 3, 4), dim = c(2L, 2L))")
    '[[1, 3], [2, 4]]'
    """
    begin = _STRUCTURE.match(text)
    if begin is None:
        return None
    if text.startswith("list(", begin.end()):
        return _write_rows(_columns(text, begin.end() + len("list(")))
    first = _VECTOR.match(text, begin.end())
    if first is None:
        return None
    return _write_rows(_cut_into_columns(_numbers(first), text[first.end() :], begin[1]))


def _columns(text: str, start: int) -> list[list[str]]:
    """Return the columns of a data frame, whose R code begins at `start`. Stop soon if there are too many numbers."""
    end = text.find("class", start)
    named = _COLUMN.finditer(text, start, len(text) if end < 0 else end)
    vectors = (_VECTOR.match(text, name.end()) for name in named)
    columns, count = list[list[str]](), 0
    for vector in islice(filter(None, vectors), MOST_SIDE + 1):
        if count > MOST_NUMBERS:
            break
        columns.append(_numbers(vector)[: MOST_SIDE + 1])
        count += len(columns[-1])
    return columns


def _cut_into_columns(numbers: list[str], rest: str, kind: str) -> list[list[str]]:
    """Cut the numbers of a matrix into its columns.

    `rest` is the R code after the numbers, which has the shape. `kind` is "structure" or "matrix", the R function.
    """
    sides = {name: int(size) for name, size in _SIDE.findall(rest)}
    dim = _DIM.search(rest) if kind == "structure" else None
    shape = _VECTOR.match(rest, dim.end()) if dim else None
    if shape:
        sides = dict(zip(("nrow", "ncol"), map(_whole_number, _numbers(shape)), strict=False))
    columns = sides.get("ncol") or -(-len(numbers) // max(sides.get("nrow", len(numbers)), 1))
    rows = -(-len(numbers) // max(columns, 1))
    if _BY_ROW.search(rest):
        return [numbers[column::columns] for column in range(columns)]
    return [numbers[start : start + rows] for start in range(0, len(numbers), max(rows, 1))]


def _whole_number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 7 else 0


def _numbers(vector: re.Match[str]) -> list[str]:
    if vector[1] is None:
        first, last = int(vector[2]), int(vector[3])
        step = 1 if last >= first else -1
        return [str(number) for number in range(first, last + step, step)[: MOST_NUMBERS + 1]]
    return [re.sub(r"(?<=[0-9])L\Z", "", number.strip()) for number in vector[1].split(",")]


def _write_rows(columns: list[list[str]]) -> str | None:
    """Write the rows of columns in brackets. Return None if there are no columns, or their lengths differ."""
    if not columns or len({*map(len, columns)}) > 1:
        return None
    rows = (", ".join(row) for row in zip(*columns, strict=True))
    return "[" + ", ".join(f"[{row}]" for row in rows) + "]"
