"""Find several matrices in one text: each has a name, or empty lines separate them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from attention_core.reading.text_error import (
    MOST_READINGS,
    ONE,
    AmbiguousTextError,
    Reading,
    several_matrices_error,
)
from attention_core.reading.written import Written, split_keeping_places

MOST_NAMED = 24  # how many characters of a name are shown

# The line that a program prints above a matrix: Octave’s A = and ans(:,:,1) =, R’s $q and , , 1, Julia’s 2×2
# Matrix{Float64}:
NAME_LINE = (
    r"^[ ]*(\$[\w.$]{1,80}|[A-Za-z]\w{0,80}(?:\([:,0-9 ]{1,40}\))?[ ]*=|[0-9]+×[0-9]+ [^\n]{1,120}:"
    r"|, , [0-9]+(?:, [0-9]+)*)[ ]*$"
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
    """Split the text at empty lines, and yield the parts that contain a number."""
    for has_words, lines in groupby(split_keeping_places(_NEW_LINE, text, 0), lambda line: bool(line.text.strip())):
        start, *_, end = [place for line in lines for place in (line.offset, line.offset + len(line.text))]
        if has_words and _NUMBER.search(plain, start, end):
            yield Written(text[start:end], start)
