"""Mistakes with a fused projection: one product gives Q, K and V together, and is then cut in the wrong order."""

from __future__ import annotations

from typing import Any

from attention_core.mistakes.rare.entry import RareMistakes
from attention_core.mistakes.rare.heads import mistake_of_heads
from attention_core.mistakes.without_switch.heads import has_more_than_one_head

BLOCKS = (
    "This fused projection has all columns of Q, then all of K, then all of V. Cut it into these three first, and then "
    "each of them into heads."
)
BY_HEADS = (
    "This fused projection has the columns of Q, K and V of the first head, then those of the second. Cut it into "
    "heads first, and then each head into three."
)
NEEDS = "It takes several heads whose queries, keys and values are equally wide, and keys of the same tokens."
_CUT_BY_HEADS = (
    "fused = np.concatenate([q, k, v], axis=1).reshape(len(q), n_heads, -1)\n"
    "q_heads, k_heads, v_heads = np.split(fused.swapaxes(0, 1), 3, axis=-1)"
)
_CUT_IN_THREE = (
    "fused = np.concatenate([split(q), split(k), split(v)], axis=-1).swapaxes(0, 1).reshape(len(q), -1)\n"
    "q_heads, k_heads, v_heads = (split(m) for m in np.split(fused, 3, axis=1))"
)


def may_be_fused(trace: Any) -> bool:
    """Return whether one product could give Q, K and V of a trace: several heads, and Q, K and V of the same shape."""
    return has_more_than_one_head(trace) and trace.q.shape == trace.k.shape == trace.v.shape


def wrong_fused_projections() -> RareMistakes:
    """Return the mistakes in which a fused projection (one product for Q, K and V) is cut in the wrong order."""
    rows = (
        ("fused_cut_by_heads", "The fused QKV projection cut into heads before it is cut into Q, K, V", _CUT_BY_HEADS,
            BLOCKS),
        ("fused_cut_in_three", "The fused QKV projection, stored head by head, is cut into three blocks", _CUT_IN_THREE,
            BY_HEADS),
    )  # fmt: skip
    return tuple(mistake_of_heads("heads", *row, shows=may_be_fused, needs=NEEDS) for row in rows)
