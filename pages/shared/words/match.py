"""A sentence about the feature that makes a token attend to another token."""

from __future__ import annotations

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.examples import Example
from pages.shared.notation.numbers import format_as_shown
from pages.shared.words import TEXTS


def best_match(example: Example, trace: SelfAttentionTrace, i: int, decimals: int) -> str:
    """Return a sentence that names the feature that contributes most to the greatest score of the token with index `i`.

    If all scores are 0, the sentence says so. Return "" if features have no names, or if no feature contributes.
    """
    if not (example.names.q and example.names.k):
        return ""
    scores, asks = trace.scores[i], example.tokens[i]
    if not scores.any():
        return TEXTS.fill("all_scores_are_zero", decimals, asks=asks, share=1 / len(scores))
    j = int(np.argmax(scores))
    terms = trace.q[i] * trace.k[j]
    d = int(np.argmax(terms))
    if terms[d] <= 0:
        return ""
    product, score = (format_as_shown(float(value), decimals) for value in (terms[d], scores[j]))
    return TEXTS.fill(
        "best_match" if product == score else "best_match_of_several_features", decimals,
        asks=asks, asks_feature=example.names.q[d], q=trace.q[i, d], answers=example.key_tokens[j],
        answers_feature=example.names.k[d], k=trace.k[j, d], product=product, score=score,
    )  # fmt: skip
