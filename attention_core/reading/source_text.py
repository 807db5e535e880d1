"""Read the source of a matrix: R code, JSON objects and Python dictionaries."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from attention_core.reading.written import (
    MOST_NAMED,
    MOST_NUMBERS,
    MOST_SIDE,
    ONE,
    AmbiguousTextError,
    MatrixTextError,
    Reading,
)

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
    if not columns or len({*map(len, columns)}) > 1:
        return None
    rows = (", ".join(row) for row in zip(*columns, strict=True))
    return "[" + ", ".join(f"[{row}]" for row in rows) + "]"


# --- JSON objects and Python dictionaries ---

DEEPEST = 6  # how deep objects within objects are searched
MOST_NESTED = 20  # how deep lists and objects may be nested


def matrix_in_json(text: str) -> str | None:
    """Return the only matrix of a JSON object as a text, or None if the text is not a JSON object.

    Raises: AmbiguousTextError if there are several matrices, or lists that may be columns or rows;
            MatrixTextError if there is no matrix.
    """
    start = text.lstrip()
    if not start.startswith(("{", "[{")) or ":" not in start:
        return None
    found = _parse(start) if '"' in start else _parse(start.replace("'", '"'))
    if is_nested_deeper(found, MOST_NESTED):
        raise MatrixTextError(
            text,
            len(text) - len(start),
            f"A matrix in JSON is a list of rows, but this text has more than {MOST_NESTED} lists within each other. "
            "Write [[1, 2], [3, 4]].",
        )
    return None if found is None else _only_matrix(text, found)


def is_nested_deeper(found: Any, most: int) -> bool:
    """Return whether lists and objects are nested more than `most` levels deep.

    >>> is_nested_deeper({"a": [[1]]}, 3), is_nested_deeper({"a": [[1]]}, 2)
    (False, True)
    """
    level: list[Any] = [found]
    for _ in range(most):
        level = [inner for each in level for inner in _inner_values(each)]
    return any(isinstance(each, list | dict) for each in level)


def _inner_values(found: Any) -> Iterable[Any]:
    if _is_object(found):
        return cast("Mapping[str, Any]", found).values()
    return cast("list[Any]", found) if _is_list(found) else ()


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (json.JSONDecodeError, RecursionError):  # braces of another format
        return None


def _only_matrix(text: str, found: Any) -> str:
    matrices = [*_matrices(found, "", DEEPEST)]
    if len(matrices) == 1:
        return matrices[0].text
    offset = len(text) - len(text.lstrip())
    if matrices:
        raise AmbiguousTextError(text, offset, f"{ONE}, but this text has several. Paste only one of them.", matrices)
    columns = _rows_by_name(found)
    if columns:
        across, down = _in_lines([*zip(*columns, strict=True)]), _in_lines(columns)
        readings = Reading("Each name is a column", across), Reading("Each name is a row", down)
        what = (
            "It must be clear what a name stands for, but it may be a row or a column. Paste a list: [[1, 2], [3, 4]]."
        )
        raise AmbiguousTextError(text, offset, what, readings)
    raise MatrixTextError(
        text, offset, "A matrix in JSON is a list of rows, but this text has none. Write [[1, 2], [3, 4]]."
    )


def _matrices(found: Any, name: str, depth: int) -> Iterator[Reading]:
    """Yield each matrix in an object with its name: a list of rows, or a list of records such as {"x": 1, "y": 2}.

    `name` is the name of `found`. Inner objects are searched down to the depth `depth`.
    """
    said = f"“{name[:MOST_NAMED]}”"
    if _is_list(found) and found and all(map(_is_list, found)):
        yield Reading(said, _in_brackets(found))
    elif _is_list(found) and found and all(map(_is_object, found)) and len({tuple(each) for each in found}) == 1:
        yield Reading(said, _in_lines([[*each.values()] for each in found]))
    elif _is_object(found) and depth:
        for inner, value in cast("Mapping[str, Any]", found).items():
            yield from _matrices(value, inner, depth - 1)


def _rows_by_name(found: Any) -> list[list[Any]]:
    """Return the lists in an object such as {"a": [1, 2], "b": [3, 4]}, if all are equally long; otherwise [].

    In place of lists, the object may have inner objects that all have the same names.
    """
    if not _is_object(found):
        return []
    parts = [*cast("Mapping[str, Any]", found).values()]
    if parts and all(map(_is_object, parts)) and len({tuple(part) for part in parts}) == 1:
        parts = [[*part.values()] for part in parts]
    same = parts and all(map(_is_list, parts)) and len({len(part) for part in parts}) == 1
    return parts if same and parts[0] else []


def _is_list(found: Any) -> bool:
    return isinstance(found, list)


def _is_object(found: Any) -> bool:
    return isinstance(found, dict)


def _in_brackets(found: Any) -> str:
    return f"[{', '.join(map(_in_brackets, found))}]" if _is_list(found) else _cell(found)


def _in_lines(rows: Sequence[Sequence[Any]]) -> str:
    return "\n".join("\t".join(map(_cell, row)) for row in rows)


def _cell(found: Any) -> str:
    return " ".join(found.split()) if isinstance(found, str) else json.dumps(found)
