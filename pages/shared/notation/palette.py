"""The palette: the meaning of each colour, the same in equations and charts.

There are two kinds. A hue says what something belongs to. A tint says how great the number in a cell is.

Colours have the names that the theme gives them: `.streamlit/config.toml` has the value of each, for light and for
dark. In CSS, blue is `var(--st-blue-color)`. In a chart, Streamlit replaces the value "blue" of a colour's encoding or
range by the theme's blue. Everything that differs in colour also differs in a line, a position or a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import streamlit as st

Theme = Literal["light", "dark"]
Colour = Literal["blue", "gray", "green", "orange", "red", "violet", "yellow"]  # all that a theme of Streamlit has
Line = Literal["solid", "dashed", "dotted", "double"]
Tint = Literal["signed", "weight", "share", "plain"]
Hue = Literal["query", "key", "value", "weight"]

# What belongs to queries, keys, values or attention weights has their hue: names, brackets, arrows, lines, words, bars.
# Nothing else has one of these hues. Each is also told by its letter.
HUES: Mapping[Hue, Colour] = {"query": "blue", "key": "violet", "value": "yellow", "weight": "green"}
WRONG: Colour = "red"  # a corner of the cell
ACCENT: Colour = "orange"  # in a chart: what the text is about
INK: Colour = "gray"  # in a chart: everything else
GONE, COME = WRONG, ACCENT  # a line of code that is removed, and a line that is added


class Neutral(NamedTuple):
    """A colour of cells that means only a sign: gray with a part of another colour."""

    colour: Colour
    gray: int = 55  # percent


POSITIVE, NEGATIVE = Neutral("blue"), Neutral("orange")
# The colours of a matrix above 0 and below 0. "plain" has none. The greatest number of an equation has the full tint of
# "signed", and 1 that of the others.
TINTS: Mapping[Tint, tuple[Neutral, Neutral]] = {
    "signed": (POSITIVE, NEGATIVE),
    "share": (POSITIVE, NEGATIVE),
    "weight": (Neutral(HUES["weight"], 0), Neutral(HUES["weight"], 0)),
}


class Mark(NamedTuple):
    """How a chart draws one series: its colour and its kind of line. Its name stands beside it."""

    colour: Colour
    line: Line


SERIES = (Mark(ACCENT, "solid"), Mark(INK, "dashed"), Mark(ACCENT, "dotted"), Mark(INK, "double"))
# Kinds of line in a chart: how many pixels are drawn and left out in turn. A chart has no double line.
DASHES: Mapping[Line, Sequence[int]] = {
    "solid": [1, 0],
    "dashed": [9, 5],
    "dotted": [2, 4],
    "double": [13, 4, 2, 4],
}
# The lines above the columns of heads: the kind of each, and its pixels. The ninth head has the line of the first.
HEADS: Sequence[tuple[Line, int]] = [(mark.line, pixels) for pixels in (3, 5) for mark in SERIES]


def colour_code(colour: Colour, theme: Theme) -> str:
    """Return a colour of the theme as a text with the hexadecimal code of its red, green and blue."""
    return st.get_option(f"theme.{theme}.{colour}Color")


def css(colour: Colour) -> str:
    """Return a colour of the theme as a value in CSS."""
    return f"var(--st-{colour}-color)"


def css_of_tint(tint: Neutral) -> str:
    """Return the full tint as a value in CSS."""
    return f"color-mix(in srgb, {css(INK)} {tint.gray}%, {css(tint.colour)})"


def tint_code(tint: Neutral, theme: Theme) -> bytes:
    """Return the full tint in a theme as three bytes: red, green and blue."""
    gray, own = (bytes.fromhex(colour_code(colour, theme)[1:]) for colour in (INK, tint.colour))
    return bytes(round((tint.gray * a + (100 - tint.gray) * b) / 100) for a, b in zip(gray, own, strict=True))
