"""A kind of control: a text of one line."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared.controls.control import Control, default_of
from pages.shared.notation.prose import literal, short

UNSEEN = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, and line breaks
TURNS_TEXT = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # these change the direction of a text
EMPTY = " "  # stands for an empty text in a link, because some programs drop a parameter with nothing after "="


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
        st.text_input(self.label, default_of(key) or "", key=key, help=self.help, **options)


def text_in_words(label: str, value: str) -> str:
    """Return a label and the first words of a text as Markdown. Nothing in the text is read as markup."""
    return f"{label}: {f'“{literal(short(value))}”' if value else 'none'}"
