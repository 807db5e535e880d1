"""Reasons: what reading word by word costs, and what a word gains if it can attend to all others."""

from __future__ import annotations

import numpy as np

from attention_core.examples import Example


def why_attention(example: Example, weights: np.ndarray, i: int) -> str:
    """Say how far token i is from the token that it takes most from, and what that would mean without attention."""
    asks = f"“{example.tokens[i]}”"
    return f"{_far(example, asks, weights, i) if example.context is None else _two_texts(example, asks)} {AT_ONCE}"


AT_ONCE = "And no word waits for the one before it: all of them ask at once, which is a product of matrices."


def _far(example: Example, asks: str, weights: np.ndarray, i: int) -> str:
    others = np.where(np.arange(len(weights)) == i, -1.0, weights[i])
    j = int(others.argmax())
    steps = abs(i - j)
    between = "one step" if steps == 1 else f"**{steps} steps**"
    first, last = example.tokens[min(i, j)], example.tokens[max(i, j)]
    return (
        "**Why not read word by word?** A network that does, a *recurrent* one, carries all that it has read in one "
        f"vector of fixed length, and changes it at every word. So “{first}” reaches “{last}” after {between}, mixed "
        f"with all that came before. With attention {asks} asks every word itself: **one step, however far**."
    )


def _two_texts(example: Example, asks: str) -> str:
    return (
        "**Why not hand the text over as a whole?** A *recurrent* network reads it word by word into one vector of "
        f"fixed length, and the other text gets that vector alone. With attention {asks} asks each of the "
        f"**{len(example.key_tokens)}** words itself: **one step, however long the text**."
    )
