"""Reads JavaScript as far as the tests need it: its names, those that it declares, and those that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

SKIPPED = re.compile(r"\s+|//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
PATTERN = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
TEMPLATE_TEXT = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(`|\$\{)", re.DOTALL)
OTHER = re.compile(r"[A-Za-z_$][\w$]*|\d[\w.]*|=>|\?\.|\.\.\.|.")
NAME = re.compile(r"[A-Za-z_$][\w$]*")
PAIRS = {"(": ")", "[": "]", "{": "}"}

KEYWORDS = set(
    """
    async await break case catch class const continue default delete do else export extends finally for from function if
    import in instanceof let new null of return super switch this throw true false try typeof undefined void while
    yield
""".split()
)
BROWSER = set(
    """

""".split()
)
BROWSER = set(
    """
    Array Boolean CSSStyleSheet CustomEvent Date Error Infinity JSON Map Math MutationObserver NaN Number Object Promise
    ResizeObserver Set String Symbol WeakMap cancelAnimationFrame clearInterval clearTimeout document getComputedStyle
    globalThis innerHeight localStorage matchMedia navigator parseFloat performance requestAnimationFrame sessionStorage
    setInterval setTimeout window
""".split()
)


def tokens(source: str) -> list[str]:
    """Names, numbers and signs. A string is `""`, a regular expression `//`; of a template the parts in ${…} stay."""
    found, place, templates, depth = list[str](), 0, list[int](), 0
    while place < len(source):
        if match := SKIPPED.match(source, place):
            place = match.end()
            continue
        letter = source[place]
        if letter == "`" or (letter == "}" and templates and templates[-1] == depth):
            templates = templates if letter == "`" else templates[:-1]
            match = TEMPLATE_TEXT.match(source, place + 1)
            assert match is not None
            templates = [*templates, depth] if match[1] == "${" else templates
            found.append(";")
        elif match := STRING.match(source, place):
            found.append('""')
        elif _may_be_a_pattern(found) and (match := PATTERN.match(source, place)):
            found.append("//")
        else:
            match = OTHER.match(source, place)
            assert match is not None
            found.append(match[0])
            depth += (match[0] in PAIRS) - (match[0] in PAIRS.values())
        place = match.end()
    return found


def _may_be_a_pattern(before: list[str]) -> bool:
    return not before or before[-1] in {"return", *"(,=:[!&|?{};"} or before[-1] == "=>"


def used(source: str) -> set[str]:
    """The names that stand for a value: no properties, no keys of objects."""
    all = tokens(source)
    around = zip(["", *all], all, [*all[1:], ""], strict=False)
    return {
        name
        for before, name, after in around
        if NAME.fullmatch(name) and before not in (".", "?.") and not (after == ":" and before in ("{", ","))
    } - KEYWORDS


def declared(source: str) -> set[str]:
    """The names that a source declares anywhere: variables, functions, parameters."""
    return {name for group in _declarations(tokens(source)) for name in group if NAME.fullmatch(name)} - KEYWORDS


def _declarations(all: list[str]) -> Iterator[list[str]]:
    for place, token in enumerate(all):
        if token in ("const", "let", "class", "function", "catch"):
            yield _group(all, place + 1 + (all[place + 1] == "*"))
        if token == "function":
            yield _group(all, all.index("(", place))
        if token == "=>":
            yield _group_before(all, place - 1)


def _group(all: list[str], start: int) -> list[str]:
    """One token, or all up to the bracket that closes it."""
    depth = 0
    for end in range(start, len(all)):
        depth += (all[end] in PAIRS) - (all[end] in PAIRS.values())
        if depth == 0:
            return all[start : end + 1]
    raise ValueError(f"a bracket must be closed; {all[start]} is not")


def _group_before(all: list[str], end: int) -> list[str]:
    depth = 0
    for start in range(end, -1, -1):
        depth += (all[start] in PAIRS.values()) - (all[start] in PAIRS)
        if depth == 0:
            return all[start : end + 1]
    raise ValueError(f"a bracket must be opened; {all[end]} is not")
