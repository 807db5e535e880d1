"""Read JSON objects and Python dictionaries: find their matrices, as lists of rows, as records, or by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from attention_core.reading.text_error import ONE, AmbiguousTextError, MatrixTextError, Reading

DEEPEST = 6  # how deep objects within objects are searched
MOST_NESTED = 20  # how deep lists and objects may be nested
MOST_NAMED = 24  # how many characters of a name are shown


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
    """Parse a text as JSON. Each number stays a text, as it is written. Return None if the text is not JSON."""
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
