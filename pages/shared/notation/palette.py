"""The palette: the meaning of each colour, the same in equations and charts.

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
Tint = Literal["signed", "weight", "plain"]

POSITIVE: Colour = "blue"  # numbers above 0
NEGATIVE: Colour = "orange"  # numbers below 0
WEIGHT: Colour = "green"  # attention weights
TINTS: Mapping[Tint, tuple[Colour, Colour]] = {  # the colours of a matrix above 0 and below 0; "plain" has none
    "signed": (POSITIVE, NEGATIVE),
    "weight": (WEIGHT, WEIGHT),
}
GONE, COME = "red", "green"  # a line of code that is removed, and a line that is added
INK: Colour = "gray"  # words, rules and paths in a chart
ON_PALE = "black"  # words on the theme's pale categorical colours, which are the same in light and dark


class Mark(NamedTuple):
    """How a chart draws one series: its colour and, for people who see no colours, its kind of line."""

    colour: Colour
    line: Line


SERIES = (
    Mark("blue", "solid"),
    Mark("orange", "dashed"),
    Mark("green", "dotted"),
    Mark("violet", "double"),
)
COLOURS: tuple[Colour, ...] = tuple(mark.colour for mark in SERIES)
# Kinds of line in a chart: how many pixels are drawn and left out in turn. A chart has no double line.
DASHES: Mapping[Line, Sequence[int]] = {
    "solid": [1, 0],
    "dashed": [9, 5],
    "dotted": [2, 4],
    "double": [13, 4, 2, 4],
}
# Eight heads have eight different marks; the ninth has the mark of the first.
HEADS = tuple(Mark(SERIES[i % 4].colour, SERIES[(i + i // 4) % 4].line) for i in range(8))


def colour_code(colour: Colour, theme: Theme) -> str:
    """Return a colour of the theme as a text with the hexadecimal code of its red, green and blue."""
    return st.get_option(f"theme.{theme}.{colour}Color")
