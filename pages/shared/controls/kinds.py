"""The kinds of controls: how a value is checked, written into the link, read back and drawn."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import streamlit as st

from attention_core.examples import Example
from pages.shared.notation.latex import turn_words
from pages.shared.notation.numbers import number_text, plain
from pages.shared.notation.prose import literal, one_of, short, typeset
from pages.shared.notation.sections import Words
from pages.shared.notation.symbols import SYMBOLS, symbol_of_id
from pages.shared.notation.texts import texts_beside

TEXTS = texts_beside(__file__)


class Control:
    """The rules for one kind of parameter: how its value is checked, described, replaced, and written into a link."""

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

    def pressed(self, text: str) -> Any:
        """Return the value that a press in a panel means. `text` is the value as a link has it.

        Raises: ValueError with a text that says what the value must be.
        """
        return self.decode(text)

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

    def refusal(self, error: ValueError, raw_value: Any) -> str:
        """Return a sentence that says why `decode` has refused a value with an error."""
        return f"“{self.label}” must be {error}, but it was {short(str(raw_value))}. So the old value stays."

    def fit(self, value: Any, example: Example) -> Any:
        """Return the value if the example allows it, and otherwise another value that it allows, such as the default.

        For instance, the fifth token cannot be chosen in an example with four tokens.
        """
        return value

    def fits(self, value: Any, example: Example) -> bool:
        """Return whether the example has what the value asks for."""
        return self.fit(value, example) == value


def default_of(key: str) -> Any:
    """Return the present value of the widget with this key."""
    return st.session_state.get(key)


Rows = tuple[tuple[float, ...], ...]
BOUNDS = (-10_000, 10_000)  # every number that a visitor enters must be between these


@dataclass(frozen=True, slots=True)
class Choice(Control):
    """A choice of one of a few named options, which are all visible."""

    label: str
    options: Mapping[str, str]
    help: str | None = None
    optional: bool = False

    def encode(self, value: str) -> str:
        return value

    def decode(self, text: str) -> str:
        if text not in self.options:
            raise ValueError(one_of(self.options))
        return text

    def pressed(self, text: str) -> str:
        return "" if self.optional and not text else self.decode(text)

    def accept(self, raw_value: str | None, before: str) -> str:
        return raw_value or ("" if self.optional else before)

    def widget_value(self, value: str) -> str | None:
        return value or None

    def in_words(self, value: str) -> str:
        return f"{typeset(self.label)}: {typeset(self.options[value]) if value else 'none'}"

    def with_words(self, words: Words) -> Self:
        if any(self.options.values()):  # names that are data
            return replace(self, label=words.label, help=words.help)
        if list(words.options) != list(self.options):
            raise ValueError(
                f"The list of options must have the keys {', '.join(self.options)}, in this order; got "
                f"{', '.join(words.options) or 'none'} for “{words.label}”: write “- key: name” for each."
            )
        return replace(self, label=words.label, options=words.options, help=words.help)

    def with_tokens_as_columns(self) -> Self:
        return replace(self, options={option: turn_words(text) for option, text in self.options.items()})

    def draw(self, key: str, **options: Any) -> None:
        widget = st.pills if self.optional else st.segmented_control
        labels = {option: plain(text) for option, text in self.options.items()}
        options |= {"format_func": labels.__getitem__, "default": default_of(key), "required": not self.optional}
        widget(plain(self.label), list(self.options), key=key, help=self.help, **options)


@dataclass(frozen=True, slots=True)
class Slider(Control):
    """A number within bounds, in equal steps. It is a whole number if the step is a whole number."""

    label: str
    low: float
    high: float
    step: float
    help: str | None = None

    def encode(self, value: float) -> str:
        return number_text(value)

    def decode(self, text: str) -> float:
        rule = f"{number_text(self.low)} to {number_text(self.high)} in steps of {number_text(self.step)}"
        value = read_number(text, rule)
        steps = round((value - self.low) / self.step) if self.low <= value <= self.high else -1
        snapped = round(self.low + steps * self.step, 10)
        if steps < 0 or not math.isclose(value, snapped, abs_tol=1e-9):
            raise ValueError(rule)
        return type(self.step)(snapped)

    def in_words(self, value: float) -> str:
        return f"{typeset(self.label)}: {number_text(value)}"

    def draw(self, key: str, **options: Any) -> None:
        st.slider(
            plain(self.label), self.low, self.high, default_of(key), self.step, key=key, help=self.help, **options
        )


@dataclass(frozen=True, slots=True)
class LiveSlider(Slider):
    """A slider whose number stands in formulas of the page under the name `setting`. What follows moves with it.

    A panel draws it (`pages.shared.panel`).
    """

    setting: str = ""

    def value_at(self, place: float) -> float:
        """Return the value of the parameter if the slider stands at the number `place`.

        Raises: ValueError if the slider cannot stand there.
        """
        return self.decode(self.encode(place))


@dataclass(frozen=True, slots=True)
class Steps(Control):
    """A choice of one of a few whole numbers in order, such as powers of two: a slider whose steps may differ.

    If it has a `setting`, formulas of the page have the place of the slider, from 0, under this name.
    """

    label: str
    values: tuple[int, ...]
    help: str | None = None
    setting: str = ""

    def encode(self, value: int) -> str:
        return str(value)

    def decode(self, text: str) -> int:
        written = {str(value): value for value in self.values}
        if text not in written:
            raise ValueError(one_of(written))
        return written[text]

    def value_at(self, place: float) -> int:
        """Return the number at a place of the slider. See `LiveSlider.value_at`."""
        if place not in range(len(self.values)):
            raise ValueError(one_of(map(str, self.values)))
        return self.values[int(place)]

    def in_words(self, value: int) -> str:
        return f"{typeset(self.label)}: {value}"

    def draw(self, key: str, **options: Any) -> None:
        st.select_slider(
            plain(self.label), self.values, default_of(key), "{:,}".format, key=key, help=self.help, **options
        )


@dataclass(frozen=True, slots=True)
class Switch(Control):
    """A switch, which is on or off."""

    label: str
    help: str | None = None

    def encode(self, value: bool) -> str:
        return "on" if value else "off"

    def decode(self, text: str) -> bool:
        if text not in ("on", "off"):
            raise ValueError("on or off")
        return text == "on"

    def in_words(self, value: bool) -> str:
        return f"{typeset(self.label)}: {self.encode(value)}"

    def draw(self, key: str, **options: Any) -> None:
        st.toggle(plain(self.label), bool(default_of(key)), key=key, help=self.help, **options)


@dataclass(frozen=True, slots=True)
class MatrixInput(Control):
    """A matrix that belongs to one page. The visitor edits it in an equation, so it has no widget."""

    rows: int
    columns: int
    belongs_to_workspace = True

    def encode(self, value: Rows) -> str:
        return ";".join(",".join(map(number_text, row)) for row in value)

    def decode(self, text: str) -> Rows:
        if len(text) > 30 * self.rows * self.columns:
            raise ValueError(f"{self.rows}×{self.columns} numbers")
        rows = tuple(tuple(map(read_number, row.split(","))) for row in text.split(";"))
        if [len(row) for row in rows] != [self.columns] * self.rows:
            raise ValueError(f"{self.rows} rows of {self.columns} numbers, as 1,2;3,4")
        return rows


@dataclass(frozen=True, slots=True)
class CellInput(Control):
    """The cell whose arithmetic is shown: the id of a matrix, a row and a column, or None."""

    tokens_are_columns: bool = False  # whether it is described for tokens as columns

    def encode(self, value: tuple[str, int, int] | None) -> str:
        return "" if value is None else f"{value[0]}.{value[1]}.{value[2]}"

    def decode(self, text: str) -> tuple[str, int, int]:
        name, _, place = text[:60].partition(".")
        *lead, row, column = [part for part in place.split(".")] if place.count(".") else ["", "", ""]
        if not name.replace("_", "").isalnum() or not all(part.isdecimal() for part in (*lead, row, column)):
            raise ValueError("a matrix, a row and a column, counted from 0, as scores.1.0")
        return (".".join([name, *lead]), int(row), int(column))

    def in_words(self, value: tuple[str, int, int]) -> str:
        name, row, column = value
        place = {"i": row + 1, "j": column + 1}
        return TEXTS.fill("selected_cell", 0, self.tokens_are_columns, matrix=matrix_in_words(name), **place)

    def with_tokens_as_columns(self) -> Self:
        return replace(self, tokens_are_columns=True)


def matrix_in_words(id: str) -> str:
    """Return the symbol and the name of the matrix that an id means, as Markdown.

    For instance, “weights.1” means the weights of head 2. “scaled_root” means the scores divided by √d_k.

    >>> matrix_in_words("scaled_root"), matrix_in_words("weights.1"), matrix_in_words("tally")
    ("$S'$ (scaled scores)", '$A_{2}$ (attention weights)', '`tally`')
    """
    known = symbol_of_id(id)
    if known is None:
        return literal(id)
    symbol, words, *_ = SYMBOLS[known]
    part = re.search(r"\.(\d+)", id)
    return f"${symbol}{f'_{{{int(part[1]) + 1}}}' if part else ''}$ ({words})"


def read_number(text: str, rule: str = f"numbers from {BOUNDS[0]} to {BOUNDS[1]}") -> float:
    """Return the number in a text. If the text is not a number within `BOUNDS`, raise ValueError(rule)."""
    try:
        value = float(text) if len(text) <= 30 and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not BOUNDS[0] <= value <= BOUNDS[1]:
        raise ValueError(rule)
    return value


@dataclass(frozen=True, slots=True)
class Listed(Choice):
    """A choice of one of many named options, in a list. A visitor can type a part of a name to find it."""

    def draw(self, key: str, **options: Any) -> None:
        names = list(self.options)
        at = names.index(str(default_of(key))) if default_of(key) in names else None
        labels = {option: plain(text) for option, text in self.options.items()}
        st.selectbox(plain(self.label), names, at, labels.__getitem__, key=key, help=self.help, **options)
