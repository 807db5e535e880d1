"""Read a matrix from a text, or several by their names, and suggest what an unreadable text may mean."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

import numpy as np

from attention_core.checks import Array
from attention_core.reading.formats import cells
from attention_core.reading.names import Part, check_roles, is_divided, is_transposed, named_parts, role_of
from attention_core.reading.several import (
    check_brackets_abreast,
    check_columns_abreast,
    check_empty_lines,
    check_gap,
    check_single_matrix,
    rows_of_print_out,
    with_one_kind_of_bracket,
)
from attention_core.reading.source_text import matrix_in_json, matrix_in_r_source
from attention_core.reading.surroundings import without_comments, without_session
from attention_core.reading.tables import check_counted_rows, without_labels, without_markup
from attention_core.reading.written import (
    MOST_NUMBERS,
    MOST_SIDE,
    RULE,
    WHAT_TO_WRITE,
    AmbiguousTextError,
    MatrixTextError,
    Reading,
    Row,
    Written,
    check_thousands,
    decimals_of_cells,
    number_in_cell,
    roundings_of_cells,
)

MOST_CHARACTERS = 200_000
WITHOUT_DECIMALS = 2.0**53  # from here on, all floats are whole numbers

_ELIDED = re.compile(r"\.\.\.|…|⋯|⋮|⋱|\\[clvd]?dots")
_BRACKETS = re.compile(r"[\[({\\]")
_LOOKS_LIKE_A_NUMBER = re.compile(r"[0-9][0-9.,eE]*")
NUMBERS_BESIDE = 4  # so many times as many numbers may stand in a text: markup and labels have numbers as well
_MINUS = str.maketrans("−–\ufeff", "-- ")  # a byte order mark becomes a space


@dataclass(frozen=True, slots=True, eq=False)
class MatrixText:
    """A matrix that was read from a text."""

    values: Array  # (rows, columns); may contain NaN and infinities
    decimals: int | None  # how many decimals its numbers have: 2 for 0.50; None if all are fractions
    roundings: Array | None = None  # (rows, columns) half of the last digit of each number in scientific notation

    def rounded_from(self, exact: Array) -> MatrixText:
        """Return the matrix with the numbers of `exact` in place of those that are equal to them up to their rounding.

        It is for numbers in scientific notation. A matrix with others, or of another shape, does not change.
        """
        if self.roundings is None or self.values.shape != exact.shape:
            return self
        with np.errstate(invalid="ignore", over="ignore"):
            near = np.abs(self.values - exact) <= self.roundings
        return replace(self, values=np.where(near, exact, self.values))

    def with_all_digits(self) -> MatrixText:
        """Return the matrix with the greatest number of decimals that a number in scientific notation has."""
        if self.roundings is None:
            return self
        finest = float(self.roundings[self.roundings > 0].min())
        return replace(self, decimals=max(0, round(-math.log10(2 * finest))))


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
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    _check_length(text)
    _check_amount(text)
    text = with_one_kind_of_bracket(without_comments(without_session(text)))
    _check_whole(text)
    return text


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
    rows = _rows(text.translate(_MINUS))
    check_thousands(text, rows)
    _check_size(text, rows)
    values = [[number_in_cell(text, cell) for cell in row] for row in rows]
    _check_lengths(text, rows)
    roundings = roundings_of_cells(rows)
    return MatrixText(
        np.array(values, dtype=np.float64),
        decimals_of_cells(cell for row in rows for cell in row),
        None if roundings is None else np.array(roundings),
    )


def _rows(text: str) -> list[Row]:
    check_single_matrix(text)
    if (rows := rows_of_print_out(text)) is not None:
        return rows
    plain = without_markup(text)
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


def _check_amount(text: str) -> None:
    """Raise MatrixTextError if a text has far more numbers than a matrix may have, before any of it is read."""
    if sum(1 for _ in _LOOKS_LIKE_A_NUMBER.finditer(text)) > MOST_NUMBERS * NUMBERS_BESIDE:
        raise MatrixTextError(
            text,
            0,
            f"A matrix can have at most {MOST_NUMBERS} numbers, but this text has far more. Paste a part of it.",
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


# --- several named matrices, and the settings between them ---

Setting = bool | int | float | str

_VALUE = r"[+-]?[0-9.][0-9.eE+\-]{0,30}(?:/[0-9.]{1,20})?"
_SETTING = re.compile(
    rf"^[ \t]*([A-Za-z]\w{{0,39}})[ \t]*[=:][ \t]*({_VALUE}|[A-Za-z]\w{{0,39}})[ \t]*(?:,[ \t]*)?$", re.MULTILINE
)
_SAME = re.compile(r"^[ \t]*([A-Za-z]\w{0,39})[ \t]*=[ \t]*([A-Za-z]\w{0,39})[ \t]*(?:#.*)?$", re.MULTILINE)
_PROJECTED = re.compile(r"=[ \t]*([A-Za-z]\w{0,39})[ \t]*(?:@|%\*%|·)[ \t]*W_?[QKVqkv]\b")
_SYNONYMS: dict[str, str] = {
    "num_heads": "n_heads", "heads": "n_heads", "n_head": "n_heads", "num_attention_heads": "n_heads",
    "num_key_value_heads": "n_kv_heads", "num_kv_heads": "n_kv_heads", "head_dim": "d_k", "is_causal": "causal",
}  # fmt: skip
_WORDS: dict[str, Setting] = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, eq=False)
class NamedMatrix:
    """A matrix that was read from a text, with its name."""

    name: str
    role: str  # the matrix of attention that the name means: x, w_q, …, q, k, v, scores, weights, output, mask; or ""
    matrix: MatrixText
    text: str  # the part of the text that contains the matrix
    line: int  # the number of the line where this part begins, counted from 1
    is_transposed: bool = (
        False  # whether it was transposed, because a linear layer stores its weights as outputs × inputs
    )


def named_matrices(text: str) -> tuple[NamedMatrix, ...]:
    r"""Return every matrix of a text that has a name and can be read, in the order of the text.

    The role of a matrix says which matrix of attention its name means. The weight of a linear layer of PyTorch,
    `q_proj.weight`, is transposed, because the layer computes x weightᵀ. If the text divides the scores, their role is
    "scaled". `W_K = W_Q` gives the matrix W_Q a second name. If the text says `Q = S @ W_q`, the matrix S has the role
    x.

    >>> found = named_matrices("Q = [[1, 2]]  # queries\nattn_weights:\ntensor([[1.]])")
    >>> [(each.name, each.role, each.matrix.values.tolist(), each.line) for each in found]
    [('Q', 'q', [[1.0, 2.0]], 1), ('attn_weights', 'weights', [[1.0]], 3)]
    """
    text = text.replace("\u00a0", " ")  # a browser may copy spaces as this sign
    found = [_scaled_if_divided(text, each) for part in named_parts(text) if (each := _read_part(text, part))]
    found = _with_input(text, found)
    return tuple(sorted((*found, *_with_further_names(text, found)), key=lambda each: each.line))


def settings_in(text: str) -> dict[str, Setting]:
    r"""Return the settings in a text by name, from lines such as `mask = causal`, `scale = 0.125` and `n_heads = 4`.

    Other spellings of a name, such as `num_heads`, become the usual name, here `n_heads`.

    >>> settings_in("Q = [[1, 2]]\nmask = causal\nscale = 1/8\nnum_heads = 4")
    {'mask': 'causal', 'scale': 0.125, 'n_heads': 4}
    """
    found = ((str(line[1]), str(line[2])) for line in _SETTING.finditer(text))
    return {
        _SYNONYMS.get(name.lower(), name): _value(written)
        for name, written in found
        if not (role_of(name) and role_of(written))  # W_K = W_Q
    }


def _read_part(text: str, part: Part) -> NamedMatrix | None:
    try:
        matrix = read_matrix(part.text)
    except MatrixTextError:
        return None
    turned = is_transposed(part.name) and part.role.startswith("w_")
    matrix = replace(matrix, values=matrix.values.T) if turned else matrix
    line = text.replace("\r\n", "\n").replace("\r", "\n").count("\n", 0, part.offset) + 1
    return NamedMatrix(part.name, part.role, matrix, part.text, line, turned)


def _scaled_if_divided(text: str, found: NamedMatrix) -> NamedMatrix:
    if found.role != "scores":
        return found
    formula = re.compile(rf"(?<![\w.]){re.escape(found.name)}[ \t]{{0,9}}=[ \t]{{0,9}}([^=\n\[]{{1,200}})")
    formulas = [str(each[1]) for each in formula.finditer(text) if re.search(r"[QqKk]", each[1])]
    return replace(found, role="scaled") if formulas and all(map(is_divided, formulas)) else found


def _with_input(text: str, found: list[NamedMatrix]) -> list[NamedMatrix]:
    names = {str(product[1]) for product in _PROJECTED.finditer(text)}
    if len(names) != 1 or any(each.role == "x" for each in found):
        return found
    return [replace(each, role="x") if each.name in names else each for each in found]


def _with_further_names(text: str, found: Sequence[NamedMatrix]) -> Iterator[NamedMatrix]:
    by_name = {each.name: each for each in found}
    for line in _SAME.finditer(text):
        name, same = str(line[1]), by_name.get(str(line[2]))
        if same and same.role and role_of(name) and name not in by_name:
            yield replace(same, name=name, role=role_of(name), line=text.count("\n", 0, line.start(1)) + 1)


def _value(written: str) -> Setting:
    """Return the value of a setting: a bool, a number or a word. A fraction such as 1/8 becomes a number."""
    if written[0].isalpha():
        return _WORDS.get(written.lower(), written)
    try:
        top, _, below = written.partition("/")
        return int(written) if written.isdecimal() else float(top) / float(below or 1)
    except (ValueError, ZeroDivisionError):  # 1.2.3 and 1/0 are no numbers
        return written


# --- suggestions for a text that cannot be read: the visitor decides ---

MOST_OFFERS = 3
MOST_TRIED = 40  # how many parts of a text the code tries to read

_ZERO = re.compile(r"(?<=[0-9.])[oO](?=[0-9.\s,;\]]|\Z)|(?<![A-Za-z0-9])[oO](?=[.][0-9])")
_ONE = re.compile(r"(?<=[0-9.])[lI](?=[0-9.\s,;\]]|\Z)|(?<![A-Za-z0-9])[lI](?=[.][0-9])")
_TWICE = re.compile(r"(?<=[0-9])([.,])\1(?=[0-9])")
_WRITTEN_NUMBER = re.compile(r"[+\-−]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?\Z")
_WORD = re.compile(r"[^\s;|]+")


def offers_for(text: str) -> tuple[Reading, ...]:
    r"""Suggest what a text that cannot be read may mean: the text without typing mistakes, or only some of its lines.

    >>> [(offer.label, offer.text) for offer in offers_for("As you see:\n1 2\n3 4\nand so on")]
    [('Lines 2 to 3 alone', '1 2\n3 4')]
    """
    if len(text) > MOST_CHARACTERS:
        return ()
    mended = [offer for offer in _without_typing_mistakes(text) if _is_readable(offer.text)]
    alone = (offer for offer in _runs_of_numbers(text)[:MOST_TRIED] if _is_readable(offer.text))
    return tuple(mended or islice(alone, MOST_OFFERS))


def _without_typing_mistakes(text: str) -> Iterator[Reading]:
    """Yield the text with corrected typing mistakes: 0 for the letter O, 1 for the letter l, one point for two."""
    mended = _ONE.sub("1", _ZERO.sub("0", text))
    if mended != text:
        yield Reading("With 0 for O and 1 for l", mended)
    once = _TWICE.sub(r"\1", text)
    if once != text:
        yield Reading("With one point for two", once)


def _runs_of_numbers(text: str) -> list[Reading]:
    """Return the blocks of neighbouring lines that have only numbers, equally many in each line.

    The block with the most numbers comes first.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    readings, place = list[tuple[int, Reading]](), 0
    for count, group in groupby(lines, _count_numbers):
        run = [*group]
        if count and count * len(run) > 1 and len(run) < len(lines):
            first, last = place + 1, place + len(run)
            said = f"Lines {first} to {last} alone" if last > first else f"Line {first} alone"
            readings.append((count * len(run), Reading(said, "\n".join(run))))
        place += len(run)
    return [reading for _, reading in sorted(readings, key=lambda each: -each[0])]


def _count_numbers(line: str) -> int:
    words = [word.strip(",") for word in _WORD.findall(line)]
    return len(words) if all(map(_WRITTEN_NUMBER.match, words)) else 0


def _is_readable(text: str) -> bool:
    try:
        read_matrix(text)
    except MatrixTextError:
        return False
    return True
