"""Mistakes with a cache of keys and values: the mask or the position of a new token is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_core.attention import AttentionTrace
from attention_core.checks import Array
from attention_core.key_value_cache import KeyValueCache
from attention_core.masks import causal_mask
from attention_core.positions import rope


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheMistake:
    """One usual mistake with a cache of keys and values. It changes the attention of the last token."""

    name: str
    title: str
    code: str
    why: str
    sources: tuple[str, ...]
    positions: bool  # whether the mistake shows only if queries and keys are rotated by their positions
    step: Callable[[Array, Array, Array], AttentionTrace]  # (q, k, v) of all tokens (n, d) → last token's attention


def mask_at_the_wrong_end(q: Array, k: Array, v: Array) -> AttentionTrace:
    """Compute the attention of the last token with a causal mask of one row that begins at the first key.

    Wrong: the new token is the last one. But the mask treats it as the first one, so it attends only to the first key.
    Source: pytorch/pytorch#103082, pytorch/pytorch#108108, Dao-AILab/flash-attention#517.

    >>> q = k = v = np.array([[1.0], [2.0], [3.0]])
    >>> mask_at_the_wrong_end(q, k, v).weights
    array([[1., 0., 0.]])
    """
    return KeyValueCache(k, v).attend(q[-1:], mask=causal_mask(1, len(k)))


def positions_from_0_again(q: Array, k: Array, v: Array) -> AttentionTrace:
    """Compute the attention of the last token, but rotate its query and its key as if this token had position 0.

    Wrong: the scores of a rotated query and key depend on their distance, and this distance is now wrong.
    Source: huggingface/transformers#32554, huggingface/transformers#37403.
    """
    places = np.arange(len(k))
    old = KeyValueCache(rope(k[:-1], places[:-1]), v[:-1])
    return old.extended(rope(k[-1:], places[:1]), v[-1:]).attend(rope(q[-1:], places[:1]))


def correct_step(q: Array, k: Array, v: Array, *, positions: bool) -> AttentionTrace:
    """Compute the attention of the last token correctly, with a cache of the keys and values before it.

    With `positions`, rotate q and k by their positions.

    Shapes: q and k (n, d_k), with an even d_k if they are rotated, v (n, d_v) → output (1, d_v).

    >>> q, k, v = np.zeros((2, 2)), np.zeros((2, 2)), np.array([[2.0], [4.0]])
    >>> correct_step(q, k, v, positions=True).output
    array([[3.]])
    """
    places = np.arange(len(k))
    if positions:
        q, k = rope(q, places), rope(k, places)
    return KeyValueCache(k[:-1], v[:-1]).extended(k[-1:], v[-1:]).attend(q[-1:])


CACHE_MISTAKES: tuple[CacheMistake, ...] = (
    CacheMistake(
        name="mask_at_the_wrong_end",
        title="The mask aligned at the first key",
        code="mask = np.tri(1, n, dtype=bool)            # right: np.tri(1, n, k=n - 1, dtype=bool)",
        why="A mask of one row and n columns can begin at the first key or end at the last one. The new word is the "
        "last one. Aligned at the first key, the mask lets it attend to the first word alone.",
        sources=("pytorch/pytorch#103082", "Dao-AILab/flash-attention#517"),
        positions=False,
        step=mask_at_the_wrong_end,
    ),
    CacheMistake(
        name="positions_from_0_again",
        title="Positions that start again at 0",
        code="positions = np.arange(1)                   # right: np.arange(n - 1, n)",
        why="The new word is computed alone, so its position is easily counted from 0. Rotated as the first word, it "
        "stands at a wrong distance from all others.",
        sources=("huggingface/transformers#32554", "huggingface/transformers#37403"),
        positions=True,
        step=positions_from_0_again,
    ),
)
