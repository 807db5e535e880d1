"""The palette: what each colour stands for, in equations and charts alike.

Colours are the theme's, by name: `.streamlit/config.toml` has the value of each, for light and for dark. In CSS, blue
is `var(--st-blue-color)`; in a chart, Streamlit puts the theme's blue where the encoding of a colour has the value
"blue", or has it in its range. What is told apart by colour is told apart by a line, a place or a word as well.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import streamlit as st

Theme = Literal["light", "dark"]
Colour = Literal["blue", "gray", "green", "orange", "red", "violet"]
Line = Literal["solid", "dashed", "dotted", "double"]

POSITIVE: Colour = "blue"  # numbers above 0
NEGATIVE: Colour = "orange"  # numbers below 0
WEIGHT: Colour = "green"  # attention weights
GONE, COME = "red", "green"  # a line of code that goes, and one that comes
INK: Colour = "gray"  # words, rules and paths in a chart
ON_PALE = "black"  # words on the theme's pale categorical colours, which are the same in light and dark

COLOURS: tuple[Colour, ...] = ("blue", "orange", "green", "violet")  # of series, in their order
LINES: tuple[Line, ...] = ("solid", "dashed", "dotted", "double")


class Mark(NamedTuple):
    """What a series is told apart by: a colour and, where colours are not seen, a kind of line."""

    colour: Colour
    line: Line


SERIES = tuple(map(Mark, COLOURS, LINES))
# Of eight heads no two have the same mark; the ninth has that of the first.
HEADS = tuple(Mark(COLOURS[i % 4], LINES[(i + i // 4) % 4]) for i in range(8))


def value_of(colour: Colour, theme: Theme) -> str:
    """Return the value of a colour in hexadecimal digits, for where a name will not do."""
    return st.get_option(f"theme.{theme}.{colour}Color")
