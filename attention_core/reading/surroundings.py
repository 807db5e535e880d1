"""Remove what stands around a matrix: the prompts and time stamps of a session or a log, and comments."""

from __future__ import annotations

import re

from attention_core.reading.written import AmbiguousTextError, Reading

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
_DIGIT = re.compile(r"[0-9]")


def without_session(text: str) -> str:
    """Replace the time stamps, prompts and typed commands of a terminal or notebook by spaces.

    A command stays if it writes a matrix in brackets, or if nothing was printed.
    """
    lines = [_blank_beginning(_OUTPUT, _blank_beginning(_STAMP, line)) for line in text.split("\n")]
    typed = _input_marks(lines)
    printed = any(_DIGIT.search(line) for line, each in zip(lines, typed, strict=True) if not each)
    kept, is_shown = list[str](), False
    for line, each in zip(lines, typed, strict=True):
        if each == "first":
            is_shown = not printed or bool(_LITERAL.search(_blank_beginning(_INPUT, line)))
        if each:
            line = _blank_beginning(_MORE_INPUT if each == "more" else _INPUT, line) if is_shown else " " * len(line)
        kept.append(line)
    return "\n".join(kept)


def without_prompts(text: str) -> str:
    """Replace time stamps and prompts, such as `>>>`, by spaces. The text that was typed after a prompt stays."""
    lines = (_blank_beginning(_STAMP, line) for line in text.split("\n"))
    return "\n".join(_blank_beginning(_OUTPUT, _blank_beginning(_INPUT, line)) for line in lines)


def _blank_beginning(pattern: re.Pattern[str], line: str) -> str:
    found = pattern.match(line)
    return " " * found.end() + line[found.end() :] if found else line


def _input_marks(lines: list[str]) -> list[str]:
    typed = list[str]()
    for line in lines:
        is_more = typed and typed[-1] and _MORE_INPUT.match(line)
        typed.append("first" if _INPUT.match(line) else "more" if is_more else "")
    return typed


# --- comments: the text after `#`, `//` or `%`, unless the whole text or a print-out is commented ---

MOST_PREFIXES = 4  # comment signs before a line that itself is no comment
_SIGNS = re.compile(r"#|//|%")
_MARKS = re.compile(r"#|//|%|['\"]")
_FIRST_WORD = re.compile(r"[ \t]{0,20}[^\W\d_]")
_PREFIX = re.compile(r"[ \t]*(#>|#{1,3}|//|%{1,2})(?![^\s\[])")
_PRINTED = re.compile(r"[ \t]*#{1,2}[> \t]+(?:\[,?[0-9]{1,6},?\][ \t]?)")  # R: ## [1,] and ## [,1]
_ONLY_NUMBERS = re.compile(r"[\s#/%>]*[\[(]*[+-]?[0-9.][0-9.eE+\-,;\s\[\]()]*\Z")
_TWO_NUMBERS = re.compile(r"[0-9][\s,;&]+[+-]?[0-9.]")


def without_comments(text: str) -> str:
    """Return a text with spaces in place of its comments.

    If every line begins with a comment sign, only these signs become spaces. In an R document with code and its output,
    the output after `#>` or `##` stays, and the code becomes spaces.

    Raises: AmbiguousTextError if the comments may be rows of the matrix.
    """
    lines = text.split("\n")
    for _ in range(MOST_PREFIXES):  # the text behind the signs may have comments of its own
        filled = [line for line in lines if line.strip()]
        if not all(map(_PREFIX.match, filled)):
            break
        lines = list(map(_without_prefix, lines))
    text = "\n".join(lines)
    filled = [line for line in lines if line.strip()]
    if not _SIGNS.search(text):
        return text
    if any(_is_printed(line) for line in filled):
        return "\n".join(_without_prefix(line) if _is_output(line) else " " * len(line) for line in lines)
    cut = [_code_of(line) for line in lines]
    _check_commented_rows(text, lines, cut)
    _check_counted_comments(text, lines, cut)
    return "\n".join(code.ljust(len(line)) for code, line in zip(cut, lines, strict=True))


def _is_printed(line: str) -> bool:
    return line.lstrip().startswith("#>") or bool(_PRINTED.match(line))


def _is_output(line: str) -> bool:
    return line.lstrip().startswith(("#>", "##")) or bool(_PRINTED.match(line))


def _without_prefix(line: str) -> str:
    prefix = _PREFIX.match(line)
    return " " * prefix.end() + line[prefix.end() :] if prefix else line


def _code_of(line: str) -> str:
    """Return the part of a line before its comment. A comment sign in quotation marks does not begin a comment."""
    quoted = ""
    for mark in _MARKS.finditer(line):
        if mark[0] in "\"'":
            quoted = "" if quoted == mark[0] else quoted or mark[0]
        elif not quoted and _begins_comment(line, mark.start(), mark.end()):
            return line[: mark.start()]
    return line


def _begins_comment(line: str, start: int, end: int) -> bool:
    """Return whether the sign from `start` to `end` begins a comment.

    A sign in a colour (#ff0000), an address, a percentage or the division `//` begins no comment.
    """
    last = start - 1
    while last >= 0 and line[last] in " \t":
        last -= 1
    if last < 0 or line[last] in ",;])}":
        return line[start - 1 : start] != "\\"
    after = _FIRST_WORD.match(line, end)
    return last < start - 1 and (line[start] == "#" or bool(after))


def _check_commented_rows(text: str, lines: list[str], cut: list[str]) -> None:
    """Raise an `AmbiguousTextError` if a commented line has only numbers, because it may be a row of the matrix.

    `cut` has the same lines without their comments.
    """
    offset = 0
    for line, code in zip(lines, cut, strict=True):
        if not code.strip() and line.strip() and _ONLY_NUMBERS.match(line) and _TWO_NUMBERS.search(line):
            left_out = "\n".join(cut)
            as_row = "\n".join(
                _without_prefix(line) if not code.strip() else code for line, code in zip(lines, cut, strict=True)
            )
            readings = (
                Reading("The commented line is left out", left_out),
                Reading("The commented line is a row", as_row),
            )
            problem = (
                f"It must be clear whether a commented line is a row, but “{line.strip()[:24]}” can be read both ways. "
                "Remove the line, or its comment sign."
            )
            raise AmbiguousTextError(text, offset + len(line) - len(line.lstrip()), problem, readings)
        offset += len(line) + 1


def _check_counted_comments(text: str, lines: list[str], cut: list[str]) -> None:
    """Raise an `AmbiguousTextError` if each line has one whole number and then a comment with several numbers.

    The comments may be the matrix, with a row number before each. `cut` has the same lines without their comments.
    """
    if any(code.strip() and not code.strip().isdecimal() for code in cut):
        return
    comments = [line[len(code) :].lstrip(" #/%") for line, code in zip(lines, cut, strict=True) if code.strip()]
    if any(map(_TWO_NUMBERS.search, comments)):
        readings = (
            Reading("The comments are the matrix", "\n".join(comments)),
            Reading("The numbers before them are", "\n".join(cut)),
        )
        problem = (
            "It must be clear whether the comments are rows, but each has a number before it. Remove what is not a row."
        )
        raise AmbiguousTextError(text, len(text) - len(text.lstrip()), problem, readings)
