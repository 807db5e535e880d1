"""Glossary: words that are not everyday, each with the words that explain it where it stands first on a page."""

from __future__ import annotations

from collections.abc import Mapping

# A page whose prose has one of these explains it there, once, in these words.
WORDS: Mapping[str, str] = {
    "variance": "the mean squared distance from the mean",
    "standard deviation": "the root of the variance",
    "standard errors": "what chance alone moves it by",
    "entropy": "how evenly shares are spread",
    "nats": "with the natural logarithm",
    "Jacobian": "how far each weight moves with each score",
    "gradient": "how fast the loss grows with a number",
    "norm": "the root of the sum of its squares",
    "logit": "the score of a word, before softmax",
    "KV cache": "the keys and values of all words so far",
    "float64": "a machine’s usual numbers, of 64 bits",
    "encoder": "what has read",
    "decoder": "what writes",
    "embedding": "a token’s learned numbers",
}
# Every page speaks of these. They are explained on demand, beside the symbols.
EVERYWHERE: Mapping[str, str] = {
    "token": "a word, or a piece of one",
    "feature": "one number of a token’s row",
    "score": "one number for how well a query fits a key",
    "softmax": "powers of scores, each as a share of their sum",
    "head": "one attention of several side by side",
    "mask": "who may not be looked at",
}


def define(word: str) -> str:
    """Return a word with what it means.

    >>> define("nats")
    'nats (with the natural logarithm)'
    """
    return f"{word} ({WORDS[word]})"
