"""Mistakes of masks that the diagnosis names: a mask is forgotten, transposed, off by one, or added as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.mistakes.engine.mistake import Mistake, has_mask
from attention_core.mistakes.engine.named_traces import inner_of


def is_causal(trace: Any) -> bool:
    """Say whether the mask lets each token attend to itself and to the tokens before it, and to no other."""
    hidden = np.isneginf(inner_of(trace).masked)
    n_q, n_k = hidden.shape[-2:]
    return n_q > 1 and np.array_equal(hidden, np.broadcast_to(~np.tri(n_q, n_k, dtype=bool), hidden.shape))


MASKING_MISTAKES: tuple[Mistake[Any], ...] = (
    Mistake(
        name="mask_forgotten",
        concept="attention",
        stage="masked",
        title="Mask forgotten",
        code="masked = scaled",
        why="Every token attends to all tokens, also to those that the mask should hide.",
        needs="It takes a mask.",
        shows=has_mask,
    ),
    Mistake(
        name="mask_transposed",
        concept="attention",
        stage="masked",
        title="Mask transposed",
        code="masked = np.where(allowed.T, scaled, -np.inf)",
        why="A row of the mask belongs to a query, a column to a key. Transposed, a causal mask hides the earlier "
        "tokens instead of the later ones. A transposed padding mask hides all keys from the filler, and the filler "
        "from none.",
        needs="It takes a mask.",
        shows=has_mask,
    ),
    Mistake(
        name="mask_transposed_with_a_billion",
        concept="attention",
        stage="masked",
        title="Mask transposed, with −10⁹ in place of −∞",
        code="masked = np.where(allowed.T, scaled, -1e9)",
        why="A row of the mask belongs to a query, a column to a key. A row that is hidden whole is all −10⁹, and its "
        "softmax is even.",
        needs="It takes a mask.",
        shows=has_mask,
        rank="rare",
    ),
    Mistake(
        name="mask_inverted_with_a_billion",
        concept="attention",
        stage="masked",
        title="Mask inverted, with −10⁹ in place of −∞",
        code="masked = np.where(allowed, -1e9, scaled)",
        why="You hid what may be seen. A row that is hidden whole is all −10⁹, and its softmax is even.",
        needs="It takes a mask.",
        shows=has_mask,
        rank="rare",
    ),
    Mistake(
        name="mask_inverted_to_nan",
        concept="attention",
        stage="masked",
        title="Mask inverted, and a row of only −∞",
        code="""\
masked = np.where(allowed, -np.inf, scaled)
weights = np.exp(masked) / np.exp(masked).sum(axis=-1, keepdims=True)""",
        why="You hid what may be seen. Where nothing is left of a row, 0 is divided by 0: no number.",
        needs="It takes a mask.",
        shows=has_mask,
        rank="rare",
    ),
    Mistake(
        name="mask_without_self",
        concept="attention",
        stage="masked",
        title="Causal mask without the token itself",
        code="masked = np.where(np.tri(len(x), len(context), -1, dtype=bool), scaled, -np.inf)",
        why="A token may attend to itself and to earlier tokens. Without itself, no token is left for the first one.",
        needs="It takes a causal mask.",
        shows=is_causal,
    ),
    Mistake(
        name="mask_without_self_with_a_billion",
        concept="attention",
        stage="masked",
        title="Causal mask without the token itself, with −10⁹ in place of −∞",
        code="masked = np.where(np.tri(len(x), len(context), -1, dtype=bool), scaled, -1e9)",
        why="A token may see itself and what came before. Without itself, the first row is all −10⁹, and its softmax "
        "is even: the first token sees everything.",
        needs="It takes a causal mask.",
        shows=is_causal,
        rank="rare",
    ),
    Mistake(
        name="mask_without_self_to_nan",
        concept="attention",
        stage="masked",
        title="Causal mask without the token itself, and a row of only −∞",
        code="""\
masked = np.where(np.tri(len(x), len(context), -1, dtype=bool), scaled, -np.inf)
weights = np.exp(masked) / np.exp(masked).sum(axis=-1, keepdims=True)""",
        why="A token may see itself and what came before. Without itself, nothing is left of the first row, and 0 is "
        "divided by 0: no number.",
        needs="It takes a causal mask.",
        shows=is_causal,
        rank="rare",
    ),
    Mistake(
        name="mask_one_ahead",
        concept="attention",
        stage="masked",
        title="Causal mask that lets the next token through",
        code="masked = np.where(np.tri(len(x), len(context), 1, dtype=bool), scaled, -np.inf)",
        why="The diagonal is off by one: each token sees the one after it, which it should predict.",
        needs="It takes a causal mask.",
        shows=is_causal,
    ),
    Mistake(
        name="mask_added_as_ones",
        concept="attention",
        stage="masked",
        title="Boolean mask added to the scores",
        code="masked = scaled + allowed",
        why="True counts as 1: what may be seen gets 1 more, and nothing is hidden. Put −∞ where it is false.",
        needs="It takes a mask.",
        shows=has_mask,
    ),
    Mistake(
        name="forbidden_added_as_ones",
        concept="attention",
        stage="masked",
        title="Ones added where the mask forbids",
        code="masked = scaled + (1 - allowed)",
        why="What should be hidden gets 1 more. Add −∞ there, or put it there.",
        needs="It takes a mask.",
        shows=has_mask,
        rank="rare",
    ),
    Mistake(
        name="mask_times_infinity",
        concept="attention",
        stage="masked",
        title="(1 − mask) · (−∞)",
        code="""\
masked = scaled + (1 - allowed) * -np.inf
weights = np.exp(masked) / np.exp(masked).sum(axis=-1, keepdims=True)""",
        why="Where the mask allows, 0 is multiplied by −∞, and that is no number: every row is lost. Choose with "
        "np.where.",
        needs="It takes a mask.",
        shows=has_mask,
    ),
)
