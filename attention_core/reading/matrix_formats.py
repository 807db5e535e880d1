"""Cut a written matrix into rows of cells.

It may be in brackets, in LaTeX or in lines. Each cell keeps its position.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from attention_core.reading.brackets import rows_in_brackets
from attention_core.reading.table_labels import without_labels
from attention_core.reading.text_error import MatrixTextError, several_matrices_error
from attention_core.reading.written import MOST_SIDE, RULE, Row, Written, split_keeping_places

__all__ = ["MOST_SIDE", "MatrixTextError", "cells"]
_LATEX = re.compile(r"\\begin\{([a-zA-Z]*matrix\*?|array|tabular)\}(?:\{[^{}]*\}|\[[^\[\]]*\])?")
_ROW_END = re.compile(r"\\\\(?:\[[^\[\]]*\])?|\\tabularnewline")
_NO_NUMBER = re.compile(
    r"(\\\\)|\\(?:hline|toprule|midrule|bottomrule)|\\[,;:! ]|\\quad|[$~]"
)  # LaTeX commands that separate no rows
_SEVERAL = re.compile(r"[^\s/;][^\S\n]+[^\s/;]|,[^;\n]*,")  # two numbers in one row
_PROMPT = re.compile(r"\A(\s*)((?:Out|In)\s?\[[0-9]*\]:?)")  # the prompt of a notebook
_OTHER_BRACKETS = {"(": str.maketrans("()", "[]"), "{": str.maketrans("{}", "[]")}


def cells(text: str) -> list[Row]:
    """Cut the text of a matrix into rows of cells.

    Raises: MatrixTextError if the format of the text is not known.
    """
    text = _PROMPT.sub(lambda prompt: prompt[1] + " " * len(prompt[2]), text)
    first = text.lstrip()[:1]
    if r"\begin" in text:
        return _latex(text)
    if "&" in text:
        return _rows_of_latex(text, 0)
    if "[" in text:
        return rows_in_brackets(text, text)
    if first in _OTHER_BRACKETS:
        return rows_in_brackets(text.translate(_OTHER_BRACKETS[first]), text)
    return _lines(text)


# --- LaTeX ---


def _latex(text: str) -> list[Row]:
    begin = _LATEX.search(text)
    if begin is None:
        raise MatrixTextError(
            text, text.index(r"\begin"), f"{RULE}, but this is another environment. Use pmatrix, bmatrix or array."
        )
    end = text.find(rf"\end{{{begin[1]}}}", begin.end())
    if end < 0:
        raise MatrixTextError(
            text, begin.start(), f"Every \\begin needs its \\end, but {begin[1]} has none. Add \\end{{{begin[1]}}}."
        )
    if (second := text.find(r"\begin", begin.end())) >= 0:
        raise several_matrices_error(text, second, _matrices_in(text))
    rows = _rows_of_latex(text[:end], begin.end())
    return without_labels(rows) if begin[1] == "tabular" else rows


def _rows_of_latex(text: str, start: int) -> list[Row]:
    body = _NO_NUMBER.sub(lambda mark: mark[1] or " " * len(mark[0]), text)
    rows = [_split(row, "&") for row in split_keeping_places(_ROW_END, body, start)]
    return [row for row in rows if len(row) > 1 or row[0].text]


def _matrices_in(text: str) -> Iterator[str]:
    for begin in _LATEX.finditer(text):
        end = text.find(rf"\end{{{begin[1]}}}", begin.end())
        if end >= 0:
            yield text[begin.start() : end] + rf"\end{{{begin[1]}}}"


# --- lines ---


def _lines(text: str) -> list[Row]:
    """Return each line as a row of cells. A semicolon may also end a row, as in “1 2; 3 4”."""
    several = _SEVERAL.search(text)
    ends = re.compile("[;\n]" if several else "\n")
    cut = _choose_splitter(text.replace(";", "\n") if several else text)
    rows = (row for row in split_keeping_places(ends, text, 0) if row.text.strip())
    read = [cut(row) for row in islice(rows, MOST_SIDE + 1)]
    return read + [[]] * (
        sum(not line.isspace() for line in ends.split(text) if line) - len(read)
    )  # an empty row for each row beyond the limit, so that the rows are counted


def _choose_splitter(text: str) -> Callable[[Written], Row]:
    """Return the function that cuts a line of this text into cells: at tabs, semicolons, commas or spaces.

    If the commas are decimal points, it cuts at spaces.
    """
    for mark in "\t;":
        if mark in text.strip():
            return _split_at_semicolons if mark == ";" else lambda line: _split(line, "\t", strip="\n ")
    decimal_comma = re.search(r"\d,\d", text) and not re.search(r",\s|,\d*,", text) and re.search(r"\S[ ]+\S", text)
    if "," in text and not decimal_comma:
        return lambda line: _split(Written(line.text.rstrip().removesuffix(","), line.offset), ",")
    return lambda line: list(_words_of_line(line))


def _words_of_line(line: Written) -> Iterator[Written]:
    for word in re.finditer(r"[^\s/]+(?:[ ]*/[ ]*[^\s/]+)?|\S", line.text):
        yield Written(word[0], line.offset + word.start())


def _split_at_semicolons(line: Written) -> Row:
    return _split(Written(line.text.rstrip().removesuffix(";"), line.offset), ";")


def _split(line: Written, mark: str, strip: str | None = None) -> Row:
    row = Row()
    for part in split_keeping_places(re.compile(re.escape(mark)), line.text, 0):
        lead = len(part.text) - len(part.text.lstrip(strip))
        row.append(Written(part.text.strip(strip), line.offset + part.offset + (lead if part.text.strip() else 0)))
    return row
