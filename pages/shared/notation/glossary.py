"""The glossary of the app: one word for each thing, with its meaning, and the words that must not be used for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Word(NamedTuple):
    """The meaning of a word in the app, and expressions that the app must not use for the same meaning."""

    means: str
    never: tuple[str, ...] = ()  # regular expressions, searched in every text that a visitor reads


# A page whose prose has one of these words explains the word there, once, with this meaning.
WORDS: Mapping[str, str] = {
    "variance": "the mean squared distance from the mean",
    "standard deviation": "the root of the variance",
    "standard errors": "how far chance alone usually moves the result",
    "entropy": "how evenly shares are spread",
    "nats": "with the natural logarithm",
    "Jacobian": "how far each weight moves with each score",
    "gradient": "how fast the loss grows with a number",
    "norm": "the root of the sum of its squares",
    "logit": "the score of a word, before softmax",
    "KV cache": "the keys and values of all words so far",
    "float64": "a computer’s usual numbers, of 64 bits",
    "encoder": "the part of the model that reads",
    "decoder": "the part of the model that writes",
    "embedding": "a token’s learned numbers",
}
# Every page uses these words. The dialog “Symbols” explains them. Attention goes from the token that asks
# to the tokens that answer; information comes back from the tokens that answer to the token that asks.
EVERYWHERE: Mapping[str, Word] = {
    "token": Word("a word, or a piece of one"),
    "feature": Word("one number of a token’s row"),
    "attend to": Word(
        "a token that asks attends to the tokens that answer: it has 1 unit of attention, and shares it out among them",
        (
            r"\blooks (at|ahead|back|one|near|two|exactly)\b",
            r"\b(look(ed|ing)? ahead|looked at)\b",
            r"\b(may|can|must|should|still|nobody to|does not) (not )?look\b(?! for| like| up)",
            r"(?<!shows )\bwhere (to|it|\W?\w+\W?) looks?\b",
            r"\blistens?\b",
            r"\b(left|unit of attention|a unit|has 1|its own|\}|\*\*) to give\b",
            r"\bgiv(e|es|ing) (away )?(all of|nearly all|everything)\b",
            r"\bgives? [^.,;:]{1,30} to (each|all|one key|a single|itself|the (place|first|others|symbol|dog)|…|“|”)",
            r"\bgives? (the other|the first \w+|“[^”]*”|“[^”]*” it|it) (\*\*)?(…|\{)",
            r"\bgives (most|…|\{[^}]*\}|\*\*…\*\*) (of it|to|from)\b",
            r"\bwhom\b",
        ),
    ),
    "take": Word(
        "a token takes information from the tokens that it attends to: their values, each times its weight",
        (r"\bhand(s|ed|ing)? (\w+ )?over\b", r"\b(is|be|been|are|was) handed\b", r"\bhands back\b"),
    ),
    "query": Word(
        "what a token looks for",
        (
            r"\bseek(s|ing)?\b",
            r"\bsought\b",
            r"\bwhat (it|each token|a token) asks\b",
            r"\bneeds (somebody|something|a drink|an action|a noun|an adjective|a verb)\b",
        ),
    ),
    "key": Word("what a token can be found by", (r"\boffers?\b(?!\.)",)),
    "value": Word("what other tokens take from a token", (r"\bhas to give\b",)),
    "score": Word("one number for how well a query fits a key"),
    "softmax": Word("powers of scores, each as a share of their sum"),
    "attention weight": Word("how much a token attends to another: from 0 to 1, with a sum of 1 for each token"),
    "output": Word(
        "what a token has taken: all values, each times its weight, added",
        (
            r"\btakes? away\b",
            r"\bheads? found\b",
            r"\bwhat (\w+ )*heads? finds?\b",
            r"\bhead has found\b",
            r"\bfound for (it|…)\b",
        ),
    ),
    "mask": Word("which tokens a token must not attend to"),
    "position": Word("where a token stands in the text, counted from 0"),
    "head": Word("one of several attentions that work side by side, each with its own weights"),
    "layer": Word("all heads that work at the same time, and what follows them; a model has many"),
    "loss": Word("how wrong a guess was: minus the logarithm of the probability that it gave to the right answer"),
    "probability": Word(
        "how likely a word is to come next: from 0 to 1, and those of all words add up to 1",
        (
            r"\b(a|its|the|equal|their|these|with which) chances? (of|is|that|it|each|and|to)\b",
            r"\bchance of (\{|\*\*)",
        ),
    ),
    "mistake": Word("a wrong formula that still gives numbers", (r"\bslips?\b",)),
}


def define(word: str) -> str:
    """Return a word with its meaning in brackets.

    >>> define("nats")
    'nats (with the natural logarithm)'
    """
    return f"{word} ({WORDS[word]})"
