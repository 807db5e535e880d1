"""Find matrices that are printed side by side. The visitor is asked which one to read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from attention_core.reading.text_error import (
    MOST_READINGS,
    ONE,
    AmbiguousTextError,
    Reading,
    several_matrices_error,
)
from attention_core.reading.written import Row

_TALL = str.maketrans("⎡⎢⎣⎛⎜⎝⎤⎥⎦⎞⎟⎠", "[[[[[[]]]]]]")  # SymPy draws brackets over several lines
_IN_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_BETWEEN = re.compile(r"\]\s*[,;]\s*\[")
_WIDE_GAP, _NARROW_GAP = 4, 2  # spaces
_WORD = re.compile(r"[^ ]+")
_PLAIN = re.compile(r"[0-9eE.,+\-−/ ]+\Z")


def with_one_kind_of_bracket(text: str) -> str:
    """Replace brackets that are drawn over several lines (⎡ ⎣) by square brackets."""
    return text.translate(_TALL)


def check_brackets_abreast(text: str) -> None:
    """Raise an error if two matrices in brackets are printed side by side.

    Raises: AmbiguousTextError, which offers each matrix.
    """
    lines = text.split("\n")
    cut = [parts for line in lines if (parts := _rows_in(line))]
    if len(cut) < 2 or len(cut[0]) < 2 or _BETWEEN.search(text):
        return
    starts = [start for start, _ in cut[0]]
    opened = [part.startswith("[[") for _, part in cut[0]]
    alone = all(part.count("[") == part.count("]") == 1 for parts in cut for _, part in parts)
    if not (all(opened) or (alone and all(len(parts) == len(starts) for parts in cut))):
        return
    matrices = _texts_of_columns(cut, starts)
    if any(matrix.count("[") != matrix.count("]") for matrix in matrices):
        return
    offset = len("\n".join(lines).split("[")[0]) + starts[1] - starts[0]
    raise several_matrices_error(
        text,
        min(offset, len(text) - 1),
        matrices,
        f"{ONE}, but here are {len(matrices)} side by side. Paste only one of them.",
    )


def _rows_in(line: str) -> list[tuple[int, str]]:
    """Return the position and the text of each row in brackets in a line, such as [(0, "[1 2]"), (7, "[3 4]")]."""
    rows, end = list[tuple[int, str]](), 0
    for row in _IN_BRACKETS.finditer(line):
        start, after = row.start(), row.end()
        while start > end and line[start - 1] in "[ ":
            start -= 1
        while after < len(line) and line[after] in "] ":
            after += 1
        whole = line[start:after]
        rows.append((start + len(whole) - len(whole.lstrip()), whole.strip()))
        end = after
    return rows


def _texts_of_columns(cut: Sequence[Sequence[tuple[int, str]]], starts: Sequence[int]) -> list[str]:
    """Return the text of each matrix, if several matrices are printed side by side.

    `cut` has, for each line, its rows with their positions. `starts` has the position at which each matrix begins. If a
    line has fewer rows than there are matrices, each row belongs to the nearest matrix.
    """
    columns: list[list[str]] = [[] for _ in starts]
    for parts in cut:
        for place, (start, part) in enumerate(parts):
            whole = len(parts) == len(starts)
            nearest = place if whole else min(range(len(starts)), key=lambda i, s=start: abs(starts[i] - s))
            columns[nearest].append(part)
    return ["\n".join(column) for column in columns]


def check_columns_abreast(text: str, rows: Sequence[Row]) -> None:
    """Raise an error if an empty column separates other columns, as between two matrices in a spreadsheet.

    Raises: AmbiguousTextError, which offers each matrix, and all together.
    """
    if len({len(row) for row in rows}) != 1 or len(rows) < 2:
        return
    empty = [column for column in range(len(rows[0])) if not any(row[column].text for row in rows)]
    inner = [column for column in empty if 0 < column < len(rows[0]) - 1]
    if not inner or inner != empty or any(after - before == 1 for before, after in pairwise(inner)):
        return
    bounds = [-1, *inner, len(rows[0])]
    parts = [[row[start + 1 : end] for row in rows] for start, end in pairwise(bounds)]
    together = [[cell for cell in row if cell.text] for row in rows]
    _ask_which_matrix(text, rows[0][inner[0]].offset, parts, together)


def check_gap(text: str) -> None:
    """Raise an error if all lines of numbers have a wide gap at the same place, because these may be two matrices.

    Raises: AmbiguousTextError, which offers each matrix, and all together.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not all(map(_PLAIN.match, lines)):
        return
    words = [[*_WORD.finditer(line)] for line in lines]
    if len({len(line) for line in words}) != 1 or len(words[0]) < 3:
        return
    gaps = [[after.start() - before.end() for before, after in pairwise(line)] for line in words]
    wide = [place for place, column in enumerate(zip(*gaps, strict=True)) if min(column) >= _WIDE_GAP]
    others = [gap for line in gaps for place, gap in enumerate(line) if place not in wide]
    if not wide or not others or max(others) > _NARROW_GAP:
        return
    texts = [[word[0] for word in line] for line in words]
    bounds = [0, *(place + 1 for place in wide), len(texts[0])]
    parts = ["\n".join(" ".join(line[start:end]) for line in texts) for start, end in pairwise(bounds)]
    readings = [Reading(f"Matrix {n}", part) for n, part in enumerate(parts[: MOST_READINGS - 1], start=1)]
    readings.append(Reading("One matrix", "\n".join(map(" ".join, texts))))
    offset = text.index(lines[0]) + words[0][wide[0] + 1].start()
    raise AmbiguousTextError(text, offset, f"{ONE}, but a wide gap may separate two. Take one, or all.", readings)


def _ask_which_matrix(text: str, offset: int, parts: Sequence[Sequence[Row]], together: Sequence[Row]) -> None:
    """Raise the error that offers each of `parts`, and `together`, all columns as one matrix."""
    readings = [Reading(f"Matrix {n}", _in_lines(part)) for n, part in enumerate(parts[: MOST_READINGS - 1], start=1)]
    readings.append(Reading("All without the empty columns", _in_lines(together)))
    raise AmbiguousTextError(text, offset, f"{ONE}, but an empty column may separate two. Take one, or all.", readings)


def _in_lines(rows: Sequence[Row]) -> str:
    return "\n".join("\t".join(cell.text for cell in row) for row in rows)
