"""What a slip is, and how the rest of a trace follows once one step has gone wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array, greatest_difference
from attention_core.heads import MultiHeadTrace
from attention_core.masks import apply_mask
from attention_core.softmax import softmax

Concept = Literal["softmax_axes", "queries_keys_values", "scaling", "attention", "multi_head", "positional_encoding"]


T = TypeVar("T", bound="SelfAttentionTrace | MultiHeadTrace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip(Generic[T]):
    """One wrong way to compute attention, applied to a right trace."""

    name: str  # snake case, as it stands in links
    concept: Concept
    title: str
    formula: str  # LaTeX, of what is computed instead
    why: str  # why it is wrong, in a sentence or two
    sources: tuple[str, ...]  # errata of the notebooks (000-06), or public threads (owner/repository#number)
    apply: Callable[[T], T]  # ValueError where the shapes do not allow it
    needs: str = ""  # what must be there for it to show, as an instruction
    shows: Callable[[T], bool] = lambda _: True  # whether that is there


def has_mask(trace: SelfAttentionTrace) -> bool:
    """Say whether a mask forbids anything."""
    return bool(np.isneginf(trace.masked).any())


def with_scores(trace: SelfAttentionTrace, scores: Array) -> SelfAttentionTrace:
    """Go on rightly from other scores."""
    return with_scale(replace(trace, scores=scores), trace.scale)


def with_scale(trace: SelfAttentionTrace, scale: float) -> SelfAttentionTrace:
    """Go on rightly from another scale."""
    scaled = trace.scores * scale
    masked = apply_mask(scaled, trace.mask)
    return with_masked(replace(trace, scale=scale, scaled=scaled), masked)


def with_masked(trace: SelfAttentionTrace, masked: Array) -> SelfAttentionTrace:
    """Go on rightly from other masked scores."""
    return with_weights(replace(trace, masked=masked), softmax(masked))


def with_weights(trace: SelfAttentionTrace, weights: Array) -> SelfAttentionTrace:
    """Go on rightly from other weights."""
    return replace(trace, weights=weights, output=weights @ trace.v)


damage = greatest_difference  # how much a slip changes a matrix at most
