"""Say in a sentence what the arithmetic of each number between the rows and the next word does."""

from __future__ import annotations

from collections.abc import Mapping


def writing_sentences(asks: str, feature: int) -> Mapping[str, str]:
    """Return a sentence for each matrix of a small language model; `feature` counts the column from 1."""
    return {
        "mixed": f"feature {feature} of what attention adds to {asks}: multiply its output by column {feature} of the "
        "output weights, pair by pair, and add.",
        "logits": f"multiply the row of {asks}, with what attention added, by the row of word {feature} of the "
        "vocabulary, pair by pair, and add. The better they match, the greater.",
        "chances": f"the chance that word {feature} comes after {asks}: its power of $e$, as a share of the powers of "
        "all words.",
        "kept": f"the chance with which word {feature} is drawn: its power of $e$, as a share of the powers of the "
        "words that are kept. A word that is left out has 0.",
        "word_loss": "the logarithm of one over the chance of the word that came: 0 for a chance of 1.",
        "widened": f"multiply the row of {asks} by column {feature} of the first matrix, pair by pair, and add.",
        "bent": f"hidden unit {feature} of {asks}, if it is above 0; otherwise 0.",
        "fed": f"multiply the hidden units of {asks} by column {feature} of the second matrix, pair by pair, and add.",
        "stream": f"feature {feature} of {asks}, and what the feed-forward network found for it, added.",
    }
