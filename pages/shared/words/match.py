"""A sentence about the feature that makes a token attend to another token."""

from __future__ import annotations

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.examples import Example
from pages.shared.notation.numbers import format_as_shown


def best_match(example: Example, trace: SelfAttentionTrace, i: int, decimals: int) -> str:
    """Return a sentence that names the feature that contributes most to the greatest score of the token with index `i`.

    If all scores are 0, the sentence says so. Return "" if features have no names, or if no feature contributes.
    """
    if not (example.names.q and example.names.k):
        return ""
    scores, asks = trace.scores[i], f"“{example.tokens[i]}”"
    if not scores.any():
        share = format_as_shown(1 / len(scores), decimals)
        return f"All scores of {asks} are 0, so it attends to all tokens alike, with **{share}**."
    j = int(np.argmax(scores))
    terms = trace.q[i] * trace.k[j]
    d = int(np.argmax(terms))
    return _match_text(example, asks, (i, j, d), trace, decimals) if terms[d] > 0 else ""


def _match_text(example, asks, place, trace, decimals):
    i, j, d = place
    q, k, score = (format_as_shown(float(n), decimals) for n in (trace.q[i, d], trace.k[j, d], trace.scores[i, j]))
    product = format_as_shown(float(trace.q[i, d] * trace.k[j, d]), decimals)
    whole = "" if product == score else f" of its score of {score}"
    return (
        f"{asks} {example.names.q[d]} ({q}), and “{example.key_tokens[j]}” {example.names.k[d]} ({k}): "
        f"{q} · {k} = **{product}**{whole}. No other word has a higher score for {asks}."
    )
