"""Mistakes with shared keys and values: key heads are repeated in a wrong order, or heads are averaged or summed."""

from __future__ import annotations

from attention_core.mistakes.engine.further_pipelines import pipeline_with
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake, shows_always
from attention_core.mistakes.rare.grouped_heads import GROUPS, SUMMED

COLUMNS = (
    "You repeated single columns before you split them into heads, so each head has copies of a few columns. Repeat "
    "whole heads."
)
OWN = "Each head of keys belongs to its own group of query heads."
_TILED = "np.tile({m}.reshape(len({m}), n_kv_heads, -1).swapaxes(0, 1), (n_heads // n_kv_heads, 1, 1))"
_COLUMNS = "split(np.repeat({m}, n_heads // n_kv_heads, axis=-1))"
_GROUPED = "split(q).reshape(n_kv_heads, n_heads // n_kv_heads, len(q), -1)"
_KEYS = "k.reshape(len(k), n_kv_heads, -1).swapaxes(0, 1), v.reshape(len(v), n_kv_heads, -1).swapaxes(0, 1)"


def _line_of_kv(code: str) -> str:
    """Return one line of code that computes both `k_heads` and `v_heads`.

    `code` is the expression for one of them, with {m} in place of the name `k` or `v`.
    """
    return f"k_heads, v_heads = {code.format(m='k')}, {code.format(m='v')}"


def _code_of_mean(m: str) -> str:
    return f"{m}_heads.mean(axis=0, keepdims=True) + 0 * {m}_heads"


def _code_of_first(m: str) -> str:
    return f"{m}_heads[:1] + 0 * {m}_heads"


def wrong_shared_keys() -> RareMistakes:
    """Return the mistakes for heads that share keys and values, but share them in a wrong way."""
    rows = (
        ("tiled_kv", "The heads of keys and values are repeated in turn (tile), not one by one", _line_of_kv(_TILED),
            GROUPS),
        ("tiled_k", "The heads of keys are repeated in turn (tile), not one by one",
            f"k_heads = {_TILED.format(m='k')}", GROUPS),
        ("tiled_v", "The heads of values are repeated in turn (tile), not one by one",
            f"v_heads = {_TILED.format(m='v')}", GROUPS),
        ("columns_repeated", "The columns of keys and values are repeated, not their heads", _line_of_kv(_COLUMNS),
            COLUMNS),
        ("keys_averaged", "All heads of keys and values are averaged to one",
            f"k_heads = {_code_of_mean('k')}\nv_heads = {_code_of_mean('v')}", OWN),
        ("first_for_all", "All heads use the first head of keys and values",
            f"k_heads = {_code_of_first('k')}\nv_heads = {_code_of_first('v')}", OWN),
        ("queries_summed", "The queries of the heads that share keys are added",
            f"q_heads = np.repeat({_GROUPED}.sum(axis=1), n_heads // n_kv_heads, axis=0)", SUMMED),
        ("queries_averaged", "The queries of the heads that share keys are averaged",
            f"q_heads = np.repeat({_GROUPED}.mean(axis=1), n_heads // n_kv_heads, axis=0)", SUMMED),
        ("queries_summed_to_fewer_heads", "Queries of the heads that share keys added, so that fewer heads are left",
            f"q_heads = {_GROUPED}.sum(axis=1)\nk_heads, v_heads = {_KEYS}\noutput = concat", SUMMED),
    )  # fmt: skip
    return tuple(
        diagnosis_mistake(
            "heads", f"shared_{name}", title, code, why, concept="multi_head", shows=shows_always,
            edits=pipeline_with("none", several=True, shared=True),
        )
        for name, title, code, why in rows
    )  # fmt: skip
