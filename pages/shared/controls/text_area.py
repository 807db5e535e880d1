"""A kind of control: a text of several lines. A text that is too long for a link is stored only in the session."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared.controls.control import Control, default_of
from pages.shared.controls.text_input import text_in_words

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
