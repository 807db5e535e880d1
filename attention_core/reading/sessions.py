"""Remove the prompts, time stamps and line numbers that a terminal, notebook, log or editor writes before a line."""

from __future__ import annotations

import re
from itertools import pairwise

_DATE = r"[0-9]{4}[-/_][0-9]{1,2}[-/_][0-9]{1,2}"
_CLOCK = r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?(?:[ ]?[AP]M)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
_LEVEL = r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL)\b\]?"
_DAY = rf"(?:{_DATE}|[0-9]{{2}}/[0-9]{{2}}(?:/[0-9]{{2,4}})?)"
_MARK = r"(?:[|,:;\]]|-(?=[ \t]))"  # a minus before a number is its sign
_MODULE = r"(?:[ \t]{0,4}[\w.]{1,60}:[0-9]{1,6}(?=[\]: ]))?(?:(?<=[A-Z]):[\w.]{1,60}:)?"
_STAMP = re.compile(
    rf"[ \t]{{0,20}}(?:\[?(?:{_DAY}[T _,-]{{1,2}}{_CLOCK}|{_DATE}|{_CLOCK})\]?(?![0-9.])"
    rf"[ \t]{{0,8}}{_MARK}?[ \t]{{0,8}}(?:{_LEVEL})?|{_LEVEL}(?=[ \t:\]-]))"
    rf"{_MODULE}[ \t]{{0,4}}{_MARK}{{0,2}}[ \t]{{0,4}}"
)
_INPUT = re.compile(
    r"[ \t]{0,40}(?:>>>|In ?\[[0-9 *]{0,9}\]:|julia>|octave:[0-9]{1,9}>|sage:|i?pdb>|\(Pdb\)|>>(?=[ ]|\Z)|>(?=[ ]|\Z))"
    r"[ ]?"
)
_MORE_INPUT = re.compile(r"[ \t]{0,40}(?:\.\.\.:?|\+)(?:[ ]|\Z)")
_OUTPUT = re.compile(r"[ \t]{0,40}Out ?\[[0-9]{0,9}\]:")
_LITERAL = re.compile(r"(?<![\w\])'\"}])\[|\b(?:matrix|structure)\(")  # A[0] is no literal
_OBJECT = re.compile(r"[ \t]*<[^<>]*>[ \t]*\Z")  # <torch._C.Generator object at 0x7f0c>
_QUOTED = re.compile(r"[ \t]{0,40}>(?=[ ])")
_LINE_NUMBER = re.compile(r"[ \t]{0,40}([0-9]{1,5})(?![0-9.,;%/*eE])")
_COMMAND = re.compile(r"[ \t]*[A-Za-z]\w*[^\w\s=]")  # MATLAB: act2(1,:)
_ANSWER = re.compile(r"[ \t]*ans(?:\([^()\n]{0,40}\))?[ ]*=[ ]*\Z")
_DIGIT = re.compile(r"[0-9]")
_COMMENT = re.compile(r"[ \t]*(?:#|//|%)")
_FIRST_OF_CODE = re.compile(r"[ \t]*[^\W\d]|[ \t]*[\[({#\"'|:]|[ \t]*\Z")


def without_session(text: str) -> str:
    """Replace the time stamps, prompts, line numbers and typed commands of a terminal or notebook by spaces.

    A command stays if it writes a matrix in brackets, or if nothing was printed.
    """
    lines = _without_line_numbers([_blank_beginning(_STAMP, line) for line in text.split("\n")])
    return "\n".join(_without_commands(lines))


def without_prompts(text: str) -> str:
    """Replace time stamps and prompts, such as `>>>`, by spaces. The text that was typed after a prompt stays."""
    lines = (_blank_beginning(_STAMP, line) for line in text.split("\n"))
    return "\n".join(_blank_beginning(_OUTPUT, _blank_beginning(_INPUT, line)) for line in lines)


def _blank_beginning(pattern: re.Pattern[str], line: str) -> str:
    """Replace the match of a pattern at the beginning of a line by spaces."""
    found = pattern.match(line)
    return " " * found.end() + line[found.end() :] if found else line


def _without_line_numbers(lines: list[str]) -> list[str]:
    """Replace an editor's line numbers by spaces, if the lines are code and not rows of numbers."""
    filled = [line for line in lines if line.strip()]
    numbers = [_LINE_NUMBER.match(line) for line in filled]
    if len(filled) < 2 or not all(numbers):
        return lines
    counted = [(int(number[1]), line[number.end() :]) for number, line in zip(numbers, filled, strict=True) if number]
    counts_on = all(after[0] == before[0] + 1 for before, after in pairwise(counted))
    in_brackets = any("[" in line or "(" in line for line in filled)
    is_code = (in_brackets and _FIRST_OF_CODE.match(counted[0][1])) or all(_COMMENT.match(line) for _, line in counted)
    return [_blank_beginning(_LINE_NUMBER, line) for line in lines] if counts_on and is_code else lines


def _without_commands(lines: list[str]) -> list[str]:
    """Replace the commands that somebody typed in a terminal or notebook by spaces.

    Only the prompt is replaced if a command writes a matrix, or if no command printed anything.
    """
    lines = [_blank_beginning(_OUTPUT, line) for line in lines]
    if all(_QUOTED.match(line) for line in lines if line.strip()):  # quoted, as in an e-mail
        return [_blank_beginning(_QUOTED, line) for line in lines]
    typed = _input_marks(lines)
    if not any(typed):
        return lines
    printed = any(_DIGIT.search(line) for line, each in zip(lines, typed, strict=True) if not each)
    kept, is_shown = list[str](), False
    for line, each in zip(lines, typed, strict=True):
        is_shown = is_shown if each == "more" else not printed or bool(_LITERAL.search(_blank_beginning(_INPUT, line)))
        kept.append(_output_or_command(line, each, is_shown))
    return kept


def _input_marks(lines: list[str]) -> list[str]:
    """Return for each line "first" (the first line of a command), "more" (its next lines), or "" (any other line)."""
    typed = list[str]()
    for place, line in enumerate(lines):
        is_first = _INPUT.match(line) or (_COMMAND.match(line) and _ANSWER.match(_next_filled(lines, place)))
        is_more = typed and typed[-1] and _MORE_INPUT.match(line)
        typed.append("first" if is_first else "more" if is_more else "")
    return typed


def _next_filled(lines: list[str], place: int) -> str:
    return next((line for line in lines[place + 1 : place + 3] if line.strip()), "")


def _output_or_command(line: str, typed: str, is_shown: bool) -> str:
    """Return a line of output, or a command without its prompt. Printed objects become spaces.

    `typed` is "first" or "more" for the first or a later line of a command, and "" for output. If `is_shown` is false,
    a command becomes spaces, too.
    """
    if not typed:
        return " " * len(line) if _OBJECT.match(line) else line
    return _blank_beginning(_MORE_INPUT if typed == "more" else _INPUT, line) if is_shown else " " * len(line)
