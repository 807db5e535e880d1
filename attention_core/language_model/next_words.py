"""The next words of a text: the likeliest words, the prediction after each layer, and the continuation of the text.

A file has these for the texts of this project, so that pages can show them without the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.caching import read_only
from attention_core.checks import Array
from attention_core.language_model.model import LanguageModel
from attention_core.language_model.pieces import pieces_of
from attention_core.language_model.writing import ReadSoFar, growth_of, read_more_tokens
from attention_core.sampling import sample
from attention_core.softmax import softmax

FILE = Path(__file__).with_name("next_words.npz")
LIKELIEST = 20  # the number of next tokens to list
GREEDY = 12  # the number of tokens that continue a text of the file, each the likeliest one


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NextWords:
    """The predictions of a model for the next token of a text, from all its layers and from only the first layers."""

    pieces: tuple[str, ...]  # the text, token by token
    likeliest: tuple[str, ...]  # (20,) the tokens that may come next, the likeliest first
    chances: Array  # (20,) their probabilities
    guesses: tuple[str, ...]  # (n_layers + 1,) the likeliest token after the embedding, and then after each layer
    guess_chances: Array  # (n_layers + 1,) the probabilities of these guesses
    of_the_last: Array  # (n_layers + 1,) the probability of the last layer's guess, after the embedding and each layer
    written: tuple[str, ...]  # the tokens that continue the text, each the likeliest one; () if none were computed


def next_words_of(model: LanguageModel, so_far: ReadSoFar, written: Sequence[int] = ()) -> NextWords:
    """Return the predictions of a model for the next token after `so_far`, the text that the model has read.

    `written` are the tokens with which the model continues the text, or () if they were not computed.
    """
    chances, words = softmax(so_far.logits), model.vocabulary
    best = np.argsort(-chances, kind="stable")[:LIKELIEST]
    growth = growth_of(model, so_far.rows)
    return read_only(
        NextWords(
            pieces=pieces_of(so_far.tokens, words),
            likeliest=pieces_of(best.tolist(), words),
            chances=chances[best].astype(np.float64),
            guesses=pieces_of(growth.best.tolist(), words),
            guess_chances=growth.chances.astype(np.float64),
            of_the_last=growth.of_the_last.astype(np.float64),
            written=pieces_of(written, words),
        )
    )


def write_greedily(model: LanguageModel, so_far: ReadSoFar, n: int = GREEDY) -> tuple[int, ...]:
    """Return the n tokens with which a model continues the text `so_far`. It takes the likeliest token each time."""
    written = list[int]()
    for _ in range(n):
        written.append(int(sample(so_far.logits, top_k=1).drawn))
        so_far = read_more_tokens(model, written[-1:], so_far)
    return tuple(written)


def as_arrays(found: NextWords) -> dict[str, NDArray[Any]]:
    """Return by name the arrays that the file stores for `found`, the next words of one text."""
    return {name: np.array(getattr(found, name)) for name in NextWords.__slots__}


@cache
def shipped_next_words(name: str) -> NextWords:
    """Return the predictions for a text of this project from the file. `name` is the name of the text.

    Raises: KeyError if the file has no text of this name.
    """
    with np.load(FILE) as file:
        kept = {field: file[f"{name}/{field}"] for field in NextWords.__slots__}
    texts = {field: tuple(each.tolist()) for field, each in kept.items() if each.dtype.kind == "U"}
    return read_only(NextWords(**(kept | texts)))  # type: ignore[arg-type]
