"""What all kinds of controls have in common. Each kind overrides the methods in which it differs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import streamlit as st

from attention_core.examples import Example
from pages.shared.notation.sections import Words


class Control:
    """The rules for one kind of parameter: how its value is checked, described, replaced, and written into a link.

    A kind of control that has a widget also has the method `draw(key, **options)`.
    """

    __slots__ = ()
    label: str
    instead = ""  # a sentence about the value that replaces a value that is not possible in the example
    belongs_to_workspace = False  # whether its value is a matrix that is stored with the visitor's edits

    def encode(self, value: Any) -> str:
        """Return the text that a link has for the value."""
        raise NotImplementedError

    def decode(self, text: str) -> Any:
        """Return the value that `text`, a text in a link, stands for.

        Raises: ValueError with a text that says what the value must be.
        """
        raise NotImplementedError

    def accept(self, raw_value: Any, before: Any) -> Any:
        """Return the new value of the control, from `raw_value`, the value of the widget. A list becomes a tuple.

        If the widget has no value (`raw_value` is None), return `before`, the old value of the control.

        Raises: ValueError with a text that says what the value must be.
        """
        if raw_value is None:
            return before
        return tuple(raw_value) if isinstance(raw_value, list) else raw_value

    def widget_value(self, value: Any) -> Any:
        """Return the value that the widget has to show for the control's value. Often both are the same."""
        return value

    def in_link(self, value: Any) -> bool:
        """Return whether a link can hold the value."""
        return True

    def in_words(self, value: Any) -> str:
        """Return the value in a few words of Markdown."""
        return f"{self.label}: {self.encode(value)}"

    def with_words(self, words: Words) -> Self:
        """Return the control with its words from a `texts.md`."""
        if words.options:
            raise ValueError(
                f"Only a choice must have a list of options; got {', '.join(words.options)} for “{words.label}”: take "
                "the list out, or declare a choice."
            )
        help = {} if words.help is None else {"help": words.help}
        return replace(self, label=words.label, **help)  # type: ignore[type-var]

    def with_tokens_as_columns(self) -> Self:
        """Return the control as it reads with tokens as columns: "row" becomes "column" in it."""
        return self

    def fit(self, value: Any, example: Example) -> Any:
        """Return the value if the example allows it, and otherwise another value that it allows, such as the default.

        For instance, the fifth token cannot be chosen in an example with four tokens.
        """
        return value


def default_of(key: str) -> Any:
    """Return the present value of the widget with this key. The caller gives it to Streamlit as the widget's default.

    Streamlit sends the value to the browser only once. If the widget disappears and comes back, the browser has
    forgotten the value, and shows the default.
    """
    return st.session_state.get(key)
