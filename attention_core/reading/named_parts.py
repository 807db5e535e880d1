"""Find the parts of a text that contain a named matrix: where each part begins, its name and its role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from attention_core.reading.comments import without_comments
from attention_core.reading.roles import LONGEST_NAME, role_of
from attention_core.reading.sessions import without_prompts, without_session
from attention_core.reading.text_error import MOST_READINGS, ONE, AmbiguousTextError, MatrixTextError, Reading

MOST_PARTS = 40
MOST_LINE = 2000  # in a line with more characters, no name is searched
MOST_NAMED = 24  # how many characters of a name are shown

_BRACKET = re.compile(r"[\[\]]")
_LATEX = re.compile(r"\\begin\{([a-zA-Z]*matrix\*?|array)\}")
_NUMBER = re.compile(r"[0-9∞]|inf|nan", re.IGNORECASE)
_R_HEAD = re.compile(r"\[(?:[0-9]{1,6},|,[0-9]{1,6})\]")
_WRAPPED = re.compile(r"OrderedDict\(\[|Parameter containing:")
_STATEMENT = re.compile(r"[;\n]|[)\]}],?[ ]|\\\\|(?:,|\band\b|\bwhere\b|→|⇒)[ ]")
_DECORATION = "#%/*>`-_~=:|$ \t\"'{},("
_AFTER_NAME = " \t:=≈→,-<$"
_PART_OF_WORD = "".join(map(chr, range(48, 58))) + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_."
_HEAD = re.compile(r"[ \t]*([^\s=:][^\n=:]{0,79})(?:[=:≈]|<-)[ \t]*")
_ROW = re.compile(r"[\s+\-−.0-9∞infae,;/%|]*\Z")
_WORDS = re.compile(r"[^\W\d_]{2}")


class Part(NamedTuple):
    """A part of a text. The part contains one matrix."""

    name: str
    role: str  # the matrix of attention that the name means, as `role_of` returns it, or ""
    text: str
    offset: int


def named_parts(text: str) -> list[Part]:
    """Return the parts of a text that contain a named matrix, in the order of the text. Unclear parts are left out.

    A name stands before a matrix or on the line above it. The name may also be in a comment.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
    shown = without_prompts(_WRAPPED.sub(lambda wrapper: " " * len(wrapper[0]), text))
    try:
        code = _WRAPPED.sub(lambda wrapper: " " * len(wrapper[0]), without_comments(without_session(text)))
    except MatrixTextError:  # a comment that may be a row
        return []
    blocks = [*_bracket_blocks(code), *_latex_blocks(code)]
    found = _parts_before(shown, code, sorted(blocks)) if blocks else _parts_in_lines(shown, code)
    return [*islice(found, MOST_PARTS)]


def check_roles(text: str) -> None:
    """Raise an error if the names in a text mean two or more matrices of attention, such as Q and K.

    Raises: AmbiguousTextError, which offers each matrix.
    """
    parts = [part for part in named_parts(text) if part.role]
    if len({part.role for part in parts}) < 2:
        return
    readings = [Reading(f"“{part.name[:MOST_NAMED]}”", part.text) for part in parts[: MOST_READINGS - 1]]
    if text.strip().count("\n") == len(parts) - 1 and not any(part.text.startswith(("[[", "\\")) for part in parts):
        readings.append(Reading("All rows as one matrix", "\n".join(part.text for part in parts)))
    raise AmbiguousTextError(
        text, parts[1].offset, f"{ONE}, but here a second one begins. Paste only one of them.", readings
    )


# --- brackets and LaTeX ---


def _bracket_blocks(code: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each matrix in brackets. Rows that follow each other belong to one matrix."""
    if _R_HEAD.search(code):
        return
    groups, depth, start, height = list[tuple[int, int, int]](), 0, 0, 0
    for mark in _BRACKET.finditer(code):
        if mark[0] == "[":
            start, height = (mark.start(), 0) if depth == 0 else (start, height)
            depth += 1
            height = max(height, depth)
        elif depth:
            depth -= 1
            if depth == 0 and _is_matrix(code, start, mark.end()):
                groups.append((start, mark.end(), height))
    yield from _join_rows(code, groups)


def _is_matrix(code: str, start: int, end: int) -> bool:
    """Return whether the brackets from `start` to `end` contain numbers of a matrix, and not an index or a shape."""
    before = code[max(start - 5, 0) : start]
    return (
        bool(_NUMBER.search(code, start, end))
        and before[-1:] not in (*"])", "_")
        and not (before[-1:].isalnum() or before.endswith(("Size(", "hape(")))
    )


def _join_rows(code: str, groups: list[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each matrix, which may consist of several rows in brackets with nothing between them.

    A group is a tuple: start, end, and how many brackets are nested.
    """
    held: tuple[int, int, int] | None = None
    for group in groups:
        if held and held[2] == group[2] == 1 and not code[held[1] : group[0]].strip(" \n,"):
            held = (held[0], group[1], 1)
            continue
        if held:
            yield held[:2]
        held = group
    if held:
        yield held[:2]


def _latex_blocks(code: str) -> Iterator[tuple[int, int]]:
    end, open_ones = 0, set[str]()
    for begin in _LATEX.finditer(code):
        closing = rf"\end{{{begin[1]}}}"
        if begin.start() < end or closing in open_ones:
            continue
        found = code.find(closing, begin.end())
        if found < 0:
            open_ones.add(closing)
        else:
            end = found + len(closing)
            yield begin.start(), end


def _parts_before(shown: str, code: str, blocks: list[tuple[int, int]]) -> Iterator[Part]:
    end = 0
    for start, after in blocks:
        near = max(end, start - 4 * LONGEST_NAME)
        names = _names_before(shown[near:start], code[near:start])
        end = max(end, after)
        for name in filter(None, names):
            yield Part(name, role_of(name), code[start:after], start)


def _names_before(shown: str, code: str) -> list[str]:
    """Return the names before a matrix. They are on its line, before the equals sign or colon, or on the line above.

    `code` is the text before the matrix without comments, and `shown` is the same text with comments. The list has at
    most one name, except for `Q = K = …`.
    """
    code, shown = code.replace("\\approx", "≈"), shown.replace("\\approx", "≈")
    line = _without_call(code.rpartition("\n")[2]).rstrip(_AFTER_NAME)
    if line.strip():
        chain = [each.strip(_DECORATION) for each in _STATEMENT.split(line)[-1].split("=")]
        roles = {role_of(each) for each in chain}
        return chain if len(roles) == len(chain) and "" not in roles else [_first_with_role(line)]
    above = [line for line in shown.split("\n")[:-1] if line.strip(_DECORATION)]
    return [_first_with_role(above[-1].strip(_DECORATION))] if above else []


def _without_call(line: str) -> str:
    """Return a line without its end if it ends with `np.array(`, `(` or `,`."""
    line = line.rstrip()
    while line.endswith(("(", ",", "\\left")):
        is_call = line.endswith("(")
        line = line.removesuffix("\\left")[: None if line.endswith("\\left") else -1].rstrip()
        line = line.rstrip(_PART_OF_WORD).rstrip() if is_call else line
    return line


def _first_with_role(line: str) -> str:
    """Return the name of a matrix of attention in a line: Q for `Q = X W`, K for `where K`.

    If the line has several such names, return the first. If it has none, return its first name of any kind.
    """
    statement = _STATEMENT.split(line)[-1]
    candidates = [each.strip(_DECORATION) for each in re.split(r"[=:≈]", statement)]
    candidates = [each.rpartition("$")[2].strip() for each in candidates if each]
    return next((each for each in candidates if role_of(each)), candidates[0] if candidates else "")


# --- lines ---


def _parts_in_lines(shown: str, code: str) -> Iterator[Part]:
    """Yield the matrices that are written as lines of numbers, each below or after its name.

    `shown` is the text with comments, and `code` is the same text without comments.
    """
    lines, codes = shown.split("\n"), code.split("\n")
    heads = [(place, *head) for place, line in enumerate(lines) if (head := _head_in(line))]
    starts = [0]
    for line in codes:
        starts.append(starts[-1] + len(line) + 1)
    for (place, name, column), after in zip(heads, [*(head[0] for head in heads[1:]), len(lines)], strict=False):
        first = place if column else place + 1
        body = [codes[place][column:].rjust(len(codes[place]))] if column else []
        body += codes[place + 1 : after]
        text = "\n".join(_without_prose(body))
        if _NUMBER.search(text):
            blank = 0 if column else len(text) - len(text.lstrip("\n"))
            yield Part(name, role_of(name), text.strip("\n"), starts[first] + column + blank)


def _head_in(line: str) -> tuple[str, int] | None:
    """Return the name in a heading line, and the position of the numbers after the name, or 0 without numbers.

    Return None if the line is no heading.
    """
    if len(line) > MOST_LINE:
        return None
    alone = line.strip(_DECORATION)
    if role_of(alone):
        return alone, 0
    head = _HEAD.match(line)
    if head and _ROW.match(line, head.end()) and line[head.end() :].strip() and role_of(head[1].strip(_DECORATION)):
        return head[1].strip(_DECORATION), head.end()
    return None


def _without_prose(body: list[str]) -> list[str]:
    """Return the lines up to the last number. Prose (words without a number) after the numbers is left out."""
    begun = False
    for place, line in enumerate(body):
        if begun and _WORDS.search(line) and not _NUMBER.search(line):
            return body[:place]
        begun = begun or bool(_NUMBER.search(line))
    return body
