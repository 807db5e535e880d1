"""The numbers of the real model's heads for a dozen texts, in a file, so that pages can show them without the model.

For each text, the file has its tokens, the weights of all heads in steps of 1/255, the queries, keys and values of some
heads in half precision, the lengths of the residual vectors, and the next tokens that the model expects.
"""

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
from attention_core.language_model.answer import Answer
from attention_core.language_model.head import Head
from attention_core.language_model.pieces import pieces_of
from attention_core.language_model.tokens import Vocabulary
from attention_core.masks import causal_mask

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
    """Return `values` rounded to half precision. The file has numbers of this precision."""
    return values.astype(np.float16).astype(np.float64)


def _single_precision(values: Array) -> Array:
    """Return `values` rounded to single precision. The model computes with this precision."""
    return np.asarray(values).astype(np.float32).astype(np.float64)
