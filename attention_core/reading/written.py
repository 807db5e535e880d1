"""A matrix as it is written: its cells with their places, the number in a cell, and the errors at a place."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

MOST_SIDE = 512  # rows or columns
MOST_NUMBERS = 4096  # for example 64×64, or 8×512
RULE = "A matrix is a print-out in brackets, lines of numbers, or a LaTeX matrix"
WHAT_TO_WRITE = "Write it as [[1, 2], [3, 4]]"


class Written(NamedTuple):
    """A part of a text, such as one cell, and the position where it begins."""

    text: str
    offset: int


Row = list[Written]


def split_keeping_places(separator: re.Pattern[str], text: str, start: int) -> Iterator[Written]:
    """Split a text at each match of `separator` after position `start`, and yield the parts with their positions."""
    for mark in separator.finditer(text, start):
        yield Written(text[start : mark.start()], start)
        start = mark.end()
    yield Written(text[start:], start)


# --- errors: what is wrong, where it is, and what the text may mean ---

MOST_NAMED = 24  # how many characters of a name are shown
ONE = "Only one matrix can be read at a time"
MOST_READINGS = 8  # a bound on memory, because each reading may be as long as the text
MOST_STACKED = 64  # the bound for the matrices of an array with more axes, which are parts of the text


class MatrixTextError(ValueError):
    """The error for a text that is not a matrix: what is wrong, and at which line and column, counted from 1."""

    def __init__(self, text: str, offset: int, problem: str) -> None:
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - text.rfind("\n", 0, offset)
        self.problem = problem
        super().__init__(f"Line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True, slots=True)
class Reading:
    """One possible meaning of a text that is not clear. A visitor can choose it."""

    label: str  # the name of this meaning for the visitor, in a few words
    text: str  # a text that has only this meaning
    place: tuple[int, ...] = ()  # for a matrix of an array with more axes: its indices from 1, such as batch and head


class AmbiguousTextError(MatrixTextError):
    """The error for a text with several possible meanings. `readings` has the first few of these meanings."""

    def __init__(self, text: str, offset: int, problem: str, readings: Iterable[Reading]) -> None:
        super().__init__(text, offset, problem)
        held = tuple(islice(readings, MOST_STACKED))
        self.readings = held if all(reading.place for reading in held) else held[:MOST_READINGS]


def several_matrices_error(text: str, offset: int, matrices: Iterable[str], problem: str = "") -> AmbiguousTextError:
    """Return the error for a text with several matrices. It offers each matrix, so that the visitor can choose one."""
    readings = (Reading(f"Matrix {number}", each) for number, each in enumerate(matrices, start=1))
    return AmbiguousTextError(
        text, offset, problem or f"{ONE}, but here a second one begins. Paste only one of them.", readings
    )


def stacked_matrices_error(
    text: str, offset: int, matrices: Iterable[tuple[tuple[int, ...], str]]
) -> AmbiguousTextError:
    """Return the error for an array with more than two axes, where one matrix is expected.

    `matrices` has the indices and the text of each matrix in the array. The error offers these matrices, so that the
    visitor can choose one. `offset` is the place of the error in `text`.
    """
    found = [*islice(matrices, MOST_STACKED)]
    most = [max(places) for places in zip(*(place for place, _ in found), strict=False)]
    readings = (Reading(_place_in_words(place, most), each, place) for place, each in found)
    return AmbiguousTextError(
        text, offset, "A matrix has two axes, but this array has more. Paste one matrix of it.", readings
    )


def _place_in_words(place: tuple[int, ...], most: list[int]) -> str:
    if len(place) == 2:
        return f"Batch {place[0]} of {most[0]}, head {place[1]} of {most[1]}"
    return f"Matrix {', '.join(map(str, place))} of {', '.join(map(str, most))}"


# --- the number in a cell ---

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?P<point>\.[0-9]*)?|(?P<bare>\.[0-9]+))(?:[eE](?P<exponent>[+-]?[0-9]{1,4}))?\Z")
MOST_EXPONENT = 300  # of the last digit of a number
_CONSTANTS = {"inf": math.inf, "infinity": math.inf, "∞": math.inf, "nan": math.nan}
# The patterns below are for texts without double spaces. With many spaces in a row, they would be slow.
_WRAPPED = re.compile(r"(?:np\.|numpy\.)?float\d*\(([^()]*)\)\Z")
_QUOTED = re.compile(r"(['\"]?)([^'\"]*)\1\Z")
_MODULE = re.compile(r"([+-]?)(?:np|numpy|math|torch)\.(?=inf|nan)")
_FRACTION = re.compile(r"([+-]?) ?\\[dt]?frac ?\{([^{}]*)\} ?\{([^{}]*)\}\Z")
_TIMES_TEN = re.compile(r" ?(?:\\cdot|\\times|×|·) ?10 ?\^ ?\{? ?([+-]?[0-9]+) ?\}?\Z")
_STYLED = re.compile(r"\\(?:text|mathrm|operatorname|mathbf)\{([^{}]*)\}")


def number_in_cell(text: str, cell: Written) -> float:
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
    if _NUMBER.match(text):
        return float(text)
    sign, name = (text[:1], text[1:].strip()) if text[:1] in ("+", "-") else ("", text)
    constant = _CONSTANTS.get(name.lower())
    return -constant if constant is not None and sign == "-" else constant


def decimals_of_cells(cells: Iterable[Written]) -> int | None:
    """Return how many decimals the numbers in cells have, or None if all are fractions.

    It is the greatest number of decimals, or the least if all numbers are in scientific notation.
    """
    texts = [_python_notation(cell.text) for cell in cells]
    found = [match for match in map(_NUMBER.match, texts) if match and float(match[0]) != 0]
    found = found or [match for match in map(_NUMBER.match, texts) if match]
    fixed = [_count_decimals(match) for match in found if match["exponent"] is None]
    scientific = [_count_decimals(match) - int(match["exponent"]) for match in found if match["exponent"] is not None]
    return max(fixed) if fixed else max(0, min(scientific)) if scientific else None


def roundings_of_cells(rows: Iterable[Iterable[Written]]) -> list[list[float]] | None:
    """Return the greatest error by rounding of each number: half of its last digit, or None if they share one.

    Numbers have digits of their own if all that are not 0 are in scientific notation, as in 1.2346e+05 and 5.0000e-01.
    """
    matches = [[_NUMBER.match(_python_notation(cell.text)) for cell in row] for row in rows]
    if any(match and match["exponent"] is None and float(match[0]) for row in matches for match in row):
        return None
    each = [[_half_digit(match) if match and match["exponent"] else 0.0 for match in row] for row in matches]
    return each if any(map(any, each)) else None


def _half_digit(match: re.Match[str]) -> float:
    exponent = int(match["exponent"]) - _count_decimals(match)
    return 0.5 * 10.0**exponent if abs(exponent) < MOST_EXPONENT else 0.0


def _count_decimals(match: re.Match[str]) -> int:
    return max(len(match["point"] or match["bare"] or ".") - 1, 0)


# --- commas that may group thousands or be decimal points ---

_EITHER = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}\Z")  # 1,234: 1.234 or 1234


def check_thousands(text: str, rows: Sequence[Row]) -> None:
    """Raise an error if every comma may group thousands or be a decimal point, as in 1,234.

    Raises: AmbiguousTextError, which offers both readings.
    """
    commas = [cell for row in rows for cell in row if "," in cell.text]
    if not commas or ";" in text or not all(_EITHER.match(cell.text) for cell in commas):
        return
    first = commas[0].text
    problem = (
        f"It must be clear what a comma means, but “{first}” can be read in two ways. Write {first.replace(',', '.')} "
        f"if it is a decimal point, {first.replace(',', '')} if it groups thousands."
    )
    readings = (
        Reading("Commas are decimal points", _in_lines(rows, ".")),
        Reading("Commas group thousands", _in_lines(rows, "")),
    )
    raise AmbiguousTextError(text, commas[0].offset, problem, readings)


def _in_lines(rows: Sequence[Row], mark: str) -> str:
    return "\n".join("\t".join(cell.text.replace(",", mark) for cell in row) for row in rows)
