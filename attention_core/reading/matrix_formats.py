"""The formats of a written matrix: brackets, LaTeX, or lines. Each is cut into rows of cells with their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

MOST_SIDE = 64  # rows or columns
RULE = "a matrix is a print-out in brackets, lines of numbers, or a LaTeX matrix"
WHAT_TO_WRITE = "write [[1, 2], [3, 4]]"


class MatrixTextError(ValueError):
    """A text that is no matrix: what is wrong, and where, as line and column counted from 1."""

    def __init__(self, text: str, offset: int, problem: str) -> None:
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - text.rfind("\n", 0, offset)
        super().__init__(f"Line {self.line}, column {self.column}: {problem}")


class Written(NamedTuple):
    """The text of one cell, and where it begins."""

    text: str
    offset: int


Row = list[Written]
_LATEX = re.compile(r"\\begin\{([a-zA-Z]*matrix\*?|array)\}(?:\{[^{}]*\}|\[[^\[\]]*\])?")
_ROW_END = re.compile(r"\\\\(?:\[[^\[\]]*\])?|\\tabularnewline")
_NO_NUMBER = re.compile(r"(\\\\)|\\hline|\\[,;:! ]|\\quad|[$~]")  # all but the end of a row
_WORD = re.compile(r"(?:np\.|numpy\.)?float\d*\([^()\[\]]*\)|[^\s,;\[\]/]+(?:[ \t]*/[ \t]*[^\s,;\[\]/]+)?|\S")
_LABEL = re.compile(r"[^\W\d_]|[(<]|\Z")  # a name, a label, a shape, a data type, or nothing
_THIRD_AXIS = re.compile(r"\[\s*\[\s*\[")
_SECOND_OF_BATCH = re.compile(r"\]\s*\]\s*(?:,\s*)?\[\s*\[")
_SEVERAL = re.compile(r"[^\s/;][^\S\n]+[^\s/;]|,[^;\n]*,")  # numbers, and no end of a row between them
_PROMPT = re.compile(r"\A(\s*)((?:Out|In)\s?\[[0-9]*\]:?)")  # of a notebook
_OTHER_BRACKETS = {"(": str.maketrans("()", "[]"), "{": str.maketrans("{}", "[]")}


def cells(text: str) -> list[Row]:
    """Cut a text into its rows of cells.

    Raises: MatrixTextError where it is of no known format.
    """
    text = _PROMPT.sub(lambda prompt: prompt[1] + " " * len(prompt[2]), text)
    first = text.lstrip()[:1]
    if r"\begin" in text:
        return _latex(text)
    if "[" in text:
        return _bracketed(text, text)
    if first in _OTHER_BRACKETS:
        return _bracketed(text.translate(_OTHER_BRACKETS[first]), text)
    return _lines(text)


# --- LaTeX ---


def _latex(text: str) -> list[Row]:
    begin = _LATEX.search(text)
    if begin is None:
        raise MatrixTextError(
            text, text.index(r"\begin"), f"{RULE}; got another environment: use pmatrix, bmatrix or array."
        )
    end = text.find(rf"\end{{{begin[1]}}}", begin.end())
    if end < 0:
        raise MatrixTextError(
            text, begin.start(), f"every \\begin needs its \\end; got none of {begin[1]}: add \\end{{{begin[1]}}}."
        )
    if (second := text.find(r"\begin", begin.end())) >= 0:
        raise MatrixTextError(text, second, "one matrix at a time; got a second one: paste only the first.")
    body = _NO_NUMBER.sub(lambda mark: mark[1] or " " * len(mark[0]), text[:end])
    rows = [_split(row, "&") for row in _between(_ROW_END, body, begin.end())]
    return [row for row in rows if len(row) > 1 or row[0].text]


def _between(separator: re.Pattern[str], text: str, start: int) -> Iterator[Written]:
    """Cut a text from a place on, and keep the places."""
    for mark in separator.finditer(text, start):
        yield Written(text[start : mark.start()], start)
        start = mark.end()
    yield Written(text[start:], start)


# --- brackets ---


def _bracketed(text: str, shown: str) -> list[Row]:
    """Read rows in square brackets: the innermost ones, or those that semicolons separate."""
    rows, groups, depth, outside = list[Row](), list[int](), 0, 0
    for mark in re.finditer(r"[\[\]]", text):
        inner = Written(text[outside : mark.start()], outside)
        if depth:
            rows += _inner_rows(inner, mark[0] == "]" and text[outside - 1] == "[")
        else:
            _check_label(shown, inner)
        depth += 1 if mark[0] == "[" else -1
        if depth < 0:
            raise MatrixTextError(shown, mark.start(), "every ] closes a [; got one too many: take it out.")
        if depth == 0:
            groups.append(len(rows))
            _check_one_matrix(shown, mark.start(), groups)
        outside = mark.end()
    if depth:
        raise MatrixTextError(shown, max(len(shown.rstrip()) - 1, 0), "every [ needs a ]; got one too few: add it.")
    _check_label(shown, Written(text[outside:], outside))
    _check_batches(text, shown)
    return rows


def _inner_rows(inner: Written, innermost: bool) -> list[Row]:
    """Return the rows between two brackets: between a closing and an opening one there is nothing but a comma."""
    if not innermost:
        stray = [word for word in _words(inner) if word.text not in ",;"]
        return [stray] if stray else []
    return [row for part in _between(re.compile(";"), inner.text, 0) if (row := _row(part, inner.offset))]


def _row(part: Written, offset: int) -> Row:
    """Read the words of a row; a comma with nothing before it leaves an empty cell, but may end the row."""
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
    """Allow names, data types and shapes beside the brackets, but no number that would be left out."""
    if not _LABEL.match(outside.text.lstrip().lstrip("),").lstrip()):
        start = outside.offset + len(outside.text) - len(outside.text.lstrip(" \n\t,)"))
        what = "".join(shown[start:].split(maxsplit=1)[:1])
        raise MatrixTextError(shown, start, f"numbers stand in the brackets; got “{what[:24]}” outside: put it inside.")


def _check_one_matrix(shown: str, offset: int, groups: list[int]) -> None:
    """Refuse two matrices. Rows that were printed one by one are one matrix."""
    if len(groups) > 1 and max(groups[0], groups[-1] - groups[-2]) > 1:
        raise MatrixTextError(shown, offset, "one matrix at a time; got a second one: paste only the first.")


def _check_batches(text: str, shown: str) -> None:
    second = _SECOND_OF_BATCH.search(text)
    if second and _THIRD_AXIS.search(text):
        offset = second.end() - 1
        raise MatrixTextError(shown, offset, "a matrix has two axes; got a third: paste one matrix of it.")


# --- lines ---


def _lines(text: str) -> list[Row]:
    """Read one row a line. A semicolon ends a row where more than one number stands between two of them."""
    several = _SEVERAL.search(text)
    ends = re.compile("[;\n]" if several else "\n")
    cut = _cut(text.replace(";", "\n") if several else text)
    rows = (row for row in _between(ends, text, 0) if row.text.strip())
    read = [cut(row) for row in islice(rows, MOST_SIDE + 1)]
    return read + [[]] * (sum(not line.isspace() for line in ends.split(text) if line) - len(read))  # too many: unread


def _cut(text: str) -> Callable[[Written], Row]:
    """Choose the separator: a tab, a semicolon, a comma, or a space. A comma may be a decimal point."""
    for mark in "\t;":
        if mark in text.strip():
            return _at_semicolons if mark == ";" else lambda line: _split(line, "\t", strip="\n ")
    decimal_comma = re.search(r"\d,\d", text) and not re.search(r",\s|,\d*,", text) and re.search(r"\S[ ]+\S", text)
    if "," in text and not decimal_comma:
        return lambda line: _split(Written(line.text.rstrip().removesuffix(","), line.offset), ",")
    return lambda line: list(_words_of_line(line))


def _words_of_line(line: Written) -> Iterator[Written]:
    for word in re.finditer(r"[^\s/]+(?:[ ]*/[ ]*[^\s/]+)?|\S", line.text):
        yield Written(word[0], line.offset + word.start())


def _at_semicolons(line: Written) -> Row:
    return _split(Written(line.text.rstrip().removesuffix(";"), line.offset), ";")


def _split(line: Written, mark: str, strip: str | None = None) -> Row:
    row = Row()
    for part in _between(re.compile(re.escape(mark)), line.text, 0):
        lead = len(part.text) - len(part.text.lstrip(strip))
        row.append(Written(part.text.strip(strip), line.offset + part.offset + (lead if part.text.strip() else 0)))
    return row
