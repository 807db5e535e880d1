"""Say the texts of a `texts.md`: fill in the expressions in their braces, and the words for the layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pages.shared.notation.expressions import FUNCTIONS, Functions, compiled
from pages.shared.notation.glossary import define
from pages.shared.notation.latex import Said
from pages.shared.notation.numbers import format_as_shown, number, significant
from pages.shared.notation.sections import Words, file_name, sections_of, words_of

# What texts can call, besides the functions of every expression. They also take words in quotation marks.
TEXT_FUNCTIONS: Functions = {
    **FUNCTIONS,
    "exact": lambda value: number(float(value)),  # four significant digits, as LaTeX
    "significant": lambda value: significant(float(value), 4),  # the same for prose
    "define": define,  # a word of the glossary with its meaning in brackets
}
IN_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]+)\}")  # a doubled brace stands for one brace
_WITH_FORMAT = re.compile(r"(.+?)(?::([^\])]+))?")  # as in Python: {share:.0%}; the colon of a[0,1:3] begins no format

# The words that change with the layout: with tokens as rows, and with tokens as columns.
_TURNED = {"row": "column", "column": "row", "down": "across", "across": "down"}
_OF_ROWS = {word: word for small in _TURNED for word in (small, small.capitalize())}
_OF_COLUMNS = _TURNED | {small.capitalize(): turned.capitalize() for small, turned in _TURNED.items()}

_Part = Callable[["_Names"], str]  # a piece of a text, or what stands in a pair of its braces


def texts_beside(file: str) -> Texts:
    """Return the texts of the folder of a module. A module calls this with its `__file__`."""
    return Texts(Path(file).with_name("texts.md"))


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one page or of one room, by the names of their sections in its `texts.md`."""

    path: Path
    _compiled: dict[str, list[_Part]] = field(default_factory=dict, compare=False, repr=False)

    def fill(self, section: str, decimals: int = 2, columns: bool = False, /, **names: Any) -> Said:
        """Return a text in which each expression in braces is replaced by its value.

        `names` has the values that the expressions can name: numbers, which are written with `decimals` as on the
        screen, whole numbers, texts, and arrays. An expression can also name another section of the file. If `columns`,
        tokens are columns: {row} is then written “column”.

        Raises: ValueError if there is no such section, or if an expression is not possible.
        """
        with np.errstate(all="ignore"):
            return Said(self._filled(section, _Names(self, decimals, columns, names)))

    def words(self, section: str, columns: bool = False, /) -> Words:
        """Return the words of a control. If `columns`, they are written for tokens as columns."""
        text = self.fill(section, 2, columns)
        try:
            return words_of(text)
        except ValueError as error:
            raise ValueError(f"{file_name(self.path)}, # {section}: {error}") from None

    def points(self, section: str) -> tuple[str, ...]:
        """Return the points of a section that is a list, such as the sources of a page."""
        lines = self.fill(section).split("\n")
        return tuple(line.removeprefix("- ") for line in lines if line)

    def has(self, section: str) -> bool:
        """Return whether there is a section with this name."""
        return section in sections_of(self.path)

    def _filled(self, section: str, names: _Names) -> str:
        if section not in self._compiled and not self.has(section):
            raise ValueError(
                f"A text must be a section of {file_name(self.path)}; got {section!r}: write it there below "
                f"“# {section}”, or take one of {', '.join(sections_of(self.path))}."
            )
        try:
            if section not in self._compiled:
                self._compiled[section] = _parts(sections_of(self.path)[section])
            return "".join([part(names) for part in self._compiled[section]])
        except ValueError as error:
            raise ValueError(f"{file_name(self.path)}, # {section}: {error}") from None


class _Names(dict[str, Any]):
    """The names in a text, with their values. What has no value here is a word of the layout, or another section."""

    __slots__ = ("columns", "decimals", "texts")

    def __init__(self, texts: Texts, decimals: int, columns: bool, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.texts, self.decimals, self.columns = texts, decimals, columns

    def __missing__(self, name: str) -> str:
        words = _OF_COLUMNS if self.columns else _OF_ROWS
        if name in words:
            return words[name]
        if self.texts.has(name):
            return self.texts._filled(name, self)
        raise KeyError(name)


def _parts(text: str) -> list[_Part]:
    parts, end = list[_Part](), 0
    for found in IN_BRACES.finditer(text):
        parts += [_as_it_stands(text[end : found.start()]), _in_braces(found)]
        end = found.end()
    return [*parts, _as_it_stands(text[end:])]


def _as_it_stands(text: str) -> _Part:
    if "{" in text or "}" in text:
        raise ValueError(f"A brace in a text must be doubled; got “{text[-40:]}”: write {{{{ or }}}}.")
    return lambda names: text


def _in_braces(found: re.Match[str]) -> _Part:
    if not found[1]:
        return lambda names: found[0][0]
    parts = _WITH_FORMAT.fullmatch(found[1])
    assert parts is not None  # any text that is not empty matches
    source, how = parts.groups()
    value = compiled(source, TEXT_FUNCTIONS)
    if how:
        return lambda names: _formatted(value(names), how)
    return lambda names: _written(value(names), source, names.decimals)


def _formatted(value: Any, how: str) -> str:
    text = format(value, how)
    return text if isinstance(value, str) else text.replace("-", "−")


def _written(value: Any, source: str, decimals: int) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float | np.floating) or getattr(value, "shape", None) == ():
        return format_as_shown(float(value), decimals)
    raise ValueError(
        f"A value in braces must be a number or a text; {source} is {value!r}: name one of its numbers, or let Python "
        "choose between two sections."
    )
