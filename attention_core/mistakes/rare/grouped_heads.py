"""Mistakes with grouped heads: several query heads share one head of keys and values."""

from __future__ import annotations

from typing import Any

from attention_core.mistakes.rare.entry import RareMistakes
from attention_core.mistakes.rare.heads import mistake_of_heads

GROUPS = (
    "Neighbouring query heads share one head of keys and values. So repeat each head several times in a row "
    "(np.repeat), and not the whole list of heads (np.tile)."
)
SUMMED = "Each query head has its own scores, although it shares its keys with other heads. Do not add the queries."
NEEDS = "It takes an even number of heads, four at least."
_TILED = "np.concatenate([split({m})[:: n_heads // 2]] * (n_heads // 2))"


def has_groups(trace: Any) -> bool:
    """Return whether each head of a trace has its own keys, and the number of heads is even and at least 4.

    Such heads can form two or more groups of equal size.
    """
    return trace.n_kv_heads == trace.n_heads >= 4 and trace.n_heads % 2 == 0


def wrong_grouped_heads() -> RareMistakes:
    """Return the mistakes in which heads share keys and values, although each head should have its own."""
    both = f"k_heads, v_heads = ({_TILED.format(m='m')} for m in (k, v))"
    rows = (
        ("kv_tiled", "The heads of keys and values are repeated in turn (tile), not one by one", both, GROUPS),
        ("k_tiled", "The heads of keys are repeated in turn (tile), not one by one",
            f"k_heads = {_TILED.format(m='k')}", GROUPS),
        ("v_tiled", "The heads of values are repeated in turn (tile), not one by one",
            f"v_heads = {_TILED.format(m='v')}", GROUPS),
        ("queries_summed_in_pairs", "The queries of two heads that share their keys are added",
            "q_heads = np.repeat(split(q)[::2] + split(q)[1::2], 2, axis=0)", SUMMED),
        ("queries_summed_in_groups", "The queries of all heads that share their keys are added",
            "q_heads = np.repeat(split(q).reshape(2, -1, *split(q).shape[1:]).sum(axis=1), n_heads // 2, axis=0)",
            SUMMED),
    )  # fmt: skip
    return tuple(
        mistake_of_heads("heads", f"heads_{name}", title, code, why, shows=has_groups, needs=NEEDS)
        for name, title, code, why in rows
    )
