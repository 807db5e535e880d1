"""The dress of a table: lines, tags, quotes and labels around its numbers. It is blanked out, so that places stay."""

from __future__ import annotations

import re

from attention_core.reading.matrix_formats import MatrixTextError

_HEADS = re.compile(
    r"^[ ]*(?:(?:\[,[0-9]+\][ ]*)+"  # R: [,1] [,2]
    r"|[A-Za-z]\w*[ ]*=[ ]*"  # MATLAB and Octave: A =
    r"|[0-9]+×[0-9]+ [^:\n]{1,80}:[ ]*)$",  # Julia: 2×2 Matrix{Float64}:
    re.MULTILINE,
)
_ROW_NUMBER = re.compile(r"^[ ]*\[[0-9]+,\]", re.MULTILINE)  # R: [1,]
_LAST_SEMICOLON = re.compile(r"(?<=[\])]);(?=\s*\Z)")  # MATLAB: [1 2; 3 4];
_QUOTED = re.compile(r'"([^"\n]*)"')
_HEAD_CELL = re.compile(r"<th\b[^<>]*>[^<>]*</th>", re.IGNORECASE)
_NEXT_CELL = re.compile(r"</td>\s*<td\b[^<>]*>", re.IGNORECASE)
_ROW_END = re.compile(r"</tr>", re.IGNORECASE)
_CELL = re.compile(r"<t[dr]\b", re.IGNORECASE)
_BRACKET = re.compile(r"[\[({\\]")
_TAG = re.compile(r"<[^<>]*>")
_RULE_LINE = re.compile(r"^[ |:]*-[-:| ]*$", re.MULTILINE)  # Markdown: | --- | --: |
_NUMBERS = re.compile(r"[0-9.+-][0-9.+\-|\s]*")
_TWO_WAYS = re.compile(r"^[ ]*[+-]?[0-9]+,[0-9]+(?:,[ ]+[+-]?[0-9]+,[0-9]+)+[ ]*$", re.MULTILINE)


def undressed(text: str) -> str:
    """Return a text of the same length in which nothing but the cells of its table stands.

    It takes what R, MATLAB, Octave and Julia print around numbers, quotes, and the lines and tags of tables in Markdown
    and HTML.

    Raises: MatrixTextError where commas can be read in two ways.
    """
    text = _without_tags(text) if _CELL.search(text) and not _BRACKET.search(text) else text
    text = _without_bars(text) if "|" in text else text
    for dress in (_HEADS, _ROW_NUMBER, _LAST_SEMICOLON):
        text = dress.sub(_blank, text)
    text = _QUOTED.sub(lambda quoted: f" {quoted[1].replace(',', '.')} ", text)
    _check_commas(text)
    return text


def _blank(dress: re.Match[str]) -> str:
    return " " * len(dress[0])


def _without_tags(text: str) -> str:
    """Put a tab between two cells of HTML and a new line after a row. Cells of a header are labels."""
    cells = _NEXT_CELL.sub(lambda tags: "\t".ljust(len(tags[0])), _HEAD_CELL.sub(_blank, text.replace("\n", " ")))
    return _TAG.sub(_blank, _ROW_END.sub(lambda tag: "\n".ljust(len(tag[0])), cells))


def _without_bars(text: str) -> str:
    """Put a tab in the place of each bar of Markdown between two cells."""
    rule = _RULE_LINE.search(text)
    head = text[: rule.start() if rule else 0].strip().removeprefix("|").lstrip(" ")  # begins with a bar where unnamed
    if _NUMBERS.fullmatch(head):
        raise MatrixTextError(
            text, len(text) - len(text.lstrip()),
            "it must be clear what a header is; got one of numbers: take the row of dashes out if it is a row of the "
            "matrix, and the header if it is none.",
        )  # fmt: skip
    return "\n".join(map(_at_tabs, _RULE_LINE.sub(_blank, text).split("\n")))


def _at_tabs(line: str) -> str:
    inner = line.strip().removeprefix("|").removesuffix("|")
    start = line.find("|") + 1 if line.strip().startswith("|") else 0
    return " " * start + line[start : start + len(inner)].replace("|", "\t") + " " * (len(line) - start - len(inner))


def _check_commas(text: str) -> None:
    """Ask what a comma is where it may be a decimal point or stand between numbers, as in 5,15, 3,43."""
    if found := _TWO_WAYS.search(text):
        line, start = found[0].strip(), found.end() - len(found[0].lstrip())
        points = " ".join(part.strip().replace(",", ".") for part in re.split(r",[ ]+", line))
        apart = " ".join(line.replace(",", " ").split())
        raise MatrixTextError(
            text, start,
            f"it must be clear what a comma is; got “{line[:24]}”: write {points[:24]} if it is a decimal point, "
            f"{apart[:24]} if it stands between numbers.",
        )  # fmt: skip
