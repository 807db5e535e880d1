"""A control: what all kinds have in common. A new kind overrides what it does differently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import streamlit as st

from attention_core.examples import Example


class Control:
    """How one value is checked, written into a link, read back, said in words, and fitted to an example.

    Beyond this, a kind that has a widget draws it: `draw(key, **options)`.
    """

    __slots__ = ()
    label: str
    instead = ""  # says what is taken if an example does not have what the value asks for
    belongs_to_workspace = False  # its value is a matrix, kept with the visitor's edits

    def encode(self, value: Any) -> str:
        """Write the value as a link shows it."""
        raise NotImplementedError

    def decode(self, text: str) -> Any:
        """Read it back. Raises: ValueError that says what it must be."""
        raise NotImplementedError

    def accepted(self, said: Any, before: Any) -> Any:
        """Return the value that the widget stands for, or the value before if the widget has none.

        Raises: ValueError that says what it must be.
        """
        if said is None:
            return before
        return tuple(said) if isinstance(said, list) else said

    def widget_value(self, value: Any) -> Any:
        """Return what the widget shows for a value."""
        return value

    def in_link(self, value: Any) -> bool:
        """Say whether a link can hold the value."""
        return True

    def in_words(self, value: Any, in_layout: Callable[[str], str]) -> str:
        """Say the value in a few words of Markdown; `in_layout` turns directions where tokens are columns."""
        return f"{self.label}: {self.encode(value)}"

    def turned(self, in_layout: Callable[[str], str]) -> Self:
        """Return the control as it reads in the layout that is shown."""
        return self

    def fit(self, value: Any, example: Example) -> Any:
        """Return the value, or another where the example does not have what it asks for."""
        return value


def default_of(key: str) -> Any:
    """Return what a widget shows, to be given as its default as well.

    Streamlit tells a browser a widget's value once. A browser that has dropped the widget meanwhile, because an answer
    without it came on the way, takes the default.
    """
    return st.session_state.get(key)
