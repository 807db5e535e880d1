"""Mistakes in rows or columns that are hidden as a whole, or next to large scores if a finite number stands for −∞."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.mistakes.engine.mistake import has_mask
from attention_core.mistakes.engine.named_traces import inner_of
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake

GREAT = 1000.0  # a score below −GREAT is so low that −10⁴ does not hide a key next to it
NEEDS = "It takes a mask that hides every key of a row."
NEEDS_COLUMN = "It takes a mask that hides a key from every query, such as padding."
NEEDS_FILL = "It takes a mask that hides every key of a row, or scores in the thousands."
NO_NUMBER = (
    "Every key of this row is hidden, so its exponentials add up to 0, and the softmax divides 0 by 0. Most libraries "
    "give NaN then. This page gives weights of 0, because the token can attend to no key."
)
FINITE = (
    "If every key of a row is hidden, all its scores are the same finite number. Then the softmax makes its weights "
    "equal, and the token attends to all keys. Only −∞ gives a weight of exactly 0."
)
ADDED = (
    "If every key of a row is hidden, you subtract the same number from all its scores. This does not change its "
    "softmax, so no key is hidden. Only −∞ gives a weight of exactly 0."
)


def has_empty_row(trace: Any) -> bool:
    """Return whether the mask of a trace hides every key from some query."""
    return bool(np.isneginf(inner_of(trace).masked).all(axis=-1).any())


def has_empty_column(trace: Any) -> bool:
    """Return whether the mask of a trace hides some key from every query."""
    return bool(np.isneginf(inner_of(trace).masked).all(axis=-2).any())


def fill_can_matter(trace: Any) -> bool:
    """Return whether a finite number in place of −∞ can change the result.

    This is possible if a row has no visible key, or if a mask hides keys and some scores are far below 0.
    """
    return has_empty_row(trace) or (has_mask(trace) and bool((inner_of(trace).scaled < -GREAT).any()))


def wrong_empty_rows() -> RareMistakes:
    """Return the mistakes that matter in rows whose keys are all hidden."""
    fills = (
        ("fill_of_a_billion", "The mask puts −10⁹, not −∞", "np.where(allowed, scaled, -1e9)", FINITE),
        ("fill_of_ten_thousand", "The mask puts −10⁴, not −∞", "np.where(allowed, scaled, -1e4)", FINITE),
        ("billion_added", "The mask adds −10⁹, not −∞", "scaled + np.where(allowed, 0, -1e9)", ADDED),
    )
    return (
        diagnosis_mistake(
            "weights", "empty_row_to_nan", "A row has every key hidden: 0 / 0",
            "powers = np.exp(masked)\nweights = powers / powers.sum(axis=-1, keepdims=True)", NO_NUMBER,
            concept="attention", shows=has_empty_row, needs=NEEDS,
        ),
        diagnosis_mistake(
            "weights", "softmax_over_columns_to_nan", "The softmax runs down the columns, and a column has only −∞",
            "powers = np.exp(masked)\nweights = powers / powers.sum(axis=-2, keepdims=True)",
            "The softmax should run along the rows. The column of a hidden key has only −∞, so its exponentials add up "
            "to 0, and a softmax of this column divides 0 by 0, which is NaN.",
            shows=has_empty_column, needs=NEEDS_COLUMN,
        ),
        *(
            diagnosis_mistake("masked", name, title, f"masked = {code}", why, shows=fill_can_matter, needs=NEEDS_FILL)
            for name, title, code, why in fills
        ),
    )  # fmt: skip
