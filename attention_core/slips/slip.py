"""What a slip is, and how the rest of a trace follows once one step has gone wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

import numpy as np

from attention_core.attention import AttentionTrace, SelfAttentionTrace, attend
from attention_core.checks import Array, greatest_difference
from attention_core.heads import MultiHeadTrace
from attention_core.masks import apply_mask
from attention_core.position_trace import PositionTrace
from attention_core.slips.edits import check_edit
from attention_core.slips.pipelines import Pipeline, pipeline_of
from attention_core.softmax import softmax

Concept = Literal["softmax_axes", "queries_keys_values", "scaling", "attention", "multi_head", "positional_encoding"]


# In the order in which they are computed.
Stage = Literal[
    "exponents", "angles", "encoding", "positioned", "q", "k", "v", "scores", "scaled", "masked", "weights", "heads",
    "concat", "output",
]  # fmt: skip

T = TypeVar("T", bound=SelfAttentionTrace | MultiHeadTrace | PositionTrace)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip(Generic[T]):
    """One wrong way to compute attention, applied to a right trace.

    It goes wrong at its stage, from what the trace has before that, and goes on rightly: so slips of different
    stages, applied in order, make a trace with all of them.

    Its code says the same in NumPy, with tokens as rows: a line for each step of its pipeline that goes wrong, under
    the step's own name, with helper lines and functions before it where they are needed.

    Raises: ValueError where the code is no edit of the pipeline, as `check_edit`.
    """

    name: str  # snake case, as it stands in links
    concept: Concept
    stage: Stage  # the first matrix that it changes
    title: str
    formula: str  # LaTeX, of what is computed instead
    code: str  # what is computed instead, in a few lines of NumPy
    why: str  # why it is wrong, in a sentence or two
    sources: tuple[str, ...]  # errata of the notebooks (000-06), or public threads (owner/repository#number)
    apply: Callable[[T], T]  # ValueError where the shapes do not allow it
    needs: str = ""  # what must be there for it to show, as an instruction
    shows: Callable[[T], bool] = lambda _: True  # whether that is there

    def __post_init__(self) -> None:
        """Check the code."""
        check_edit(self.code, self.pipeline)

    @property
    def pipeline(self) -> Pipeline:
        """The right computation in which it happens."""
        return pipeline_of(self.concept)


def has_mask(trace: SelfAttentionTrace) -> bool:
    """Say whether a mask forbids anything."""
    return bool(np.isneginf(trace.masked).any())


def with_projections(trace: SelfAttentionTrace, q: Array, k: Array, v: Array) -> SelfAttentionTrace:
    """Go on rightly from other queries, keys and values, with the scale of the keys' own width.

    Raises: ValueError if they do not fit each other.
    """
    inner = attend(q, k, v, mask=trace.mask, scale=trace.scale * (trace.k.shape[-1] / k.shape[-1]) ** 0.5)
    return replace(trace, **{field: getattr(inner, field) for field in AttentionTrace.__slots__})


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
