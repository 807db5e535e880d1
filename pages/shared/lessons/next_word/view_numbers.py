"""The numbers for the views of the page: a hundred draws, the parts of a block, and the loss of a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.add_and_norm import AddAndNormTrace, add_and_norm
from attention_core.caching import cache_recent
from attention_core.feed_forward import FeedForwardTrace
from attention_core.mistakes.next_word import SamplingMistake
from attention_core.residual import residual
from attention_core.sampling import count_draws
from attention_core.softmax import softmax
from attention_core.unembedding import unembed
from attention_core.writing.loss import WordLoss, word_loss
from attention_core.writing.small_model import feed_forward_trace
from pages.shared.controls.example_kinds import LAST
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.symbols import OF_A_PAGE
from pages.shared.small_model.state import Writing

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
