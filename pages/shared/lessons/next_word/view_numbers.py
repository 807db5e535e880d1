"""The numbers for the views of the next word: a hundred draws, the block of a model on the story, a word's loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.add_and_norm import AddAndNormTrace, add_and_norm
from attention_core.caching import cache_recent
from attention_core.feed_forward import FeedForwardTrace
from attention_core.mistakes.with_switch.sampling import SamplingMistake
from attention_core.residual import residual
from attention_core.sampling import draws
from attention_core.softmax import softmax
from attention_core.unembedding import unembed
from attention_core.writing.loss import WordLoss, word_loss
from attention_core.writing.small_model import feed_forward_trace
from pages.shared.controls.example_kinds import LAST
from pages.shared.lessons.next_word.state import Writing
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.symbols import OF_A_PAGE

HUNDRED = 100
BY = 0.1  # how much a number of W^Q is increased
W_Q = f"w_q{OF_A_PAGE}"


def draw_series(here: Writing, wrong: SamplingMistake | None, seed: int) -> Mapping[str, np.ndarray]:
    """Return the probabilities before and after words are left out, and how often each word comes in 100 draws."""
    after = here.drawing.probabilities
    series = {"softmax": here.trace.chances[-1], "to draw from": after}
    if wrong is not None:
        return series | {"with the mistake": wrong.chances(here.drawing)}
    return series | {"drawn, of 100": draws(after, HUNDRED, seed) / HUNDRED}


def head(here: Writing, decimals: int) -> str:
    """Say which word the last one attends to most, and what it takes from it."""
    weights, tokens = here.trace.head.weights[-1], here.trace.tokens
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
def block_of(here: Writing) -> tuple[AddAndNormTrace, FeedForwardTrace, float]:
    """Return the normalised rows, the feed-forward network, and the new probability of the word that was likeliest."""
    fed = feed_forward_trace(here.model, here.trace)
    after = softmax(unembed(residual(here.trace.summed, fed.output), here.model.vocabulary))
    best = int(here.trace.chances[-1].argmax())
    return add_and_norm(here.trace.head.x, here.trace.mixed), fed, float(after[-1, best])


def word_at(here: Writing, at: int) -> int:
    """Return the position of the new word. For −1 or a position after the end, return that of the last word."""
    return here.last if not 0 <= at <= here.last else at


def with_word_at(parameters: Any, here: Writing) -> Any:
    """Return the parameters with a position of the new word that the sentence has."""
    return parameters if parameters.at <= here.last else replace(parameters, at=LAST)


def loss_of(here: Writing, word: str, cell: tuple[str, int, int] | None) -> tuple[tuple[int, int], WordLoss]:
    """Return the number of W^Q that is changed (the selected one, or the first), and the loss of a word with it."""
    rows, columns = here.model.w_q.shape
    place = (0, 0)
    if cell and cell[0] == W_Q and cell[1] < rows and cell[2] < columns:
        place = cell[1:]
    return place, _loss(here, word, place)


@cache_recent
def _loss(here: Writing, word: str, place: tuple[int, int]) -> WordLoss:
    return word_loss(here.model, here.trace.tokens, word, by=BY, at=place)
