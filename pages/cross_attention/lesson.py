"""Explanations: why one text attends to another, and why a word attends most to a certain word."""

from __future__ import annotations

from attention_core.attention import SelfAttentionTrace
from attention_core.examples import Example
from pages.shared.words.match import best_match

TWO_TEXTS = (
    "**A model writes a translation word by word, and each word depends on another text.** So each word that is "
    "written attends to all words of the text that is read. The encoder is the part of the model that reads; the "
    "decoder is the part of the model that writes."
)
ONE_TEXT = "**Here a text attends to itself:** its queries, keys and values all come from the same words."


def why(example: Example, trace: SelfAttentionTrace, i: int, decimals: int) -> str:
    """Return a text that says why one text attends to another, or to itself if there is no second text.

    If the features have names, the text also says why the token with index `i` attends most to another token.
    """
    texts = ONE_TEXT if example.context is None else TWO_TEXTS
    return f"{texts} {best_match(example, trace, i, decimals)}".strip()
