"""Stages: the matrices of a trace in the order in which they are computed, and the slips that can happen on the way."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace
from attention_core.position_trace import PositionTrace
from attention_core.slips import HEAD_SLIPS, POSITION_SLIPS, SLIPS, Slip
from attention_core.slips.slip import with_masked, with_projections, with_scores, with_weights

Trace = SelfAttentionTrace | MultiHeadTrace | PositionTrace

OF_POSITIONS = ("exponents", "angles", "encoding", "positioned")
OF_HEADS = ("q", "k", "v", "scores", "scaled", "masked", "weights", "heads", "concat", "output")
STAGES: tuple[str, ...] = (*OF_POSITIONS, *OF_HEADS)


def stages_of(trace: Trace) -> tuple[str, ...]:
    """Return the names of the matrices of a trace that can be asked for, in the order in which they are computed."""
    if isinstance(trace, PositionTrace):
        return OF_POSITIONS if trace.x is not None else OF_POSITIONS[:-1]
    of_several = isinstance(trace, MultiHeadTrace)
    return tuple(stage for stage in OF_HEADS if of_several or stage not in ("heads", "concat"))


def matrix_at(trace: Trace, stage: str) -> Array:
    """Return the matrix of a stage. With several heads, the first axis is the head."""
    if not isinstance(trace, MultiHeadTrace) or stage in ("q", "k", "v", "concat", "output"):
        return np.asarray(getattr(trace, stage))
    return np.asarray(trace.heads.output if stage == "heads" else getattr(trace.heads, stage))


def catalogue_of(trace: Trace) -> tuple[Slip[Any], ...]:
    """Return the slips that can happen on the way to a trace."""
    if isinstance(trace, PositionTrace):
        return POSITION_SLIPS
    return HEAD_SLIPS if isinstance(trace, MultiHeadTrace) else SLIPS


def continued(right: SelfAttentionTrace, name: str, values: Array) -> SelfAttentionTrace:
    """Compute the rest of a trace from another matrix at a stage before the output."""
    if name in ("q", "k", "v"):
        return with_projections(right, **({"q": right.q, "k": right.k, "v": right.v} | {name: values}))
    if name == "scaled":
        return with_scores(right, values / right.scale)
    return {"scores": with_scores, "masked": with_masked, "weights": with_weights}[name](right, values)
