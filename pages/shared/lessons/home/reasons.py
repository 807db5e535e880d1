"""Explanations: what reading word by word costs, and what a word gains by attending to all other words."""

from __future__ import annotations

import numpy as np

from attention_core.examples import Example


def why_attention(example: Example, weights: np.ndarray, i: int) -> str:
    """Return a text that compares attention with reading word by word, for the token with index `i`.

    The text says how many steps away the most attended token is. With two texts, it says that a network without
    attention would pack the whole other text into one vector.
    """
    asks = f"“{example.tokens[i]}”"
    return f"{_far_text(example, asks, weights, i) if example.context is None else _two_texts(example, asks)} {AT_ONCE}"


AT_ONCE = (
    "And no word has to wait for the word before it: a computer computes all words at the same time, as products of "
    "matrices."
)


def _far_text(example: Example, asks: str, weights: np.ndarray, i: int) -> str:
    others = np.where(np.arange(len(weights)) == i, -1.0, weights[i])
    j = int(others.argmax())
    steps = abs(i - j)
    between = "one step" if steps == 1 else f"**{steps} steps**"
    first, last = example.tokens[min(i, j)], example.tokens[max(i, j)]
    return (
        "**Why not read word by word?** An older kind of network, a *recurrent* one, does so. It keeps everything in "
        f"one vector, and changes this vector at every word. So information gets from “{first}” to “{last}” in "
        f"{between}, and is mixed with other words on the way. With attention, {asks} attends to every word directly: "
        "**one step, even between words that are far apart**."
    )


def _two_texts(example: Example, asks: str) -> str:
    return (
        "**Why not sum up the other text first?** An older kind of network, a *recurrent* one, reads it word by word "
        f"into one vector of fixed length, and passes on only this vector. With attention, {asks} attends to each of "
        f"the **{len(example.key_tokens)}** words directly: **one step, however long the text**."
    )
