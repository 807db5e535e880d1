"""Controls whose values depend on the example, and controls for texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from attention_core.examples import Example
from pages.shared.controls.kinds import Control, default_of
from pages.shared.notation.prose import TURNS_TEXT, UNSEEN, escape, short

EMPTY = " "  # stands for an empty text in a link, because some programs drop a parameter with nothing after "="


SHORT, SHORT_WIDTH = 30, 240  # a field for so few characters is so many pixels wide


@dataclass(frozen=True, slots=True)
class TextInput(Control):
    """A text of one line. The app never interprets it as markup."""

    label: str
    longest: int
    help: str | None = None

    def encode(self, value: str) -> str:
        return value or EMPTY

    def decode(self, text: str) -> str:
        if len(text) > self.longest or any(unicodedata.category(c) in UNSEEN or c in TURNS_TEXT for c in text):
            raise ValueError(
                f"one line of at most {self.longest} characters, with no tab or other control character among them"
            )
        return "" if text == EMPTY else text

    def accept(self, raw_value: str | None, before: str) -> str:
        return before if raw_value is None else self.decode(raw_value)

    def in_words(self, value: str) -> str:
        return text_in_words(self.label, value)

    def draw(self, key: str, **options: Any) -> None:
        options.setdefault("width", SHORT_WIDTH if self.longest <= SHORT else "stretch")
        st.text_input(self.label, default_of(key) or "", key=key, help=self.help, **options)


def text_in_words(label: str, value: str) -> str:
    """Return a label and the first words of a text as Markdown. Nothing in the text is read as markup."""
    return f"{label}: {f'“{short(value)}”' if value else 'none'}"


LONGEST_IN_LINK = 2_000  # characters
LONGEST = 200_000  # twice as long as a 64×64 matrix with all its digits


@dataclass(frozen=True, slots=True)
class TextArea(Control):
    """A text of several lines, such as a pasted matrix."""

    label: str
    help: str | None = None
    placeholder: str | None = None

    def in_link(self, value: str) -> bool:
        """Return whether a link can hold the text."""
        return len(value) <= LONGEST_IN_LINK and not any(_unlinkable(character) for character in value)

    def encode(self, value: str) -> str:
        return value

    def decode(self, text: str) -> str:
        if not self.in_link(text):
            raise ValueError(f"a text of at most {LONGEST_IN_LINK} characters, with no control character among them")
        return text

    def accept(self, raw_value: str | None, before: str) -> str:
        if raw_value is None:
            return before
        if len(raw_value) > LONGEST:
            raise ValueError(f"a text of at most {LONGEST:,} characters")
        return raw_value

    def in_words(self, value: str) -> str:
        return text_in_words(self.label, value)

    def draw(self, key: str, **options: Any) -> None:
        st.text_area(
            self.label, default_of(key) or "", key=key, help=self.help, placeholder=self.placeholder, **options
        )


def _unlinkable(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\n"


LAST = -1
MOST_COLUMNS = 8  # the most columns that a visitor can choose from


@dataclass(frozen=True, slots=True)
class TokenInput(Control):
    """A choice of one of the example's tokens. The value is the token's index."""

    label: str
    help: str | None = None

    instead = "the first token is taken"

    def encode(self, value: int) -> str:
        return str(value)

    def decode(self, text: str) -> int:
        return _whole(text, digits=2, rule="a token’s place, counted from 0")

    def fit(self, value: int, example: Example) -> int:
        return value if value < len(example.tokens) else 0

    def option(self, place: int, n: int) -> int:
        """Return the value that this control stores for the token with the index `place`, in a list of `n` tokens."""
        return place

    def draw(self, key: str, tokens: Sequence[str]) -> None:
        options = [self.option(place, len(tokens)) for place in range(len(tokens))]
        st.segmented_control(
            self.label, options, format_func=lambda i: escape(str(tokens[i])), key=key, default=default_of(key),
            help=self.help, required=True,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class WordInput(TokenInput):
    """A choice of one word of a sentence. The sentence then shows the attention of this word."""

    of_the_page: bool = False  # whether the sentence is made by the page, so that only the page knows its length

    def encode(self, value: int) -> str:
        return "last" if value == LAST else str(value)

    def decode(self, text: str) -> int:
        return LAST if text == "last" else _whole(text, digits=2, rule="a token’s place, counted from 0, or last")

    def fit(self, value: int, example: Example) -> int:
        if self.of_the_page:
            return value
        return self.option(value, len(example.tokens)) if self.fits(value, example) else 0

    def fits(self, value: int, example: Example) -> bool:
        return self.of_the_page or value < len(example.tokens)

    def option(self, place: int, n: int) -> int:
        return LAST if place == n - 1 else place


@dataclass(frozen=True, slots=True)
class ColumnInput(TokenInput):
    """A choice of one of the columns of the values."""

    instead = "the first column is taken"

    def decode(self, text: str) -> int:
        return _whole(text, digits=2, rule="a column’s place, counted from 0")

    def fit(self, value: int, example: Example) -> int:
        return value if value < len(self.names(example)) else 0

    def names(self, example: Example) -> tuple[str, ...]:
        """Return the names of the first columns of the values: “column 1”, “column 2”, … if they have no names."""
        n = example.w_v.shape[-1]
        return (example.names.v or tuple(f"column {place + 1}" for place in range(n)))[:MOST_COLUMNS]


@dataclass(frozen=True, slots=True)
class HeadsInput(Control):
    """A choice of the number of heads. The value 0 means the number of heads that the example has."""

    label: str
    help: str | None = None

    instead = "it is cut into as many heads as it has"

    def encode(self, value: int) -> str:
        return str(value)

    def decode(self, text: str) -> int:
        return _whole(text, digits=3, rule="a number of heads, such as 2")

    def fit(self, value: int, example: Example) -> int:
        return value if value in example.head_counts() else 0

    def draw(self, key: str, counts: Mapping[int, str]) -> None:
        st.segmented_control(
            self.label, list(counts), format_func=counts.__getitem__, key=key, default=default_of(key), help=self.help,
            required=True,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class HeadsOffInput(Control):
    """A choice of the heads that are switched off. The value is a tuple of their indices, in order."""

    label: str
    help: str | None = None

    instead = "those heads stay on"

    def encode(self, value: tuple[int, ...]) -> str:
        return ".".join(map(str, value))

    def decode(self, text: str) -> tuple[int, ...]:
        parts = text.split(".") if text else []
        if not all(part.isdecimal() and len(part) <= 3 for part in parts) or len(text) > 60:
            raise ValueError("places counted from 0, as 0.2")
        return tuple(sorted(set(map(int, parts))))

    def accept(self, raw_value: list[int] | None, before: tuple[int, ...]) -> tuple[int, ...]:
        return (
            before if raw_value is None else tuple(sorted(raw_value))
        )  # pills have the order in which they were pressed

    def fit(self, value: tuple[int, ...], example: Example) -> tuple[int, ...]:
        return tuple(place for place in value if place < example.head_counts()[-1])

    def draw(self, key: str, names: Sequence[str]) -> None:
        st.pills(
            self.label, list(range(len(names))), format_func=lambda i: str(names[i]), key=key, default=default_of(key),
            help=self.help, selection_mode="multi",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Count(Control):
    """A choice of how many tokens (or key tokens, see `of`) of the example are used. The value 0 means all of them."""

    label: str
    of: str  # "tokens" or "key_tokens"
    help: str | None = None

    instead = "all tokens take part"

    def encode(self, value: int) -> str:
        return str(value)

    def decode(self, text: str) -> int:
        return _whole(text, digits=2, rule="a number of tokens, to 99, or 0 for all")

    def fit(self, value: int, example: Example) -> int:
        return value if value < len(getattr(example, self.of)) else 0

    def draw(self, key: str, most: int) -> None:
        labels = {**{n: str(n) for n in range(1, most)}, 0: f"{most}, all"}
        st.segmented_control(
            self.label, list(labels), format_func=labels.__getitem__, key=key, default=default_of(key), help=self.help,
            required=True,
        )  # fmt: skip


def _whole(text: str, *, digits: int, rule: str) -> int:
    if not text.isdecimal() or len(text) > digits:
        raise ValueError(rule)
    return int(text)
