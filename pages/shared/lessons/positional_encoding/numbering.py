"""The view that says why positions are not simply counted. It compares counting, bits and waves."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from attention_core.arithmetic.numbering_rules import numbering_rules
from attention_core.caching import cache_recent
from attention_core.experiments.numbering import (
    NumberingTrace,
    in_bits,
    number_tokens,
    position_numbers,
    step_lengths,
)
from attention_core.positions import sinusoidal
from pages.shared import charts
from pages.shared.equation import equation, selected_cell
from pages.shared.equation.position_matrices import WAYS, numbering_lines
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import escape
from pages.shared.state import widgets

FAR = 1000  # a position in a long text
GPT_2 = 1024  # the number of rows that GPT-2 learned: Radford et al. 2019, section 2.3
SMALL = 4, 16  # bits, and the positions that they can number


def numbering(parameters, example) -> None:
    """Draw what the last token attends to with each way to number positions, and a picture of bits and waves."""
    found, worked = _trace_numberings(example, float(parameters.base))
    asks = len(example.tokens) - 1
    st.markdown(
        parameters.in_layout(
            "A position must become numbers that are added to the token’s row. **Why not simply 1, 2, 3 …?** Each row "
            f"below writes the positions in another way, and shows what {_quoted(example.tokens[asks])} then attends "
            "to."
        )
    )
    equation(numbering_lines(example, worked), "numbering", parameters, tools=True)
    st.markdown(parameters.in_layout(_reasons_text(found, example, asks)))
    charts.numbering(key="numbering")
    widgets.draw(parameters, "base")
    selected_cell.hint_and_arithmetic(tuple(WAYS.values()), example.key_tokens, parameters)


@cache_recent
def _trace_numberings(example, base: float):
    found = number_tokens(example, base)
    return found, numbering_rules({way: each.trace for way, each in found.items()}, len(example.tokens) - 1)


def _reasons_text(found: dict[str, NumberingTrace], example, asks: int) -> str:
    """Return a Markdown list that says what is good or bad about each way to number positions.

    `found` has the attention with each of these ways, and `asks` is the index of the token that attends.
    """
    token = _quoted(example.tokens[asks])
    most = {way: _most_attended_text(each, asks, example.key_tokens) for way, each in found.items()}
    own, far = np.linalg.norm(example.x[asks]), np.linalg.norm(position_numbers(FAR, example.x.shape[1])[-1])
    bits, n = SMALL
    jumps, swings = step_lengths(in_bits(n, bits)), step_lengths(sinusoidal(n, 2 * bits))
    worst = int(np.argmax(jumps))
    return (
        f"- **Count.** The numbers grow without end and outweigh the word: the row of {token} has length "
        f"{_format_value(own)}, and the row of position {FAR:,} has length {_format_value(far)}. Without positions, "
        f"{token} attends most to {most['nowhere']}; with counting, to {most['counted']}. Divided by the length of the "
        "text, the numbers would stay small, but one step would be a different number in each text.\n"
        f"- **Bits.** No number is above 1 now, but bits jump: from {worst} to {worst + 1} all {bits} bits change, a "
        f"step of length {_format_value(jumps[worst])}. From {worst + 1} to {worst + 2} one bit changes, a step of "
        f"{_format_value(jumps[worst + 1])}. So some neighbours are near each other, and others are far apart.\n"
        f"- **Waves.** A wave is like a bit that changes smoothly. In the picture below, each wave is half as fast as "
        f"the wave above it, as with bits. Every step from one position to the next has the same length, "
        f"{_format_value(swings[0])}, and {token} attends most to {most['in_waves']}.\n"
        "- **Learned.** The models BERT and GPT-2 learn a row for each position, as they do for each token. That works "
        f"as well, but not for longer texts: GPT-2 has {GPT_2:,} rows, and none for the next position."
    )


def _most_attended_text(found: NumberingTrace, asks: int, keys: tuple[str, ...]) -> str:
    weights = found.trace.weights[asks]
    best = int(np.argmax(weights))
    return f"{_quoted(keys[best])} ({_format_value(weights[best])})"


def _quoted(token: str) -> str:
    """Return a token in quotation marks, without Markdown in it."""
    return f"“{escape(token)}”"


def _format_value(value: Any) -> str:
    return format_as_shown(float(value), 2)
