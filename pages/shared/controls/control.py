"""A control: what all kinds of controls have in common. A new kind overrides what is different."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import streamlit as st

from attention_core.examples import Example


class Control:
    """How to check a value, write it into a link, read it back, say it in words, and fit it to an example.

    A kind that has a widget also draws it: `draw(key, **options)`.
    """

    __slots__ = ()
    label: str
    instead = ""  # says which value is used if the example does not have the one that was asked for
    belongs_to_workspace = False  # its value is a matrix, stored with the visitor's edits

    def encode(self, value: Any) -> str:
        """Write the value as the text in a link."""
        raise NotImplementedError

    def decode(self, text: str) -> Any:
        """Read the text in a link. Raises: ValueError that says what the value must be."""
        raise NotImplementedError

    def accept(self, held: Any, before: Any) -> Any:
        """Return the value of the control for what the widget holds, or the previous value if the widget holds nothing.

        Raises: ValueError that says what it must be.
        """
        if held is None:
            return before
        return tuple(held) if isinstance(held, list) else held

    def widget_value(self, value: Any) -> Any:
        """Return what the widget shows for a value."""
        return value

    def in_link(self, value: Any) -> bool:
        """Say whether a link can hold the value."""
        return True

    def in_words(self, value: Any, in_layout: Callable[[str], str]) -> str:
        """Return the value as a few words of Markdown. `in_layout` adapts directions if tokens are columns."""
        return f"{self.label}: {self.encode(value)}"

    def turned(self, in_layout: Callable[[str], str]) -> Self:
        """Return the control with its texts in the present layout."""
        return self

    def fit(self, value: Any, example: Example) -> Any:
        """Return the value, or another one if the example does not have it."""
        return value


def default_of(key: str) -> Any:
    """Return the value of a widget, to be passed to Streamlit as its default too.

    Streamlit sends a browser the value of a widget once. If the browser has dropped the widget since, because an
    earlier answer did not contain it, it uses the default.
    """
    return st.session_state.get(key)
