"""Find several matrices in one text, and the blocks of columns in which a program prints one wide matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from attention_core.reading.tables import NAME_LINE, is_label
from attention_core.reading.written import (
    MOST_NAMED,
    MOST_READINGS,
    MOST_SIDE,
    ONE,
    AmbiguousTextError,
    MatrixTextError,
    Reading,
    Row,
    Written,
    several_matrices_error,
    split_keeping_places,
)

_NAME = re.compile(NAME_LINE, re.MULTILINE)
_NEW_LINE = re.compile("\n")
_OTHER_FORMAT = re.compile(r"[\[({<|\\]")
_NUMBER = re.compile(r"[0-9]")


def check_single_matrix(text: str) -> None:
    """Raise an error if a text has numbers below several names, because each name may belong to a matrix.

    Raises: AmbiguousTextError, which offers each matrix.
    """
    named = [*_NAME.finditer(text)]
    ends = [*(name.start() for name in named[1:]), len(text)]
    parts = [(name, text[name.end() : end].strip("\n")) for name, end in zip(named, ends, strict=False)]
    parts = [(name, part) for name, part in parts if _NUMBER.search(part)]
    if len(parts) > 1:
        readings = [Reading(f"“{name[1].rstrip(' =:')[:MOST_NAMED]}”", part) for name, part in parts]
        problem = f"{ONE}, but here a second one begins. Paste only one of them."
        raise AmbiguousTextError(text, parts[1][0].start(1), problem, readings)


def check_empty_lines(text: str, plain: str) -> None:
    """Raise an error if empty lines separate groups of rows, because each group may be a matrix.

    An empty line after each row is allowed. `plain` is the text without its markup, of the same length.

    Raises: AmbiguousTextError, which offers each group, and all together.
    """
    parts = [*_parts(text, plain)] if not ("<" in text or _OTHER_FORMAT.search(plain)) else []
    if len(parts) < 2 or not any("\n" in part.text for part in parts):
        return
    error = several_matrices_error(text, parts[1].offset, (part.text for part in parts))
    together = Reading("All lines as one matrix", "\n".join(part.text for part in parts))
    raise AmbiguousTextError(text, parts[1].offset, error.problem, (*error.readings[: MOST_READINGS - 1], together))


def _parts(text: str, plain: str) -> Iterator[Written]:
    for has_words, lines in groupby(split_keeping_places(_NEW_LINE, text, 0), lambda line: bool(line.text.strip())):
        start, *_, end = [place for line in lines for place in (line.offset, line.offset + len(line.text))]
        if has_words and _NUMBER.search(plain, start, end):
            yield Written(text[start:end], start)


# --- side by side ---

_TALL = str.maketrans("⎡⎢⎣⎛⎜⎝⎤⎥⎦⎞⎟⎠", "[[[[[[]]]]]]")  # SymPy draws brackets over several lines
_IN_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_BETWEEN = re.compile(r"\]\s*[,;]\s*\[")
_WIDE_GAP, _NARROW_GAP = 4, 2  # spaces
_BETWEEN_SPACES = re.compile(r"[^ ]+")
_ONLY_NUMBERS = re.compile(r"[0-9eE.,+\-−/ ]+\Z")


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
    if len(lines) < 2 or not all(map(_ONLY_NUMBERS.match, lines)):
        return
    words = [[*_BETWEEN_SPACES.finditer(line)] for line in lines]
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
    readings = [Reading(f"Matrix {n}", _in_lines(part)) for n, part in enumerate(parts[: MOST_READINGS - 1], start=1)]
    readings.append(Reading("All without the empty columns", _in_lines(together)))
    raise AmbiguousTextError(text, offset, f"{ONE}, but an empty column may separate two. Take one, or all.", readings)


def _in_lines(rows: Sequence[Row]) -> str:
    return "\n".join("\t".join(cell.text for cell in row) for row in rows)


# --- wide print-outs of R, pandas and Octave, in blocks of columns ---

MOST_BLOCKS = 64
MOST_LINES = 2 * MOST_BLOCKS * (MOST_SIDE + 1)  # with an empty line after each line

_NUMBERED = re.compile(r"[ ]*(?:\[,[0-9]{1,6}\][ ]*)+\Z")  # R: [,1] [,2]
_COLUMNS = re.compile(
    r"[ ]*Columns?[ ]+([0-9]{1,6})(?:[ ]+(?:through|and|to)[ ]+([0-9]{1,6}))?[ ]*(?::[ ]*)?\Z"
)  # Octave
_BROKEN = re.compile(r"[^\s\\][ ]*\\[ ]*\Z")  # pandas ends a header like this if another block follows
_ROW_LABEL = re.compile(r"\[[0-9]+,\]\Z")
_WORD = re.compile(r"\S+")
_COUNTED = re.compile(r"(.*?)([0-9]{1,6})\Z")  # a name with a number: V7
_FACTOR = re.compile(r"[ ]*1(?:\.0*)?[eE]([+-]?[0-9]{1,3})[ ]*\*[ ]*\Z")  # Octave and MATLAB: 1.0e+03 *
_SEPARATED = re.compile(r"[\t,;|&\"\[<]")  # a sign other than a space that separates cells
_NUMERIC = re.compile(r"\s[+-]?[0-9.]")
_PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\Z")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of columns of a printed matrix: the heading above it, and its rows."""

    head: Written
    rows: list[Row]


def rows_of_print_out(text: str) -> list[Row] | None:
    """Return the rows of a matrix that was printed in blocks of columns, or with a factor such as `1.0e+03 *`.

    Labels are left out. Return None for any other text.

    Raises: MatrixTextError if the blocks have different rows, AmbiguousTextError if each block may be a matrix.
    """
    if text.count("\n") > MOST_LINES:
        return None
    lines = [line for line in split_keeping_places(_NEW_LINE, text, 0) if line.text.strip()]
    exponent, lines = _without_factor(lines)
    heads = _heading_lines(lines)
    blocks = [*_blocks(lines, heads)]
    if len(blocks) > 1 and not any(_NUMERIC.search(f" {line.text}") for line in lines[: heads[0]]):
        rows = _join_blocks(text, blocks)
    elif exponent and not any("[" in line.text for line in lines):
        rows = [_words(line) for line in lines if not line.text.rstrip().endswith("=")]
    else:
        return None
    return [[_multiply(cell, exponent) for cell in row] for row in rows] if exponent else rows


def _without_factor(lines: list[Written]) -> tuple[str, list[Written]]:
    factors = [factor for line in lines[:4] if (factor := _FACTOR.match(line.text))]
    if len(factors) != 1:
        return "", lines
    return factors[0][1], [line for line in lines if not _FACTOR.match(line.text)]


def _multiply(cell: Written, exponent: str) -> Written:
    return Written(f"{cell.text}e{exponent}", cell.offset) if _PLAIN_NUMBER.match(cell.text) else cell


# --- blocks ---


def _texts_of_matrices(text: str, blocks: list[Block]) -> list[str]:
    starts = [0, *(place for place, block in enumerate(blocks) if place and _column_numbers(block)[:1] == [1])]
    ends = [*starts[1:], None]
    return [_text_of(text, blocks[s], None if e is None else blocks[e]) for s, e in zip(starts, ends, strict=True)]


def _blocks(lines: Sequence[Written], heads: list[int]) -> Iterator[Block]:
    for start, end in pairwise([*heads, len(lines)]):
        yield Block(lines[start], [_words(line) for line in lines[start + 1 : end]])


def _heading_lines(lines: Sequence[Written]) -> list[int]:
    """Return the indices of the lines that stand above a block of columns and name the columns."""
    for is_head in (_COLUMNS.match, _NUMBERED.match):
        found = [place for place, line in enumerate(lines) if is_head(line.text)]
        if found:
            return found[: MOST_BLOCKS + 1]
    broken = [place for place, line in enumerate(lines) if _BROKEN.search(line.text)]
    if broken:
        step = broken[1] - broken[0] if len(broken) > 1 else (len(lines) - broken[0]) // 2
        return [*broken, broken[-1] + step] if broken[-1] + step < len(lines) else []
    return _lines_of_names(lines)


def _lines_of_names(lines: Sequence[Written]) -> list[int]:
    if any(_SEPARATED.search(line.text) for line in lines):
        return []
    named = [place for place, line in enumerate(lines) if all(map(is_label, _words(line)))]
    apart = all(after - before > 1 for before, after in pairwise([*named, len(lines)]))
    return named if named[:1] == [0] and len(named) > 1 and apart else []


def _words(line: Written) -> Row:
    return [Written(word[0], line.offset + word.start()) for word in _WORD.finditer(line.text)]


def _join_blocks(text: str, blocks: list[Block]) -> list[Row]:
    first, matrices = blocks[0], _texts_of_matrices(text, blocks)
    if len(matrices) > 1:
        second = next(block for block in blocks[1:] if _column_numbers(block)[:1] == [1])
        raise several_matrices_error(text, second.head.offset, matrices)
    for block in blocks:
        _check_block(text, first, block)
    _check_numbers(text, blocks)
    return _side_by_side(blocks)


def _check_block(text: str, first: Block, block: Block) -> None:
    """Raise an error if a block has another number of rows than the first block, or other row labels."""
    labelled = not _COLUMNS.match(first.head.text)
    labels, own = ([row[0].text for row in each.rows] if labelled else [""] * len(each.rows) for each in (first, block))
    if labels != own or not own:
        raise MatrixTextError(
            text,
            block.head.offset,
            f"Blocks of columns must have the same rows, but this block has {len(own)} rows and the first has "
            f"{len(labels)}, or their labels differ. Paste one whole matrix.",
        )


def _check_numbers(text: str, blocks: list[Block]) -> None:
    """Raise an error if the column numbers do not continue from block to block: each block may be a matrix."""
    if _column_numbers(blocks[0]):
        following = all(_column_numbers(b)[0] == _column_numbers(a)[-1] + 1 for a, b in pairwise(blocks))
        ends = following and _column_numbers(blocks[0])[0] == 1
    else:
        ends = bool(_BROKEN.search(blocks[0].head.text)) or all(_continues_names(a, b) for a, b in pairwise(blocks))
    if not ends:
        parts = [_text_of(text, block, after) for block, after in zip(blocks, [*blocks[1:], None], strict=True)]
        readings = [Reading(f"Matrix {n}", part) for n, part in enumerate(parts[: MOST_READINGS - 1], start=1)]
        readings.append(Reading("All side by side", _write_side_by_side(blocks)))
        raise AmbiguousTextError(
            text,
            blocks[1].head.offset,
            f"{ONE}, but here a second head begins. Paste only one block, or blocks whose column numbers continue.",
            readings,
        )


def _continues_names(block: Block, after: Block) -> bool:
    last, first = (
        _COUNTED.match(words[place].text) for words, place in ((_words(block.head), -1), (_words(after.head), 0))
    )
    return bool(last and first and last[1] == first[1] and int(last[2]) + 1 == int(first[2]))


def _column_numbers(block: Block) -> list[int]:
    if counted := _COLUMNS.match(block.head.text):
        return [int(number) for number in counted.groups() if number]
    numbered = _NUMBERED.match(block.head.text)
    return [int(number) for number in re.findall(r"[0-9]+", block.head.text)] if numbered else []


def _text_of(text: str, block: Block, after: Block | None) -> str:
    return text[block.head.offset : after.head.offset if after else len(text)].strip("\n")


def _write_side_by_side(blocks: list[Block]) -> str:
    return "\n".join("\t".join(cell.text for cell in row) for row in _side_by_side(blocks))


def _side_by_side(blocks: list[Block]) -> list[Row]:
    labelled = not _COLUMNS.match(blocks[0].head.text)
    rows = zip(*(block.rows for block in blocks), strict=True)
    return [[cell for part in parts for cell in part[labelled:]] for parts in rows]
