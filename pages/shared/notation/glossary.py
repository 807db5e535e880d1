"""The glossary of the app: one word for each thing, with its meaning, and the words that must not be used for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pages.shared.notation.sections import sections_of


class Word(NamedTuple):
    """The meaning of a word in the app, and expressions that the app must not use for the same meaning."""

    means: str
    never: tuple[str, ...] = ()  # regular expressions, searched in every text that a visitor reads


def _meanings(section: str) -> dict[str, str]:
    points = sections_of(Path(__file__).with_name("texts.md"))[section].split("\n")
    pairs = (point.removeprefix("- ").split(": ", 1) for point in points)
    return {word.replace("_", " "): means for word, means in pairs}


# For a word of every page: expressions that the app must not use for the same meaning.
NEVER: Mapping[str, tuple[str, ...]] = {
    "attend to": (
        r"\blooks (at|ahead|back|one|near|two|exactly)\b",
        r"\b(look(ed|ing)? ahead|looked at)\b",
        r"\b(may|can|must|should|still|nobody to|does not) (not )?look\b(?! for| like| up)",
        r"(?<!shows )\bwhere (to|it|\W?\w+\W?) looks?\b",
        r"\blistens?\b",
        r"\b(left|unit of attention|a unit|has 1|its own|\}|\*\*) to give\b",
        r"\bgiv(e|es|ing) (away )?(all of|nearly all|everything)\b",
        r"\bgives? [^.,;:]{1,30} to (each|all|one key|a single|itself|the (place|first|others|symbol|dog)|…|“|”)",
        r"\bgives? (the other|the first \w+|“[^”]*”|“[^”]*” it|it) (\*\*)?(…|\{)",
        r"\bgives (most|…|\{[^}]*\}|\*\*…\*\*) (of it|to|from)\b",
        r"\bwhom\b",
    ),
    "take": (r"\bhand(s|ed|ing)? (\w+ )?over\b", r"\b(is|be|been|are|was) handed\b", r"\bhands back\b"),
    "query": (
        r"\bseek(s|ing)?\b",
        r"\bsought\b",
        r"\bwhat (it|each token|a token) asks\b",
        r"\bneeds (somebody|something|a drink|an action|a noun|an adjective|a verb)\b",
    ),
    "key": (r"\boffers?\b(?!\.)",),
    "value": (r"\bhas to give\b",),
    "output": (
        r"\btakes? away\b",
        r"\bheads? found\b",
        r"\bwhat (\w+ )*heads? finds?\b",
        r"\bhead has found\b",
        r"\bfound for (it|…)\b",
    ),
    "probability": (
        r"\b(a|its|the|equal|their|these|with which) chances? (of|is|that|it|each|and|to)\b",
        r"\bchance of (\{|\*\*)",
    ),
    "mistake": (r"\bslips?\b",),
}
# A page whose prose has one of these words explains the word there, once, with this meaning.
WORDS: Mapping[str, str] = _meanings("words")
# Every page uses these words. The dialog “Symbols” explains them. Attention goes from the token that asks
# to the tokens that answer; information comes back from the tokens that answer to the token that asks.
EVERYWHERE: Mapping[str, Word] = {
    word: Word(means, NEVER.get(word, ())) for word, means in _meanings("words_of_every_page").items()
}


def define(word: str) -> str:
    """Return a word with its meaning in brackets.

    >>> define("nats")
    'nats (with the natural logarithm)'
    """
    return f"{word} ({WORDS[word]})"
