"""Mistakes with masks that the diagnosis names: a mask is forgotten, transposed, off by one, or added as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.mistakes.engine.mistake import Mistake, has_mask
from attention_core.mistakes.engine.named_traces import inner_of


def is_causal(trace: Any) -> bool:
    """Return whether the mask of a trace lets each token attend only to itself and to the tokens before it."""
    hidden = np.isneginf(inner_of(trace).masked)
    n_q, n_k = hidden.shape[-2:]
    return n_q > 1 and np.array_equal(hidden, np.broadcast_to(~np.tri(n_q, n_k, dtype=bool), hidden.shape))


MASKING_MISTAKES: tuple[Mistake[Any], ...] = (
    Mistake(
        name="mask_forgotten",
        concept="attention",
        stage="masked",
        title="The mask is missing",
        code="masked = scaled",
        why="Every token gets a weight for all tokens, also for those that the mask should hide.",
        needs="It takes a mask.",
        shows=has_mask,
    ),
    Mistake(
        name="mask_transposed",
        concept="attention",
        stage="masked",
        title="The mask is transposed",
        code="masked = np.where(allowed.T, scaled, -np.inf)",
        why="A row of the mask belongs to a query, and a column to a key. Rows and columns of your mask are swapped, "
        "so it hides the wrong keys.",
        needs="It takes a mask.",
        shows=has_mask,
    ),
    Mistake(
        name="mask_transposed_with_a_billion",
        concept="attention",
        stage="masked",
        title="The mask is transposed, with −10⁹ in place of −∞",
        code="masked = np.where(allowed.T, scaled, -1e9)",
        why="A row of the mask belongs to a query, and a column to a key. If every key of a row is hidden, all its "
        "scores are −10⁹, and the softmax makes all its weights equal.",
        needs="It takes a mask.",
        shows=has_mask,
        rank="rare",
    ),
    Mistake(
        name="mask_inverted_with_a_billion",
        concept="attention",
        stage="masked",
        title="The mask is inverted, with −10⁹ in place of −∞",
        code="masked = np.where(allowed, -1e9, scaled)",
        why="You hid the tokens that should be seen, with −10⁹ in place of −∞. The weights differ from those with −∞ "
        "only in a row in which every key is hidden: there −10⁹ makes all weights equal.",
        needs="It takes a mask.",
        shows=has_mask,
        rank="rare",
    ),
    Mistake(
        name="mask_inverted_to_nan",
        concept="attention",
        stage="masked",
        title="The mask is inverted, and a row has only −∞",
        code="""\
masked = np.where(allowed, -np.inf, scaled)
weights = np.exp(masked) / np.exp(masked).sum(axis=-1, keepdims=True)""",
        why="You hid the tokens that should be seen. If every key of a row is hidden, the softmax divides 0 by 0, "
        "which is NaN.",
        needs="It takes a mask.",
        shows=has_mask,
        rank="rare",
    ),
    Mistake(
        name="mask_without_self",
        concept="attention",
        stage="masked",
        title="The causal mask also hides the token itself",
        code="masked = np.where(np.tri(len(x), len(context), -1, dtype=bool), scaled, -np.inf)",
        why="A token may attend to itself and to earlier tokens. Without itself, no token is left for the first one.",
        needs="It takes a causal mask.",
        shows=is_causal,
    ),
    Mistake(
        name="mask_without_self_with_a_billion",
        concept="attention",
        stage="masked",
        title="The causal mask also hides the token itself, with −10⁹ in place of −∞",
        code="masked = np.where(np.tri(len(x), len(context), -1, dtype=bool), scaled, -1e9)",
        why="A token may attend to itself and to earlier tokens. Without itself, all scores of the first row are "
        "−10⁹. The softmax makes them equal, so the first token attends to all tokens.",
        needs="It takes a causal mask.",
        shows=is_causal,
        rank="rare",
    ),
    Mistake(
        name="mask_without_self_to_nan",
        concept="attention",
        stage="masked",
        title="The causal mask also hides the token itself, and a row has only −∞",
        code="""\
masked = np.where(np.tri(len(x), len(context), -1, dtype=bool), scaled, -np.inf)
weights = np.exp(masked) / np.exp(masked).sum(axis=-1, keepdims=True)""",
        why="A token may attend to itself and to earlier tokens. Without itself, every key of the first row is "
        "hidden, and the softmax divides 0 by 0, which is NaN.",
        needs="It takes a causal mask.",
        shows=is_causal,
        rank="rare",
    ),
    Mistake(
        name="mask_one_ahead",
        concept="attention",
        stage="masked",
        title="The causal mask also shows the next token",
        code="masked = np.where(np.tri(len(x), len(context), 1, dtype=bool), scaled, -np.inf)",
        why="The mask is shifted by one: each token attends to the next token, which it should predict.",
        needs="It takes a causal mask.",
        shows=is_causal,
    ),
    Mistake(
        name="mask_added_as_ones",
        concept="attention",
        stage="masked",
        title="The Boolean mask is added to the scores",
        code="masked = scaled + allowed",
        why="True counts as 1, so the tokens that may be seen get a score that is larger by 1, and no token is "
        "hidden. Put −∞ where the mask is False.",
        needs="It takes a mask.",
        shows=has_mask,
    ),
    Mistake(
        name="forbidden_added_as_ones",
        concept="attention",
        stage="masked",
        title="Ones are added where the mask forbids",
        code="masked = scaled + (1 - allowed)",
        why="The tokens that should be hidden get a score that is larger by 1. Put −∞ there instead.",
        needs="It takes a mask.",
        shows=has_mask,
        rank="rare",
    ),
    Mistake(
        name="mask_times_infinity",
        concept="attention",
        stage="masked",
        title="The mask is computed as (1 − mask) · (−∞)",
        code="""\
masked = scaled + (1 - allowed) * -np.inf
weights = np.exp(masked) / np.exp(masked).sum(axis=-1, keepdims=True)""",
        why="Where the mask is 1, you multiply 0 by −∞, which is NaN. So every row with such a place is NaN. Use "
        "np.where instead.",
        needs="It takes a mask.",
        shows=has_mask,
    ),
)
