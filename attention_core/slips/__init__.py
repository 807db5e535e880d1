"""Slips: the wrong formulas, kept apart from the right ones so that none is reached by accident.

A `Slip` maps a right trace, of self-attention, of several heads or of positions, to the wrong one, field by field, so
that both can stand side by side. Slips of other shapes are plain functions beside it.
"""

from collections.abc import Iterable
from typing import Any

from attention_core.attention import SelfAttentionTrace
from attention_core.slips.attention import ATTENTION_SLIPS
from attention_core.slips.heads import HEAD_SLIPS, heads_scaled_by_full_width, split_heads_by_reshape
from attention_core.slips.positions import POSITION_SLIPS, sinusoidal_doubled_exponent, sinusoidal_shifted_cosine
from attention_core.slips.projection import PROJECTION_SLIPS
from attention_core.slips.queries_keys_values import (
    QUERIES_KEYS_VALUES_SLIPS,
    OuterAttention,
    elementwise_product,
    outer_attention,
    outer_scores,
    weigh_features,
)
from attention_core.slips.scaling import SCALING_SLIPS
from attention_core.slips.slip import Concept, Slip, Stage, T, damage
from attention_core.slips.softmax import SOFTMAX_SLIPS, naive_softmax, naive_softmax_steps

HALF_A_DECIMAL = 0.005  # the second one

SLIPS: tuple[Slip[SelfAttentionTrace], ...] = (
    *SOFTMAX_SLIPS,
    *QUERIES_KEYS_VALUES_SLIPS,
    *PROJECTION_SLIPS,
    *SCALING_SLIPS,
    *ATTENTION_SLIPS,
)
CATALOGUE: tuple[Slip[Any], ...] = (*SLIPS, *HEAD_SLIPS, *POSITION_SLIPS)


# A page that shows slips of other concepts.
BORROWED = {
    "cross_attention": ("features_weighted", "scores_as_weights", "softmax_over_whole_matrix", "divided_by_root_n"),
}


def slips_of(page: str) -> tuple[Slip[Any], ...]:
    """Return the slips of a page, in the order in which it shows them: those of its concept, or some of others."""
    if page in BORROWED:
        return tuple(slip for name in BORROWED[page] for slip in CATALOGUE if slip.name == name)
    return tuple(slip for slip in CATALOGUE if slip.concept == page)


def blind_spots(trace: T, among: Iterable[Slip[T]]) -> tuple[Slip[T], ...]:
    """Return the slips that an example cannot tell from the right formula: to two decimals, the output is the same.

    Slips that need something else to show, such as a mask, do not count, nor those that the shapes do not allow.
    """
    return tuple(slip for slip in among if _unnoticed(slip, trace))


def _unnoticed(slip: Slip[T], trace: T) -> bool:
    if not slip.shows(trace):
        return False
    try:
        wrong = slip.apply(trace)
    except ValueError:
        return False  # the shapes themselves give it away
    return damage(trace.output, wrong.output) < HALF_A_DECIMAL


__all__ = [
    "CATALOGUE",
    "HEAD_SLIPS",
    "POSITION_SLIPS",
    "SLIPS",
    "Concept",
    "OuterAttention",
    "Slip",
    "Stage",
    "blind_spots",
    "damage",
    "elementwise_product",
    "heads_scaled_by_full_width",
    "naive_softmax",
    "naive_softmax_steps",
    "outer_attention",
    "outer_scores",
    "sinusoidal_doubled_exponent",
    "sinusoidal_shifted_cosine",
    "slips_of",
    "split_heads_by_reshape",
    "weigh_features",
]
