"""The numbers of the model that are shipped: readings of texts, and next words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.attention import AttentionTrace, attend
from attention_core.caching import read_only
from attention_core.checks import Array
from attention_core.language_model.answer import Answer, ReadSoFar, growth_of, read_more_tokens
from attention_core.language_model.model import Head, LanguageModel
from attention_core.language_model.tokens import Vocabulary, pieces_of
from attention_core.masks import causal_mask
from attention_core.next_word import sample
from attention_core.softmax import softmax

FILE = Path(__file__).with_name("shipped.npz")
STEPS = 255  # the stored weights are whole numbers from 0 to 255, for weights from 0 to 1
_WHICH = ((8, 4), (9, 2), (9, 4), (12, 3), (14, 3), (15, 7), (16, 0), (17, 4), (18, 6), (18, 8), (23, 4), (24, 4))
HEADS = tuple(Head(*each) for each in _WHICH)
TEXTS: Mapping[str, str] = {
    "list": " river apple stone lamp river apple stone",
    "capital": "The capital of France is",
    "capitals": "Tokyo is the capital of Japan. Paris is the capital of",
    "pronoun": "When Mary met John in the garden, she",
    "words": "The dog saw another dog",
    "kinds": "The dog saw another cat",
    "bracket": "He (the old man from Rome) smiled.",
    "quote": 'She said "good night" and left.',
    "cat": "The cat chased the mouse because it was hungry.",
    "park": "The children went to the park because the weather was",
    "days": "Monday Tuesday Wednesday Thursday",
    "code": "def add(a, b): return a +",
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReadText:
    """A text that the model has read, with the weights of all heads, and the queries, keys and values of some heads."""

    tokens: tuple[int, ...]
    pieces: tuple[str, ...]  # the text of each token
    maps: NDArray[np.uint8]  # (n_layers, n_heads, n, n) weights times 255, rounded
    q: Mapping[Head, Array]  # (n, d_k) rotated by their positions
    k: Mapping[Head, Array]
    v: Mapping[Head, Array]
    norms: Array  # (n_layers, n) the length of each token's residual vector at the input of each layer
    value_norms: Array  # (n_layers, n_kv_heads, n) the length of each token's values
    nexts: tuple[str, ...]  # the tokens that the model expects next, the likeliest first
    scores: Array  # the scores of these next tokens
    total: Array  # () ln Σ e^score over all tokens of the vocabulary

    @property
    def probabilities(self) -> Array:
        """The probabilities of the next tokens: e^(score − total), the softmax of the scores over the vocabulary."""
        return np.exp(self.scores - self.total)

    def attention(self, head: Head) -> AttentionTrace:
        """Compute the attention of a head from its stored queries, keys and values.

        Raises: KeyError if the queries, keys and values of this head are not stored.
        """
        return attend(self.q[head], self.k[head], self.v[head], mask=causal_mask(len(self.tokens)))


def read_text(answer: Answer, vocabulary: Vocabulary, heads: Sequence[Head]) -> ReadText:
    """Return the numbers of an answer that pages show: the weights of all heads, and q, k and v of `heads`.

    Raises: ValueError if the answer does not have the weights and all layers.
    """
    if answer.weights is None or len(answer.layers) < len(answer.weights):
        raise ValueError("an answer must have its weights and layers to be looked at; got one without: ask for them.")
    layers = [answer.layers[number] for number in range(len(answer.weights))]
    group = len(layers[0].q) // len(layers[0].k)
    return read_only(
        ReadText(
            tokens=answer.tokens,
            pieces=pieces_of(answer.tokens, vocabulary),
            maps=np.rint(answer.weights * STEPS).astype(np.uint8),
            q={each: _half_precision(layers[each.layer].q[each.head]) for each in heads},
            k={each: _half_precision(layers[each.layer].k[each.head // group]) for each in heads},
            v={each: _half_precision(layers[each.layer].v[each.head // group]) for each in heads},
            norms=np.array([layer.norms for layer in layers], dtype=np.float32),
            value_norms=np.linalg.norm([layer.v for layer in layers], axis=-1).astype(np.float32),
            nexts=pieces_of(answer.next_tokens[-1].tolist(), vocabulary),
            scores=_single_precision(np.log(answer.probabilities[-1]) + answer.log_totals[-1]),
            total=_single_precision(answer.log_totals[-1]),
        )
    )


def as_arrays(text: ReadText) -> dict[str, NDArray[Any]]:
    """Return by name the arrays that the file stores for one text."""
    of_heads = {name: np.array([getattr(text, name)[head] for head in HEADS], dtype=np.float16) for name in "qkv"}
    plain = ("tokens", "pieces", "maps", "norms", "value_norms", "nexts", "scores", "total")
    return {name: np.array(getattr(text, name)) for name in plain} | of_heads


@cache
def shipped_reading(name: str) -> ReadText:
    """Read the tokens and the heads' numbers for the text `name`, a key of `TEXTS`, from the file of this package.

    Raises: KeyError if the file has no text of this name.
    """
    with np.load(FILE) as file:
        kept = {key.partition("/")[2]: file[key] for key in file.files if key.startswith(f"{name}/")}
    of_heads = {each: dict(zip(HEADS, kept.pop(each).astype(np.float64), strict=True)) for each in "qkv"}
    texts = {each: tuple(kept.pop(each).tolist()) for each in ("tokens", "pieces", "nexts")}
    return read_only(ReadText(**of_heads, **texts, **kept))  # type: ignore[arg-type]


def _half_precision(values: Array) -> Array:
    return values.astype(np.float16).astype(np.float64)


def _single_precision(values: Array) -> Array:
    return np.asarray(values).astype(np.float32).astype(np.float64)


FILE_OF_NEXT_WORDS = Path(__file__).with_name("next_words.npz")
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


def next_words_as_arrays(found: NextWords) -> dict[str, NDArray[Any]]:
    """Return by name the arrays that the file stores for `found`, the next words of one text."""
    return {name: np.array(getattr(found, name)) for name in NextWords.__slots__}


@cache
def shipped_next_words(name: str) -> NextWords:
    """Return the predictions for a text of this project from the file. `name` is the name of the text.

    Raises: KeyError if the file has no text of this name.
    """
    with np.load(FILE_OF_NEXT_WORDS) as file:
        kept = {field: file[f"{name}/{field}"] for field in NextWords.__slots__}
    texts = {field: tuple(each.tolist()) for field, each in kept.items() if each.dtype.kind == "U"}
    return read_only(NextWords(**(kept | texts)))  # type: ignore[arg-type]
