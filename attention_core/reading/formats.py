"""Cut a written matrix into rows of cells. It may be in brackets, in LaTeX or in lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from attention_core.reading.tables import without_labels
from attention_core.reading.written import (
    MOST_SIDE,
    RULE,
    AmbiguousTextError,
    MatrixTextError,
    Reading,
    Row,
    Written,
    several_matrices_error,
    split_keeping_places,
    stacked_matrices_error,
)

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
    if len(groups) > 1 and max(groups[0], groups[-1] - groups[-2]) > 1:
        raise several_matrices_error(shown, offset, _bracket_matrices_in(text, shown))


def _check_batches(text: str, shown: str) -> None:
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


def _bracket_matrices_in(text: str, shown: str) -> Iterator[str]:
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


# --- any format ---

_LATEX = re.compile(r"\\begin\{([a-zA-Z]*matrix\*?|array|tabular)\}(?:\{[^{}]*\}|\[[^\[\]]*\])?")
_ROW_END = re.compile(r"\\\\(?:\[[^\[\]]*\])?|\\tabularnewline")
_NO_NUMBER = re.compile(
    r"(\\\\)|\\(?:hline|toprule|midrule|bottomrule)|\\[,;:! ]|\\quad|[$~]"
)  # LaTeX commands that separate no rows
_SEVERAL = re.compile(r"[^\s/;][^\S\n]+[^\s/;]|,[^;\n]*,")  # two numbers in one row
_OTHER_BRACKETS = {"(": str.maketrans("()", "[]"), "{": str.maketrans("{}", "[]")}


def cells(text: str) -> list[Row]:
    """Cut the text of a matrix into rows of cells.

    Raises: MatrixTextError if the format of the text is not known.
    """
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
        raise several_matrices_error(text, second, _latex_matrices_in(text))
    rows = _rows_of_latex(text[:end], begin.end())
    return without_labels(rows) if begin[1] == "tabular" else rows


def _rows_of_latex(text: str, start: int) -> list[Row]:
    body = _NO_NUMBER.sub(lambda mark: mark[1] or " " * len(mark[0]), text)
    rows = [_split_at(row, "&") for row in split_keeping_places(_ROW_END, body, start)]
    return [row for row in rows if len(row) > 1 or row[0].text]


def _latex_matrices_in(text: str) -> Iterator[str]:
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
            return _split_at_semicolons if mark == ";" else lambda line: _split_at(line, "\t", strip="\n ")
    decimal_comma = re.search(r"\d,\d", text) and not re.search(r",\s|,\d*,", text) and re.search(r"\S[ ]+\S", text)
    if "," in text and not decimal_comma:
        return lambda line: _split_at(Written(line.text.rstrip().removesuffix(","), line.offset), ",")
    return lambda line: list(_words_of_line(line))


def _words_of_line(line: Written) -> Iterator[Written]:
    for word in re.finditer(r"[^\s/]+(?:[ ]*/[ ]*[^\s/]+)?|\S", line.text):
        yield Written(word[0], line.offset + word.start())


def _split_at_semicolons(line: Written) -> Row:
    return _split_at(Written(line.text.rstrip().removesuffix(";"), line.offset), ";")


def _split_at(line: Written, mark: str, strip: str | None = None) -> Row:
    row = Row()
    for part in split_keeping_places(re.compile(re.escape(mark)), line.text, 0):
        lead = len(part.text) - len(part.text.lstrip(strip))
        row.append(Written(part.text.strip(strip), line.offset + part.offset + (lead if part.text.strip() else 0)))
    return row
