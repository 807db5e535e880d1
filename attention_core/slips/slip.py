"""What a slip is, and how to compute the rest of a trace after a wrong step."""

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
    """One usual mistake in computing attention: a function from a right trace to the wrong one, with its words.

    It keeps what the trace has before its stage, does the stage wrong, and computes the rest rightly. So slips of
    different stages can be applied one after the other, in the order of the stages.

    Its code says the same in NumPy, with tokens as rows: a line for each step of its pipeline that goes wrong, under
    the step's name. Helper lines and functions may stand before it.

    Raises: ValueError if the code is no edit of the pipeline, as `check_edit`.
    """

    name: str  # in snake case, as in links
    concept: Concept
    stage: Stage  # the first matrix that it changes
    title: str
    formula: str  # the wrong formula in LaTeX
    code: str  # the wrong lines in NumPy
    why: str  # why it is wrong, in a sentence or two
    sources: tuple[str, ...]  # errata of the notebooks (000-06), or public threads (owner/repository#number)
    apply: Callable[[T], T]  # raises ValueError if the shapes forbid it
    needs: str = ""  # what is missing where it does not show
    state: str = ""  # where it does not show, what to set on its page so that it does, as a link says it: "mask=causal"
    shows: Callable[[T], bool] = lambda _: True  # whether it shows in a trace

    def __post_init__(self) -> None:
        """Check the code."""
        check_edit(self.code, self.pipeline)

    @property
    def pipeline(self) -> Pipeline:
        """The right computation that it edits."""
        return pipeline_of(self.concept)


def has_mask(trace: SelfAttentionTrace) -> bool:
    """Say whether a mask forbids anything."""
    return bool(np.isneginf(trace.masked).any())


def with_projections(trace: SelfAttentionTrace, q: Array, k: Array, v: Array) -> SelfAttentionTrace:
    """Replace queries, keys and values, scale by the width of these keys, and compute the rest rightly.

    Raises: ValueError if they do not fit each other.
    """
    inner = attend(q, k, v, mask=trace.mask, scale=trace.scale * (trace.k.shape[-1] / k.shape[-1]) ** 0.5)
    return replace(trace, **{field: getattr(inner, field) for field in AttentionTrace.__slots__})


def with_scores(trace: SelfAttentionTrace, scores: Array) -> SelfAttentionTrace:
    """Replace the scores and compute the rest rightly."""
    return with_scale(replace(trace, scores=scores), trace.scale)


def with_scale(trace: SelfAttentionTrace, scale: float) -> SelfAttentionTrace:
    """Replace the scale and compute the rest rightly."""
    scaled = trace.scores * scale
    masked = apply_mask(scaled, trace.mask)
    return with_masked(replace(trace, scale=scale, scaled=scaled), masked)


def with_masked(trace: SelfAttentionTrace, masked: Array) -> SelfAttentionTrace:
    """Replace the masked scores and compute the rest rightly."""
    return with_weights(replace(trace, masked=masked), softmax(masked))


def with_weights(trace: SelfAttentionTrace, weights: Array) -> SelfAttentionTrace:
    """Replace the weights and compute the rest rightly."""
    return replace(trace, weights=weights, output=weights @ trace.v)


damage = greatest_difference  # the greatest change of a number that a slip makes
