"""The palette: what each colour stands for, in equations and charts alike.

Colours are the theme's, by name: `.streamlit/config.toml` has the value of each, for light and for dark. In CSS, blue
is `var(--st-blue-color)`; in a chart, Streamlit puts the theme's blue where the encoding of a colour has the value
"blue", or has it in its range. What is told apart by colour is told apart by a line, a place or a word as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import streamlit as st

Theme = Literal["light", "dark"]
Colour = Literal["blue", "gray", "green", "orange", "red", "violet", "yellow"]  # all that a theme of Streamlit names
Line = Literal["solid", "dashed", "dotted", "double"]
Tint = Literal["signed", "weight", "plain"]

POSITIVE: Colour = "blue"  # numbers above 0
NEGATIVE: Colour = "orange"  # numbers below 0
WEIGHT: Colour = "green"  # attention weights
TINTS: Mapping[Tint, tuple[Colour, Colour]] = {  # of a matrix: above 0, and below; a plain one has none
    "signed": (POSITIVE, NEGATIVE),
    "weight": (WEIGHT, WEIGHT),
}
GONE, COME = "red", "green"  # a line of code that goes, and one that comes
INK: Colour = "gray"  # words, rules and paths in a chart
ON_PALE = "black"  # words on the theme's pale categorical colours, which are the same in light and dark


class Mark(NamedTuple):
    """What a series is told apart by: a colour and, where colours are not seen, a kind of line."""

    colour: Colour
    line: Line


SERIES = (
    Mark("blue", "solid"),
    Mark("orange", "dashed"),
    Mark("green", "dotted"),
    Mark("violet", "double"),
)
COLOURS: tuple[Colour, ...] = tuple(mark.colour for mark in SERIES)
# Kinds of line as a chart draws them: pixels that are drawn and left out in turn. It has no double one.
DASHES: Mapping[Line, Sequence[int]] = {
    "solid": [1, 0],
    "dashed": [9, 5],
    "dotted": [2, 4],
    "double": [13, 4, 2, 4],
}
# Of eight heads no two have the same mark; the ninth has that of the first.
HEADS = tuple(Mark(SERIES[i % 4].colour, SERIES[(i + i // 4) % 4].line) for i in range(8))


def value_of(colour: Colour, theme: Theme) -> str:
    """Return the value of a colour in hexadecimal digits, for where a name will not do."""
    return st.get_option(f"theme.{theme}.{colour}Color")
