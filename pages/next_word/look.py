"""The views of the page: what attention brings, mistakes, and the numbers of each view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attention_core.caching import cache_recent
from attention_core.feed_forward import FeedForwardTrace
from attention_core.mistakes.next_word import (
    CACHE_MISTAKES,
    SAMPLING_MISTAKES,
    CacheMistake,
    SamplingMistake,
    correct_step,
)
from attention_core.next_word import SampleTrace, count_draws, unembed
from attention_core.normalization import AddAndNormTrace, add_and_norm, residual
from attention_core.softmax import softmax
from attention_core.writing.small_model import WordLoss, feed_forward_trace, word_loss
from pages.shared.controls import switches
from pages.shared.controls.example_kinds import LAST
from pages.shared.mistake_switch import source_of
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import code_html, markdown_table, typeset
from pages.shared.notation.symbols import OF_A_PAGE
from pages.shared.small_model.state import Writing
from pages.shared.state.widgets import reserve_container

HUNDRED = 100
BY = 0.1  # how much a number of W^Q is increased
W_Q = f"w_q{OF_A_PAGE}"


def draw_series(writing: Writing, wrong: SamplingMistake | None, seed: int) -> Mapping[str, np.ndarray]:
    """Return three lists for a chart, by label: each has one number for each word.

    The first two are the probabilities before and after words are left out. The third is how often each word comes in
    100 draws, as a share. If there is a mistake `wrong`, the third list has the probabilities with this mistake.
    """
    after = writing.drawing.probabilities
    series = {"softmax": writing.trace.chances[-1], "to draw from": after}
    if wrong is not None:
        return series | {"with the mistake": wrong.chances(writing.drawing)}
    return series | {"drawn, of 100": count_draws(after, HUNDRED, seed) / HUNDRED}


def head_text(writing: Writing, decimals: int) -> str:
    """Return a text that says which word the last word attends to most, and what it takes from that word."""
    weights, tokens = writing.trace.head.weights[-1], writing.trace.tokens
    best = int(weights.argmax())
    most = format_as_shown(float(weights[best]), decimals)
    return (
        "## What attention brings\n\nThe steps are those of the page “Attention, step by step”; only the matrices "
        "differ. The last "
        f"word, “{tokens[-1]}”, attends most to “{tokens[best]}”, with **{most}**. $W^V$ and $W^O$ decide what it "
        "takes from this word: whether something was drunk or chased. Each row of $X$ comes from a table, and depends "
        "on its token alone."
    )


@cache_recent
def block_results(writing: Writing) -> tuple[AddAndNormTrace, FeedForwardTrace, float]:
    """Return the normalised rows, the results of the feed-forward network, and the probability of one word.

    This word is the likeliest next word without the network. Its probability is that with the network. `writing` holds
    the model and the words so far.
    """
    fed = feed_forward_trace(writing.model, writing.trace)
    after = softmax(unembed(residual(writing.trace.summed, fed.output), writing.model.vocabulary))
    best = int(writing.trace.chances[-1].argmax())
    return add_and_norm(writing.trace.head.x, writing.trace.mixed), fed, float(after[-1, best])


def word_at(writing: Writing, at: int) -> int:
    """Return the position `at`, or the last position if the sentence has no word at `at`."""
    return writing.last if not 0 <= at <= writing.last else at


def with_word_at(parameters: Any, writing: Writing) -> Any:
    """Return the parameters. If the sentence has no word at the position `at`, `at` is changed to the last position."""
    return parameters if parameters.at <= writing.last else replace(parameters, at=LAST)


def loss_of(writing: Writing, word: str, cell: tuple[str, int, int] | None) -> tuple[tuple[int, int], WordLoss]:
    """Return the place (row, column) of a number in W^Q, and the loss of `word` before and after this number grows.

    `cell` is the selected cell: the id of its matrix, its row and its column. If the cell is in W^Q, its number grows.
    Otherwise the first number of W^Q grows.
    """
    rows, columns = writing.model.w_q.shape
    place = (0, 0)
    if cell and cell[0] == W_Q and cell[1] < rows and cell[2] < columns:
        place = cell[1:]
    return place, _loss(writing, word, place)


@cache_recent
def _loss(writing: Writing, word: str, place: tuple[int, int]) -> WordLoss:
    return word_loss(writing.model, writing.trace.tokens, word, by=BY, at=place)


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
