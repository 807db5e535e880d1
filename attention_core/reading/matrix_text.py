"""Read a matrix from a text: print-outs, lists, CSV, cells of a spreadsheet, tables, LaTeX."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.reading.comments import without_comments
from attention_core.reading.continued import rows_of_print_out
from attention_core.reading.json_text import matrix_in_json
from attention_core.reading.matrix_formats import cells
from attention_core.reading.named_parts import check_roles
from attention_core.reading.number_marks import without_bold, without_percent, without_thousands
from attention_core.reading.r_source import matrix_in_r_source
from attention_core.reading.row_labels import without_row_labels
from attention_core.reading.sessions import without_session
from attention_core.reading.several import check_empty_lines, check_single_matrix
from attention_core.reading.side_by_side import (
    check_brackets_abreast,
    check_columns_abreast,
    check_gap,
    with_one_kind_of_bracket,
)
from attention_core.reading.table_labels import check_counted_rows, without_labels
from attention_core.reading.table_markup import without_markup
from attention_core.reading.text_error import AmbiguousTextError, MatrixTextError
from attention_core.reading.written import MOST_NUMBERS, MOST_SIDE, RULE, WHAT_TO_WRITE, Row, Written

MOST_CHARACTERS = 200_000
WITHOUT_DECIMALS = 2.0**53  # from here on, all floats are whole numbers

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?P<point>\.[0-9]*)?|(?P<bare>\.[0-9]+))(?:[eE](?P<exponent>[+-]?[0-9]{1,4}))?\Z")
_CONSTANTS = {"inf": math.inf, "infinity": math.inf, "∞": math.inf, "nan": math.nan}
_ELIDED = re.compile(r"\.\.\.|…|⋯|⋮|⋱|\\[clvd]?dots")
# The patterns below are for texts without double spaces. With many spaces in a row, they would be slow.
_BRACKETS = re.compile(r"[\[({\\]")
_WRAPPED = re.compile(r"(?:np\.|numpy\.)?float\d*\(([^()]*)\)\Z")
_QUOTED = re.compile(r"(['\"]?)([^'\"]*)\1\Z")
_MODULE = re.compile(r"([+-]?)(?:np|numpy|math|torch)\.(?=inf|nan)")
_FRACTION = re.compile(r"([+-]?) ?\\[dt]?frac ?\{([^{}]*)\} ?\{([^{}]*)\}\Z")
_TIMES_TEN = re.compile(r" ?(?:\\cdot|\\times|×|·) ?10 ?\^ ?\{? ?([+-]?[0-9]+) ?\}?\Z")
_STYLED = re.compile(r"\\(?:text|mathrm|operatorname|mathbf)\{([^{}]*)\}")
_MINUS = str.maketrans("−–\ufeff", "-- ")  # a byte order mark becomes a space


@dataclass(frozen=True, slots=True, eq=False)
class MatrixText:
    """A matrix that was read from a text."""

    values: Array  # (rows, columns); may contain NaN and infinities
    decimals: int | None  # how many decimals its numbers have: 2 for 0.50; None if all are fractions


def read_matrix(text: str) -> MatrixText:
    r"""Read a matrix from a text, which may have one of many formats.

    The formats are brackets (NumPy, PyTorch, Python, MATLAB), LaTeX, tables of Markdown and HTML, and lines cut at
    tabs, semicolons, commas or spaces. Labels that R, pandas, Octave and Julia print around the numbers are left out.
    Numbers are decimals, fractions such as 1/3, -inf and nan. A comma is a decimal point if it cannot be a separator.
    In the result, `decimals` is the greatest number of decimals, or the least if all numbers are in scientific
    notation.

    Shapes: → (rows, columns), 1 to 512 each and at most 4096 numbers; a single row of numbers is a matrix of one row.
    Raises: MatrixTextError, a ValueError, with the line and column of the part that cannot be read.

    >>> read_matrix("[[1. 0.50]\n [2. 1/4 ]]").values.tolist()
    [[1.0, 0.5], [2.0, 0.25]]
    """
    check_roles(text[: MOST_CHARACTERS + 1])
    text = _without_surroundings(text)
    rewritten = matrix_in_json(text) or matrix_in_r_source(text)
    return _read(text) if rewritten is None else _read_rewritten(text, rewritten)


def _without_surroundings(text: str) -> str:
    """Remove the prompts, time stamps, comments and labels around the matrix in a text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    _check_length(text)
    text = with_one_kind_of_bracket(without_comments(without_session(text)))
    _check_whole(text)
    return without_row_labels(text)


def _read_rewritten(text: str, rewritten: str) -> MatrixText:
    """Read `rewritten`, a text that was made from the JSON object or the R code in `text`.

    Errors point to the beginning of `text`.
    """
    try:
        return _read(rewritten)
    except AmbiguousTextError as error:
        raise AmbiguousTextError(text, 0, error.problem, error.readings) from error
    except MatrixTextError as error:
        raise MatrixTextError(text, 0, error.problem) from error


def _read(text: str) -> MatrixText:
    rows = without_percent(without_thousands(text, _rows(text.translate(_MINUS))))
    _check_size(text, rows)
    values = [[_number_in_cell(text, cell) for cell in row] for row in rows]
    _check_lengths(text, rows)
    return MatrixText(
        np.array(values, dtype=np.float64),
        _decimals_of_numbers([_python_notation(cell.text) for row in rows for cell in row]),
    )


def _rows(text: str) -> list[Row]:
    """Cut a text into the rows of its one matrix."""
    check_single_matrix(text)
    if (rows := rows_of_print_out(text)) is not None:
        return rows
    plain = without_bold(without_markup(text))
    check_empty_lines(text, plain)
    if _BRACKETS.search(plain):
        check_brackets_abreast(plain)
        return cells(plain)
    check_gap(plain)
    rows = without_labels(cells(plain))
    check_columns_abreast(plain, rows)
    check_counted_rows(plain, rows)
    return rows


def write_matrix(values: Array, decimals: int = 4) -> str:
    """Write a matrix as NumPy prints it, with all its rows and columns. Each number gets `decimals` decimals.

    >>> print(write_matrix(np.array([[0.5, -1.0]]), 2))
    [[ 0.50 -1.00]]
    """
    with np.printoptions(precision=decimals, floatmode="fixed", suppress=True, threshold=10**9, linewidth=10**6):
        return str(_rounded(values, decimals) + 0.0)  # adding 0.0 turns minus zero into zero


def _rounded(values: Array, decimals: int) -> Array:
    """Round numbers to some decimals.

    Numbers of 2⁵³ or more stay: they have no decimals, and rounding could overflow.
    """
    has_decimals = np.abs(values) < WITHOUT_DECIMALS
    return np.where(has_decimals, np.round(np.where(has_decimals, values, 0.0), decimals), values)


def _check_length(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise MatrixTextError(
            text,
            MOST_CHARACTERS,
            f"A text can have at most {MOST_CHARACTERS} characters, but this one has {len(text)}. Paste less text.",
        )


def _check_whole(text: str) -> None:
    if not text.strip():
        raise MatrixTextError(text, 0, f"{RULE}, but this text is empty. {WHAT_TO_WRITE}.")
    elided = _ELIDED.search(text)
    if elided:
        raise MatrixTextError(
            text,
            elided.start(),
            "All numbers must be in the text, but “…” stands for numbers that were left out. "
            "Print all of them, with np.set_printoptions(threshold=100_000) or torch.set_printoptions(profile='full').",
        )


def _check_size(text: str, rows: list[Row]) -> None:
    if not rows or not rows[0]:
        raise MatrixTextError(text, 0, f"{RULE}, but this text has no number. {WHAT_TO_WRITE}.")
    count = 0
    for number, row in enumerate(rows, start=1):
        count += len(row)
        if len(row) > MOST_SIDE or number > MOST_SIDE or count > MOST_NUMBERS:
            place = row[MOST_SIDE] if len(row) > MOST_SIDE else row[0] if row else Written("", 0)
            raise MatrixTextError(
                text,
                place.offset,
                f"A matrix can have at most {MOST_NUMBERS} numbers, such as 64×64, and {MOST_SIDE} in a row or column, "
                f"but this one has {len(rows)} rows, and {len(row)} numbers in row {number}. Paste a part of it.",
            )


def _check_lengths(text: str, rows: list[Row]) -> None:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise MatrixTextError(
                text,
                row[min(len(row), len(rows[0])) - (len(row) < len(rows[0]))].offset,
                f"All rows must be equally long, but row 1 has {len(rows[0])} numbers and row {number} has {len(row)}. "
                "Add or remove numbers.",
            )


def _number_in_cell(text: str, cell: Written) -> float:
    """Return the number in a cell of `text`. A fraction such as 1/4 gives 0.25."""
    plain = _python_notation(cell.text)
    parts = plain.split("/")
    numbers = [_number_or_none(part.strip()) for part in parts]
    top, *below = numbers
    if top is None or None in below or len(below) > 1:
        held = f"holds “{cell.text[:24]}”" if cell.text else "is empty"
        raise MatrixTextError(
            text,
            cell.offset,
            f"A cell must hold one number, but this cell {held}. Write, for example, 2, -0.5, 1e-3, 1/3, -inf or nan.",
        )
    if below and not (below[0] and math.isfinite(below[0]) and math.isfinite(top)):
        rule = "A fraction needs two finite numbers" if below[0] else "No number can be divided by 0"
        raise MatrixTextError(
            text, cell.offset, f"{rule}, but this cell holds “{plain[:24]}”. Write its value as one number."
        )
    value = top / below[0] if below and below[0] else top
    if math.isinf(value) and not plain.lower().endswith(tuple(_CONSTANTS)):
        raise MatrixTextError(
            text, cell.offset, f"A number can be at most 1.7e308, but this one is “{plain[:24]}”. Write inf."
        )
    return value


def _python_notation(written: str) -> str:
    """Convert a number to Python's notation: without a wrapper such as float(…), without LaTeX, and with a point."""
    single = " ".join(written.split())
    text = _STYLED.sub(r"\1", single.replace(r"\infty", "inf").replace("{,}", "."))
    if fraction := _FRACTION.match(text):
        return f"{fraction[1]}{fraction[2].strip()}/{fraction[3].strip()}"
    if (wrapped := _WRAPPED.match(text)) and (quoted := _QUOTED.match(wrapped[1].strip())):
        text = quoted[2].strip()
    text = _TIMES_TEN.sub(r"e\1", _MODULE.sub(r"\1", text))
    return text.replace(",", ".") if text.count(",") == 1 and "." not in text else text.strip()


def _number_or_none(text: str) -> float | None:
    """Return the value of a decimal number, an infinity or nan. Return None for any other text."""
    if _NUMBER.match(text):
        return float(text)
    sign, name = (text[:1], text[1:].strip()) if text[:1] in ("+", "-") else ("", text)
    constant = _CONSTANTS.get(name.lower())
    return -constant if constant is not None and sign == "-" else constant


def _decimals_of_numbers(texts: list[str]) -> int | None:
    found = [match for match in map(_NUMBER.match, texts) if match and float(match[0]) != 0]
    found = found or [match for match in map(_NUMBER.match, texts) if match]
    fixed = [_count_decimals(match) for match in found if match["exponent"] is None]
    scientific = [_count_decimals(match) - int(match["exponent"]) for match in found if match["exponent"] is not None]
    return max(fixed) if fixed else max(0, min(scientific)) if scientific else None


def _count_decimals(match: re.Match[str]) -> int:
    return max(len(match["point"] or match["bare"] or ".") - 1, 0)
