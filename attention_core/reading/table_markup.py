"""Remove the markup of a table: lines, tags, quotation marks and labels.

Spaces replace it, so positions stay the same.
"""

from __future__ import annotations

import re

from attention_core.reading.several import NAME_LINE
from attention_core.reading.text_error import AmbiguousTextError, Reading

_HEADS = re.compile(rf"{NAME_LINE}|^[ ]*(?:\[,[0-9]+\][ ]*)+$", re.MULTILINE)  # R: [,1] [,2]
_ROW_NUMBER = re.compile(r"^[ ]*\[[0-9]+,\]", re.MULTILINE)  # R: [1,]
_SIZE = re.compile(r"torch\.Size\(\[[0-9, ]*\]\)|\[[0-9]+ rows x [0-9]+ columns\]")  # PyTorch’s shape, and pandas’
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
    text = _QUOTED.sub(lambda quoted: f" {quoted[1].replace(',', '.')} ", text)
    _check_commas(text)
    return text


def _blank(markup: re.Match[str]) -> str:
    return " " * len(markup[0])


def _without_tags(text: str) -> str:
    """Replace the tags of an HTML table by tabs between cells and new lines between rows. Remove header cells."""
    cells = _NEXT_CELL.sub(lambda tags: "\t".ljust(len(tags[0])), _HEAD_CELL.sub(_blank, text.replace("\n", " ")))
    return _TAG.sub(_blank, _ROW_END.sub(lambda tag: "\n".ljust(len(tag[0])), cells))


def _without_bars(text: str) -> str:
    """Replace each bar between two cells of a Markdown table by a tab."""
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
    """Replace the bars in a line of a Markdown table by tabs, and the bars around the line by spaces."""
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
    """Replace each comma by a decimal point. A comma before a space separates two numbers and becomes a space."""
    return "\n".join(" ".join(re.sub(r",(?=\S)", ".", line).replace(",", " ").split()) for line in text.split("\n"))


def _with_spaces(text: str) -> str:
    """Replace each comma by a space, because the commas of this text separate numbers."""
    return "\n".join(" ".join(line.replace(",", " ").split()) for line in text.split("\n"))
