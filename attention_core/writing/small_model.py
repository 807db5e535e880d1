"""A small language model: one head of attention, and a vocabulary whose rows are compared with the rows of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.attention import SelfAttentionTrace, self_attention
from attention_core.checks import Array
from attention_core.feed_forward import FeedForwardTrace, feed_forward
from attention_core.masks import causal_mask
from attention_core.projection import project
from attention_core.residual import residual
from attention_core.sampling import SampleTrace, sample
from attention_core.softmax import softmax
from attention_core.unembedding import unembed


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SmallModel:
    """The matrices of a small language model. They are made by hand. The matrices of a real model are learned."""

    tokens: tuple[str, ...]  # the tokens that the model can read: a label for each row of the table
    words: tuple[str, ...]  # the words that it can write, which are also tokens: a label for each row of the vocabulary
    table: Array  # (n_tokens, d_model) the row of each token
    w_q: Array  # (d_model, d_k)
    w_k: Array  # (d_model, d_k)
    w_v: Array  # (d_model, d_v)
    w_o: Array  # (d_v, d_model)
    vocabulary: Array  # (n_words, d_model)
    w_up: Array  # (d_model, d_hidden)
    w_down: Array  # (d_hidden, d_model)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NextWordTrace:
    """Every step from tokens to the probabilities of the next word. There is one row for each token."""

    tokens: tuple[str, ...]
    head: SelfAttentionTrace
    mixed: Array  # (n, d_model) the rows that attention adds; 0 if attention is switched off
    summed: Array  # (n, d_model) x + mixed
    vocabulary: Array  # (n_words, d_model)
    logits: Array  # (n, n_words)
    chances: Array  # (n, n_words) the softmax of each row of logits


def next_word(
    model: SmallModel, tokens: Sequence[str], *, attends: bool = True, mask: ArrayLike | None = None
) -> NextWordTrace:
    """Let a small model read tokens, and predict the next word after each token.

    summed = x + softmax(q kᵀ / √d_k, causal) v w_o; logits = summed vocabularyᵀ; chances = softmax(logits)

    Shapes: n tokens → chances (n, n_words). If `attends` is false, nothing is added. `mask` replaces the causal mask.
    Raises: ValueError if the model does not have a token, or the shapes of two multiplied matrices do not fit.
    Source: Elhage et al. 2021, “A Mathematical Framework for Transformer Circuits”; Vaswani et al. 2017, section 3.4.

    >>> from attention_core.writing.story_model import beginning, story_model
    >>> trace = next_word(story_model(), beginning("drank"))
    >>> story_model().words[trace.chances[-1].argmax()]
    'milk'
    """
    x = model.table[_token_numbers(model.tokens, tokens)]
    mask = causal_mask(len(x)) if mask is None else mask
    head = self_attention(x, model.w_q, model.w_k, model.w_v, mask=mask)
    mixed = project(head.output, model.w_o)
    summed = residual(x, mixed if attends else np.zeros_like(mixed))
    logits = unembed(summed, model.vocabulary)
    return NextWordTrace(
        tokens=tuple(tokens), head=head, mixed=summed - x if attends else np.zeros_like(mixed), summed=summed,
        vocabulary=model.vocabulary, logits=logits, chances=softmax(logits),
    )  # fmt: skip


def feed_forward_trace(model: SmallModel, trace: NextWordTrace) -> FeedForwardTrace:
    """Return the trace of a small model's feed-forward network, which works on each row after attention."""
    return feed_forward(trace.summed, model.w_up, model.w_down)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The settings for drawing a word: temperature, top-k, top-p and seed."""

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0


def draw_word(drawing: Drawing, logits: Array, place: int) -> SampleTrace:
    """Draw one word with the softmax of its logits as probabilities.

    `place` is the number of words that were drawn before. The seed and `place` together determine the draw.

    Shapes: logits (n_words,).
    Raises: ValueError for the same reasons as `sample`.
    """
    return sample(
        logits, temperature=drawing.temperature, top_k=drawing.top_k, top_p=drawing.top_p, seed=(drawing.seed, place)
    )


def write_on(
    model: SmallModel, tokens: Sequence[str], n: int, drawing: Drawing, *, attends: bool = True, end: str = "."
) -> tuple[str, ...]:
    """Draw n words one after another, append them to the tokens, and return all tokens. Stop after the word `end`.

    >>> from attention_core.writing.story_model import beginning, story_model
    >>> write_on(story_model(), beginning("drank"), 1, Drawing(top_k=1))
    ('The', 'cat', 'drank', 'the', 'milk')
    """
    found = tuple(tokens)
    for place in range(n):
        if found[-1] == end:
            break
        trace = draw_word(drawing, next_word(model, found, attends=attends).logits[-1], place)
        found = (*found, model.words[int(trace.drawn)])
    return found


def _token_numbers(labels: tuple[str, ...], tokens: Sequence[str]) -> NDArray[np.integer[Any]]:
    """Return the number of each token in `labels`."""
    strange = [token for token in tokens if token not in labels]
    if strange or not tokens:
        raise ValueError(
            f"tokens must be one or more of {', '.join(labels)}; got {', '.join(strange) or 'none'}: choose of these."
        )
    return np.array([labels.index(token) for token in tokens])
