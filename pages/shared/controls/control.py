"""What all kinds of controls have in common. Each kind overrides the methods in which it differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import streamlit as st

from attention_core.examples import Example


class Control:
    """The rules for one kind of parameter: how to check, encode, decode, describe and fit its value.

    A value is encoded as a text in a link. It is fitted to an example if the example does not have it. A kind of
    control that has a widget also has the method `draw(key, **options)`.
    """

    __slots__ = ()
    label: str
    instead = ""  # a sentence about the value that is used if the example does not have the wanted one
    belongs_to_workspace = False  # whether its value is a matrix that is stored with the visitor's edits

    def encode(self, value: Any) -> str:
        """Return the text that stands for the value in a link."""
        raise NotImplementedError

    def decode(self, text: str) -> Any:
        """Return the value for which a text in a link stands.

        Raises: ValueError with a text that says what the value must be.
        """
        raise NotImplementedError

    def accept(self, held: Any, before: Any) -> Any:
        """Return the control's value for `held`, the value of its widget. A list becomes a tuple.

        If `held` is None, the widget has no value, so return `before`, the present value of the control. Raises:
        ValueError with a text that says what the value must be.
        """
        if held is None:
            return before
        return tuple(held) if isinstance(held, list) else held

    def widget_value(self, value: Any) -> Any:
        """Return what the widget has to show if the control has this value. Often this is the value itself."""
        return value

    def in_link(self, value: Any) -> bool:
        """Return whether a link can hold the value."""
        return True

    def in_words(self, value: Any, in_layout: Callable[[str], str]) -> str:
        """Return the value as a few words of Markdown. `in_layout` replaces "row" by "column" if tokens are columns."""
        return f"{self.label}: {self.encode(value)}"

    def with_texts_in_layout(self, in_layout: Callable[[str], str]) -> Self:
        """Return the control with its texts changed by `in_layout`, which writes a text for the present layout."""
        return self

    def fit(self, value: Any, example: Example) -> Any:
        """Return the value if the example has it, and otherwise a value that the example has.

        For instance, an example with four tokens has no fifth token to choose.
        """
        return value


def default_of(key: str) -> Any:
    """Return the value of the widget with this key. Pass this value to Streamlit as the default of the same widget.

    Streamlit sends the value of a widget to the browser only once. After an answer without the widget, the browser has
    forgotten this value. If the widget comes back, the browser uses the default.
    """
    return st.session_state.get(key)
