"""Read a `texts.md`: the words of a page or of a room, as sections with a heading each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from pages.shared.notation.latex import Said

_HEADING = re.compile(r"^# ([\w.]+)$\n?", re.MULTILINE)
_OPTION = re.compile(r"- ([\w.+-]+): (.+)")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a control: its label, the names of its options by their keys, and its help."""

    label: Said
    options: Mapping[str, Said]
    help: Said | None


@cache
def sections_of(path: Path) -> Mapping[str, str]:
    """Return the texts of a file, by the names in their headings, such as “# one_unit”.

    Raises: ValueError if a text has no heading, or if two have the same.
    """
    before, *parts = _HEADING.split(source_of(path))
    names, texts = parts[::2], [text.strip("\n") for text in parts[1::2]]
    if before.strip():
        raise ValueError(
            f"Every text must stand below a heading such as “# question”; {file_name(path)} begins with "
            f"“{before.strip()[:40]}”: write a heading above it."
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(
            f"Every section must have its own name; {file_name(path)} has {', '.join(twice)} twice: name one anew."
        )
    return MappingProxyType(dict(zip(names, texts, strict=True)))


def source_of(path: Path) -> str:
    """Return the source of a `texts.md`. A test replaces this function, to see which words come from such a file."""
    return path.read_text("utf-8")


def file_name(path: Path) -> str:
    """Return the name of a file and of its folder, for an error: "softmax_axes/texts.md"."""
    return f"{path.parent.name}/{path.name}"


def words_of(text: str) -> Words:
    """Return the words of a control from its section: a line with the label, a list of its options, a quoted help.

    >>> words_of("What adds up to 1\\n- rows: Each row\\n> It is the softmax of attention.")
    Words(label='What adds up to 1', options={'rows': 'Each row'}, help='It is the softmax of attention.')

    Raises: ValueError if there is not exactly one label, or if a line of the list has no key.
    """
    lines = [line for line in text.split("\n") if line]
    listed, quoted = ([line for line in lines if line[:1] == mark] for mark in "->")
    labels = [line for line in lines if line[:1] not in "->"]
    options = [_OPTION.fullmatch(line) for line in listed]
    if len(labels) != 1 or None in options:
        raise ValueError(
            "The words of a control must be a line with its label, then “- key: name” for each option, then “> ” and "
            f"its help; got “{text}”: write them so."
        )
    help = "\n".join(line[1:].strip() for line in quoted)
    named = {option[1]: Said(option[2]) for option in options if option}
    return Words(Said(labels[0]), named, Said(help) if help else None)
