"""The class of mistakes, and how one mistake, or several together, changes a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.code_lines import CodeLine, lines_of
from attention_core.mistakes.engine.edits import check_edit, edited_lines
from attention_core.mistakes.engine.in_heads import angles_of_heads, in_rotated_heads, in_several_heads
from attention_core.mistakes.engine.named_traces import Trace, inner_of, names_of, pipeline_of_trace, trace_of
from attention_core.mistakes.engine.pipelines import (
    ATTENTION,
    ENCODING,
    HEADS,
    POSITIONS,
    ROTARY,
    Pipeline,
    pipeline_of,
)
from attention_core.mistakes.engine.running import Names, run

Concept = Literal[
    "softmax_axes", "queries_keys_values", "scaling", "attention", "multi_head", "positional_encoding", "real_model"
]
# A usual mistake is named first, and tried with another one and with rounding. A paired one is tried with another one.
# Alone, a paired or a rare one is named only if its numbers are no coincidence.
Rank = Literal["usual", "paired", "rare"]
# How the lines of a mistake are rewritten for another computation than their own, where they have a place in it.
ELSEWHERE: Mapping[tuple[Pipeline, Pipeline], Callable[[str], tuple[CodeLine, ...]]] = {
    (ATTENTION, HEADS): in_several_heads,
    (ATTENTION, ROTARY): in_rotated_heads,
    (HEADS, ROTARY): lines_of,
    (POSITIONS, ROTARY): angles_of_heads,
    (POSITIONS, ENCODING): lines_of,
}


# In the order in which they are computed.
PositionStage = Literal["exponents", "angles", "encoding", "positioned"]
HeadStage = Literal["q", "k", "v", "scores", "scaled", "masked", "weights", "heads", "concat", "output"]
Stage = Literal[PositionStage, HeadStage]

S = TypeVar("S", bound=Trace)
T = TypeVar("T", bound=Trace)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mistake(Generic[T]):
    """One mistake in computing attention: an edit of the steps that lead to a right trace, with its explanation.

    Its code is in NumPy, with tokens as rows: a line for each step of its pipeline that goes wrong, under the step's
    name. It replaces the step, or comes after it if it reads that name. Helper lines and functions may stand before
    it. This code is what is shown and what is run, alone or together with that of other mistakes.

    Raises: ValueError if the code is no edit of the pipeline, as `check_edit`.
    """

    name: str  # in snake case, as in links
    concept: Concept
    stage: Stage  # the first matrix that it changes
    title: str
    code: str  # the wrong lines in NumPy
    why: str  # why it is wrong, in a sentence or two
    formula: str = ""  # the wrong formula in LaTeX, where a page has its switch
    sources: tuple[str, ...] = ()  # errata of the notebooks (000-06), or public threads (owner/repository#number)
    needs: str = ""  # what a computation needs so that it shows, as a sentence
    state: str = ""  # where it does not show, what to set on its page so that it does, as a link says it: "mask=causal"
    shows: Callable[[T], bool] = lambda _: True  # whether it shows in a trace
    rank: Rank = "usual"  # how readily the diagnosis names it

    def __post_init__(self) -> None:
        """Check the code."""
        check_edit(self.code, self.pipeline)

    @property
    def pipeline(self) -> Pipeline:
        """The right computation that it edits."""
        return pipeline_of(self.concept)

    def lines_in(self, pipeline: Pipeline) -> tuple[CodeLine, ...]:
        """Return its lines as they stand in a pipeline: its own, a part of it, or several heads for one.

        There are none if it has no place there.
        """
        return _lines_in(self.code, self.pipeline, pipeline)

    def apply(self, trace: S) -> S:
        """Return the trace as this mistake would have it.

        Raises: ValueError if the shapes forbid it.
        """
        return with_mistakes(trace, self)


@cache
def _lines_in(code: str, own: Pipeline, pipeline: Pipeline) -> tuple[CodeLine, ...]:
    rewrite = lines_of if pipeline is own else ELSEWHERE.get((own, pipeline))
    lines = rewrite(code) if rewrite else ()
    return lines if lines and not {*lines[-1].gives}.isdisjoint(pipeline.names) else ()


def with_mistakes(trace: S, *mistakes: Mistake[Any]) -> S:
    """Return a trace as some mistakes together would have it.

    Raises: ValueError if the shapes forbid it.
    """
    return changed_trace(trace, names_of(trace), *mistakes)


def changed_trace(trace: S, names: Names, *mistakes: Mistake[Any]) -> S:
    """Return a trace, of which the names are known, as some mistakes together would have it.

    Raises: ValueError if the shapes forbid it.
    """
    return trace_of(trace, names_after(trace, names, *mistakes))


def names_after(trace: Trace, names: Names, *mistakes: Mistake[Any]) -> Names:
    """Return all names of a trace as some mistakes together would have them.

    Raises: ValueError if a mistake has no place in the steps of the trace, or a line of it needs other shapes.
    """
    return run(lines_with(pipeline_of_trace(trace), *mistakes), names)


@cache
def lines_with(pipeline: Pipeline, *mistakes: Mistake[Any]) -> tuple[CodeLine, ...]:
    """Return the lines that some mistakes together make different in a pipeline, in the order in which they run.

    Raises: ValueError if a mistake has no place in the pipeline.
    """
    for mistake in mistakes:
        if not mistake.lines_in(pipeline):
            raise ValueError(f"a mistake must have a place in the steps; got {mistake.name}: take one that has.")
    return edited_lines(pipeline.lines, *(mistake.lines_in(pipeline) for mistake in mistakes))


def has_mask(trace: SelfAttentionTrace | MultiHeadTrace) -> bool:
    """Say whether a mask forbids anything."""
    return bool(np.isneginf(inner_of(trace).masked).any())
