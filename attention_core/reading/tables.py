"""Remove what a table has around its numbers: lines, tags and quotation marks, a header, and the labels of rows."""

from __future__ import annotations

import re
from itertools import pairwise

from attention_core.reading.written import AmbiguousTextError, Reading, Row, Written

# The line that a program prints above a matrix: Octave’s A = and ans(:,:,1) =, R’s $q and , , 1, Julia’s 2×2
# Matrix{Float64}:
NAME_LINE = (
    r"^[ ]*(\$[\w.$]{1,80}|[A-Za-z]\w{0,80}(?:\([:,0-9 ]{1,40}\))?[ ]*=|[0-9]+×[0-9]+ [^\n]{1,120}:"
    r"|, , [0-9]+(?:, [0-9]+)*)[ ]*$"
)
_HEADS = re.compile(rf"{NAME_LINE}|^[ ]*(?:\[,[0-9]+\][ ]*)+$", re.MULTILINE)  # R: [,1] [,2]
_ROW_NUMBER = re.compile(r"^[ ]*\[[0-9]+,\]", re.MULTILINE)  # R: [1,]
_SIZE = re.compile(r"torch\.Size\(\[[0-9, ]*\]\)|\[[0-9]+ rows x [0-9]+ columns\]")  # PyTorch’s shape, and pandas’
_LAST_SEMICOLON = re.compile(r"(?<=[\])]);(?=\s*\Z)")  # MATLAB: [1 2; 3 4];
_QUOTED_CELL = re.compile(r'"([^"\n]*)"')
_HEAD_CELL = re.compile(r"<th\b[^<>]*>[^<>]*</th>", re.IGNORECASE)
_NEXT_CELL = re.compile(r"</td>\s*<td\b[^<>]*>", re.IGNORECASE)
_ROW_END = re.compile(r"</tr>", re.IGNORECASE)
_CELL = re.compile(r"<t[dr]\b", re.IGNORECASE)
_BRACKET = re.compile(r"[\[({\\]")
_TAG = re.compile(r"<[^<>]*>")
_RULE_LINE = re.compile(r"^[ |:]*-[-:| ]*$", re.MULTILINE)  # Markdown: | --- | --: |
_NUMBERS = re.compile(r"[0-9.+-][0-9.+\-|\s]*")
_TWO_WAYS = re.compile(r"^[ ]*[+-]?[0-9]+,[0-9]+(?:,[ ]+[+-]?[0-9]+,[0-9]+)+[ ]*$", re.MULTILINE)

_GROUPED_APART = re.compile(r"[0-9],[0-9]{3}\.[0-9]+,[ ]+[+-]?[0-9]")  # 1,234.56, 7
_GROUP = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")


def without_markup(text: str) -> str:
    """Replace everything in a table except its cells by spaces.

    This removes the lines and tags of tables in Markdown and HTML, quotation marks, and the labels that R, MATLAB,
    Octave and Julia print around numbers.

    Raises: AmbiguousTextError if it is not clear what the commas mean, or whether the first line is a header.
    """
    text = _without_tags(text) if _CELL.search(text) and not _BRACKET.search(text) else text
    text = _without_bars(text) if "|" in text else text
    for markup in (_HEADS, _ROW_NUMBER, _SIZE, _LAST_SEMICOLON):
        text = markup.sub(_blank, text)
    text = _QUOTED_CELL.sub(lambda quoted: f" {quoted[1].replace(',', '.')} ", text)
    _check_commas(text)
    return text


def _blank(markup: re.Match[str]) -> str:
    return " " * len(markup[0])


def _without_tags(text: str) -> str:
    cells = _NEXT_CELL.sub(lambda tags: "\t".ljust(len(tags[0])), _HEAD_CELL.sub(_blank, text.replace("\n", " ")))
    return _TAG.sub(_blank, _ROW_END.sub(lambda tag: "\n".ljust(len(tag[0])), cells))


def _without_bars(text: str) -> str:
    rule = _RULE_LINE.search(text)
    head = (
        text[: rule.start() if rule else 0].strip().removeprefix("|").lstrip(" ")
    )  # the bar of a first column without a name
    if rule and _NUMBERS.fullmatch(head):
        _ask_about_header(text, rule)
    return "\n".join(map(_bars_to_tabs, _RULE_LINE.sub(_blank, text).split("\n")))


def _ask_about_header(text: str, rule: re.Match[str]) -> None:
    body = text[rule.end() :].strip("\n")
    readings = (
        Reading("The first line is a row", f"{text[: rule.start()].strip(chr(10))}\n{body}"),
        Reading("The first line is a header", body),
    )
    raise AmbiguousTextError(
        text,
        len(text) - len(text.lstrip()),
        "It must be clear what the header is, but this header has numbers. Remove the row of dashes if the header is a "
        "row of the matrix. Otherwise remove the header.",
        readings,
    )


def _bars_to_tabs(line: str) -> str:
    inner = line.strip().removeprefix("|").removesuffix("|")
    start = len(line) - len(line.lstrip()) + line.lstrip().startswith("|")
    return " " * start + line[start : start + len(inner)].replace("|", "\t") + " " * (len(line) - start - len(inner))


def _check_commas(text: str) -> None:
    """Raise an error if the meaning of the commas is not clear: “5,15, 3,43” may have two or four numbers."""
    if found := _GROUPED_APART.search(text):
        readings = (
            Reading("Commas group thousands", _GROUP.sub("", text)),
            Reading("Every comma stands between numbers", text.replace(",", " ")),
        )
        problem = (
            f"It must be clear what a comma means, but “{found[0][:24]}” can be read in two ways. Write numbers "
            "without groups, or a space after each comma."
        )
        raise AmbiguousTextError(text, found.start(), problem, readings)
    if found := _TWO_WAYS.search(text):
        line, start = found[0].strip(), found.end() - len(found[0].lstrip())
        points, apart = _with_points(line), _with_spaces(line)
        readings = (
            Reading("Commas are decimal points", _with_points(text)),
            Reading("Commas stand between numbers", _with_spaces(text)),
        )
        raise AmbiguousTextError(
            text,
            start,
            f"It must be clear what a comma means, but “{line[:24]}” can be read in two ways. Write {points[:24]} if "
            f"it is a decimal point, {apart[:24]} if it separates numbers.",
            readings,
        )


def _with_points(text: str) -> str:
    return "\n".join(" ".join(re.sub(r",(?=\S)", ".", line).replace(",", " ").split()) for line in text.split("\n"))


def _with_spaces(text: str) -> str:
    return "\n".join(" ".join(line.replace(",", " ").split()) for line in text.split("\n"))


# --- labels: a header row above the numbers, and a label before each row ---

_LETTER = re.compile(r"[^\W\d_]")
_DECIMALS = re.compile(r"[.,][0-9]|[0-9]\.")
_MISTYPED = re.compile(
    r"[.,][0-9]|\A[oOlI]\Z|\A[+-]?(?:inf(?:ty|inity)?|nan|na|n/a|null|none|missing)\Z", re.IGNORECASE
)


def without_labels(rows: list[Row]) -> list[Row]:
    """Remove the header row and the row labels, if they cannot be numbers of the matrix.

    A header has only words. Row labels are words, or numbers that count from 0 or 1 below an empty place in the header,
    as in the data frames of pandas and R. A mistyped number (O.5) or a missing number (NA) is not a label.
    """
    if len(rows) < 2 or not all(rows):
        return rows
    head, *body = rows
    names = head[1:] if len(head) > 1 and not head[0].text else head
    headed = all(map(is_label, names)) and not is_label(body[0][-1])
    if (headed or _counts_up(names)) and all(len(row) == len(names) + 1 for row in body):
        return [row[1:] for row in body] if _counts_up(_first_column(body)) or _are_labels(body) else rows
    if headed:
        return body if len(head) == len(body[0]) else rows
    return [row[1:] for row in rows] if _are_labels(rows) else rows


def check_counted_rows(text: str, rows: list[Row]) -> None:
    """Raise an error if the first column may have row numbers: it counts up, and all other numbers have decimals.

    Raises: AmbiguousTextError, which offers the rows without their first column, and with it.
    """
    if len(rows) < 2 or min(map(len, rows)) < 2 or not all(cell.text.isdecimal() for cell in _first_column(rows)):
        return
    numbers = [int(cell.text) for cell in _first_column(rows) if len(cell.text) < 7]
    counts = len(numbers) == len(rows) and all(after == before + 1 for before, after in pairwise(numbers))
    if counts and all(_DECIMALS.search(cell.text) for row in rows for cell in row[1:]):
        readings = (
            Reading("The first column counts the lines", _in_lines([row[1:] for row in rows])),
            Reading("All columns are of the matrix", _in_lines(rows)),
        )
        problem = (
            f"It must be clear what the first column is, but {numbers[0]}, {numbers[1]} … may only count the lines. "
            "Remove the column if it counts lines."
        )
        raise AmbiguousTextError(text, rows[0][0].offset, problem, readings)


def _in_lines(rows: list[Row]) -> str:
    return "\n".join(
        "\t".join(f"{cell.text}.0" if cell.text.isdecimal() else cell.text for cell in row) for row in rows
    )


def _first_column(rows: list[Row]) -> Row:
    return [row[0] for row in rows]


def is_label(cell: Written) -> bool:
    """Return whether a cell is a word, and not a mistyped or missing number."""
    return bool(_LETTER.match(cell.text)) and not _MISTYPED.search(cell.text)


def _are_labels(rows: list[Row]) -> bool:
    labels = _first_column(rows)
    distinct = len({label.text for label in labels}) == len(labels)
    return distinct and all(map(is_label, labels)) and not any(is_label(row[-1]) for row in rows)


def _counts_up(cells: Row) -> bool:
    texts, length = [cell.text for cell in cells], len(cells)
    return any(texts == [str(number) for number in range(start, start + length)] for start in (0, 1))
