"""Remove the labels of rows: `please → 1 0`, `row 1: 0.5 0.5`, `1 0 ← please`."""

from __future__ import annotations

import re

_ARROW = r"(?:→|⇒|↦|⟶|->|=>|-->|:|=)"
_BEFORE = re.compile(rf"[ \t]*[^\s:=→⇒↦⟶|<>\[\](){{}}][^:=→⇒↦⟶|<>\[\](){{}}\t]{{0,60}}{_ARROW}(?=[ \t]*[+\-−.0-9∞i])")
_BEHIND = re.compile(r"(?:←|⇐|<-|<--|→|⇒|->|=>|\()[ \t]*[^\s\d←→][^\n←→|]{0,60}\Z")
_NUMBERS = re.compile(r"[ \t]*[+\-−]?(?:[0-9.]|∞|inf)[0-9.eE+\-−∞infa,;/% \t]*\Z")
_SEVERAL = re.compile(r"[0-9.%∞f][\s,;]+[+\-−.0-9∞i]")
_DECIMAL = re.compile(r"[0-9][.,][0-9]")
_DIGIT = re.compile(r"[0-9]")
_NO_LINES = re.compile(r"[\[{\\&]")


def without_row_labels(text: str) -> str:
    """Return a text with spaces in place of the label before or after the numbers of each line.

    In a text with only one line, the label is replaced only if the line has two numbers, so “Chapter: 3” stays.
    """
    if _NO_LINES.search(text):
        return text
    lines = text.split("\n")
    filled = [place for place, line in enumerate(lines) if line.strip()]
    for strip in (_without_label_before, _without_label_behind):
        rows = {place: strip(lines[place]) for place in filled[_has_heading(lines, filled) :]}
        if rows and all(rows.values()) and (len(rows) > 1 or _SEVERAL.search(next(iter(rows.values())) or "")):
            return "\n".join(rows.get(place) or " " * len(line) for place, line in enumerate(lines))
    return text


def _has_heading(lines: list[str], filled: list[int]) -> bool:
    """Return whether the first line with text is a heading, because it has no number.

    `filled` has the indices of the lines with text.
    """
    return len(filled) > 2 and not _DIGIT.search(lines[filled[0]]) and "|" not in lines[filled[0]]


def _without_label_before(line: str) -> str | None:
    """Replace the label before the numbers of a line by spaces. Return None if the line has no such label."""
    label = _BEFORE.match(line)
    if label and _DECIMAL.search(label[0]):
        return None
    rest = line[label.end() :] if label else ""
    return " " * (len(line) - len(rest)) + rest if label and _NUMBERS.match(rest) else None


def _without_label_behind(line: str) -> str | None:
    """Replace the label after the numbers of a line by spaces. Return None if the line has no such label."""
    label = _BEHIND.search(line)
    rest = line[: label.start()] if label else ""
    return rest.ljust(len(line)) if label and _NUMBERS.match(rest) else None
