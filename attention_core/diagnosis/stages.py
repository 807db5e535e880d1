"""Stages: the matrices of a trace in the order in which they are computed, and the mistakes that can happen."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import numpy as np

from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes import Mistake
from attention_core.mistakes.engine.mistake import HeadStage, PositionStage, Rank, Stage
from attention_core.mistakes.engine.named_traces import Trace, pipeline_of_trace
from attention_core.mistakes.engine.pipelines import Pipeline
from attention_core.mistakes.rare import every_mistake
from attention_core.position_trace import PositionTrace

OF_POSITIONS: tuple[str, ...] = get_args(PositionStage)
OF_HEADS: tuple[str, ...] = get_args(HeadStage)
STAGES: tuple[str, ...] = get_args(Stage)
RANKS: tuple[str, ...] = get_args(Rank)


def stages_of(trace: Trace) -> tuple[str, ...]:
    """Return the names of the matrices of a trace that a problem can ask for, in the order of computation."""
    if isinstance(trace, PositionTrace):
        return OF_POSITIONS if trace.x is not None else OF_POSITIONS[:-1]
    of_several = isinstance(trace, MultiHeadTrace)
    return tuple(stage for stage in OF_HEADS if of_several or stage not in ("heads", "concat"))


def matrix_at(trace: Trace, stage: str) -> Array:
    """Return the matrix of a stage. If each head has such a matrix, as with the weights, the first axis is the head."""
    if not isinstance(trace, MultiHeadTrace) or stage in ("q", "k", "v", "concat", "output"):
        return np.asarray(getattr(trace, stage))
    return np.asarray(trace.heads.output if stage == "heads" else getattr(trace.heads, stage))


def name_of(stage: str) -> str:
    """Return the name of a stage in the code: "sinusoidal" for the stage "encoding", and `stage` for any other."""
    return "sinusoidal" if stage == "encoding" else stage


def possible_mistakes(trace: Trace) -> tuple[Mistake[Any], ...]:
    """Return the mistakes that can be made in the computation of a trace, the usual ones first.

    With several heads, this includes the mistakes that can be made with one head.
    """
    return _possible_in(pipeline_of_trace(trace))


@cache
def _possible_in(pipeline: Pipeline) -> tuple[Mistake[Any], ...]:
    possible = (mistake for mistake in every_mistake() if mistake.lines_in(pipeline))
    return tuple(sorted(possible, key=lambda mistake: RANKS.index(mistake.rank)))
