"""The cells of a matrix as they are written, each with its position in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
