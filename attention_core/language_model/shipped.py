"""Real heads that are shipped: a dozen texts as the model reads them, so that nobody needs the model to look at them.

Of each text: its tokens, who attends to whom in all heads in steps of 1/255, the queries, keys and values of some heads
in half precision, how long the residual vectors are, and the next tokens that the model expects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from attention_core.caching import read_only
from attention_core.checks import Array
from attention_core.language_model.answer import Answer
from attention_core.language_model.roles import Head

FILE = Path(__file__).with_name("shipped.npz")
STEPS = 255  # of a weight, in a map
HEADS = tuple(
    Head(*each)
    for each in ((8, 4), (9, 2), (9, 4), (12, 3), (14, 3), (15, 7), (16, 0), (17, 4), (18, 6), (18, 8), (23, 4))
)
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
class Shipped:
    """A text as the model reads it."""

    tokens: tuple[int, ...]
    pieces: tuple[str, ...]  # what each token stands for
    maps: NDArray[np.uint8]  # (n_layers, n_heads, n, n) weights, as so many of 255
    q: Mapping[Head, Array]  # (n, d_k) of the heads that are shipped, turned by their places
    k: Mapping[Head, Array]
    v: Mapping[Head, Array]
    norms: Array  # (n_layers, n) how long the residual vector of each token is as it comes into each layer
    value_norms: Array  # (n_layers, n_kv_heads, n) how long its values are
    nexts: tuple[str, ...]  # what the model expects to come next, the likeliest first
    shares: Array  # their probabilities


def as_maps(weights: Array) -> NDArray[np.uint8]:
    """Return weights as so many of 255."""
    return np.rint(weights * STEPS).astype(np.uint8)


def arrays_of(answer: Answer, pieces: Sequence[str], nexts: Sequence[str]) -> dict[str, NDArray[np.generic]]:
    """Return what is shipped of an answer for which the weights and all layers were kept, by its name in the file."""
    if answer.weights is None:
        raise ValueError("an answer must have its weights to be shipped; got none: ask with weights=True.")
    layers = [answer.layers[number] for number in range(len(answer.weights))]
    group = len(layers[0].q) // len(layers[0].k)
    of_heads = {
        "q": [layers[layer].q[head] for layer, head in HEADS],
        "k": [layers[layer].k[head // group] for layer, head in HEADS],
        "v": [layers[layer].v[head // group] for layer, head in HEADS],
    }
    return {
        "tokens": np.array(answer.tokens), "pieces": np.array(pieces), "maps": as_maps(answer.weights),
        **{name: np.array(each, dtype=np.float16) for name, each in of_heads.items()},
        "norms": np.array([layer.norms for layer in layers], dtype=np.float32),
        "value_norms": np.linalg.norm([layer.v for layer in layers], axis=-1).astype(np.float32),
        "nexts": np.array(nexts), "shares": answer.shares[-1].astype(np.float32),
    }  # fmt: skip


@cache
def shipped(name: str) -> Shipped:
    """Return a text as the model reads it.

    Raises: KeyError if no text of this name is shipped.
    """
    with np.load(FILE) as file:
        kept = {key.partition("/")[2]: file[key] for key in file.files if key.startswith(f"{name}/")}
    of_heads = {each: dict(zip(HEADS, kept[each].astype(np.float64), strict=True)) for each in "qkv"}
    return read_only(
        Shipped(
            tokens=tuple(kept["tokens"].tolist()), pieces=tuple(kept["pieces"].tolist()), maps=kept["maps"],
            q=of_heads["q"], k=of_heads["k"], v=of_heads["v"], norms=kept["norms"], value_norms=kept["value_norms"],
            nexts=tuple(kept["nexts"].tolist()), shares=kept["shares"].astype(np.float64),
        )
    )  # fmt: skip
