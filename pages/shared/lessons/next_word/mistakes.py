"""The mistakes in drawing a word and in using a cache: their switches, and how each mistake changes the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from attention_core.mistakes.next_word import (
    CACHE_MISTAKES,
    SAMPLING_MISTAKES,
    CacheMistake,
    SamplingMistake,
    correct_step,
)
from attention_core.sampling import SampleTrace
from pages.shared.controls import switches
from pages.shared.mistake_switch import source_of
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import code_html, typeset
from pages.shared.notation.tables import markdown_table
from pages.shared.small_model.state import Writing
from pages.shared.state.places import reserve_container

ROUNDING = 1e-9  # numbers that differ by less count as equal


def sampling_switches() -> Any:
    """Declare the control that switches on a mistake in the random choice of a word."""
    return switches("Switch a mistake on", {mistake.name: mistake.title for mistake in SAMPLING_MISTAKES})


def cache_switches() -> Any:
    """Declare the control that switches on a mistake in using a cache."""
    return switches("Switch a mistake on", {mistake.name: mistake.title for mistake in CACHE_MISTAKES})


def sampling_mistake(name: str) -> SamplingMistake | None:
    """Return the mistake with this name in the random choice of a word, or None if there is none."""
    return next((mistake for mistake in SAMPLING_MISTAKES if mistake.name == name), None)


def cache_mistake(name: str) -> CacheMistake | None:
    """Return the mistake with this name in the use of a cache, or None if there is none."""
    return next((mistake for mistake in CACHE_MISTAKES if mistake.name == name), None)


def draw_sampling_mistake(mistake: SamplingMistake | None, drawing: SampleTrace, decimals: int) -> None:
    """Draw a text that explains a mistake in the random choice of a word, and says how wrong the probabilities are.

    If `mistake` is None, draw nothing. `drawing` has the correct choice of a word, step by step.
    """
    with reserve_container("drawn_wrongly"):
        if mistake is None:
            return
        wrong = mistake.chances(drawing)
        off = float(np.abs(wrong - drawing.probabilities).max())
        if off < ROUNDING:
            verdict = f"Here it changes **nothing**. {mistake.needs}".rstrip()
        else:
            verdict = f"A probability is off by up to **{format_as_shown(off, decimals)}**; together they are "
            verdict += f"{format_as_shown(float(wrong.sum()), decimals)}."
        _draw_mistake(mistake, verdict)


def draw_cache_mistake(mistake: CacheMistake | None, writing: Writing, decimals: int) -> None:
    """Draw a text that explains a mistake in the use of a cache, and the correct and wrong weights of the last word.

    If `mistake` is None, draw nothing.
    """
    with reserve_container("cached_wrongly"):
        if mistake is None:
            return
        q, k, v = writing.trace.head.q, writing.trace.head.k, writing.trace.head.v
        right, wrong = correct_step(q, k, v, positions=mistake.positions), mistake.step(q, k, v)
        off = float(np.abs(right.output - wrong.output).max())
        rotated = " Queries and keys are rotated by their positions here, in both rows." if mistake.positions else ""
        verdict = (
            f"The output of “{writing.trace.tokens[-1]}” is off by up to **{format_as_shown(off, decimals)}**.{rotated}"
        )
        _draw_mistake(mistake, verdict)
        weights = {"right": right.weights[0], "with the mistake": wrong.weights[0]}
        st.markdown(_weights_table(writing.trace.tokens, weights, decimals))


def _draw_mistake(mistake: SamplingMistake | CacheMistake, verdict: str) -> None:
    st.markdown(f"**{mistake.title}.** {typeset(mistake.why)} {verdict}")
    st.html(code_html(mistake.code))
    if mistake.sources:
        st.caption("Seen in: " + ", ".join(map(source_of, mistake.sources)))


def _weights_table(tokens: Sequence[str], weights: Mapping[str, np.ndarray], decimals: int) -> str:
    rows = [(name, *(format_as_shown(float(each), decimals) for each in row)) for name, row in weights.items()]
    return markdown_table(("weights of the last word", *tokens), rows)
