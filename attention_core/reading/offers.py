"""Suggest what a text that cannot be read may mean. The visitor decides: no suggestion is applied automatically."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, islice

from attention_core.reading.matrix_text import MOST_CHARACTERS, read_matrix
from attention_core.reading.text_error import MatrixTextError, Reading

MOST_OFFERS = 3
MOST_TRIED = 40  # how many parts of a text the code tries to read

_ZERO = re.compile(r"(?<=[0-9.])[oO](?=[0-9.\s,;\]]|\Z)|(?<![A-Za-z0-9])[oO](?=[.][0-9])")
_ONE = re.compile(r"(?<=[0-9.])[lI](?=[0-9.\s,;\]]|\Z)|(?<![A-Za-z0-9])[lI](?=[.][0-9])")
_TWICE = re.compile(r"(?<=[0-9])([.,])\1(?=[0-9])")
_NUMBER = re.compile(r"[+\-−]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?\Z")
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
    """Return how many numbers a line has, or 0 if the line also has a word that is not a number."""
    words = [word.strip(",") for word in _WORD.findall(line)]
    return len(words) if all(map(_NUMBER.match, words)) else 0


def _is_readable(text: str) -> bool:
    try:
        read_matrix(text)
    except MatrixTextError:
        return False
    return True
