"""The class of mistakes, and functions that run one mistake, or several together, on a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.code_lines import CodeLine
from attention_core.mistakes.engine.edits import check_edit, edited_lines
from attention_core.mistakes.engine.elsewhere import lines_elsewhere
from attention_core.mistakes.engine.named_traces import (
    Trace,
    inner_of,
    names_of,
    pipeline_of_trace,
    places_of,
    trace_of,
)
from attention_core.mistakes.engine.pipelines import POSITIONS, Pipeline, pipeline_of
from attention_core.mistakes.engine.running import Names, run
from attention_core.position_trace import sinusoidal_steps

Concept = Literal[
    "softmax_axes", "queries_keys_values", "scaling", "attention", "multi_head", "positional_encoding", "real_model"
]
# The diagnosis names usual mistakes first, and tries them together with another mistake and with rounding. It tries a
# paired mistake together with another mistake.
# It names a paired or a rare mistake alone only if the numbers cannot be a coincidence.
Rank = Literal["usual", "paired", "rare"]
# In the order of the computation.
PositionStage = Literal["exponents", "angles", "encoding", "positioned"]
HeadStage = Literal["q", "k", "v", "scores", "scaled", "masked", "weights", "heads", "concat", "output"]
Stage = Literal[PositionStage, HeadStage]

S = TypeVar("S", bound=Trace)
T = TypeVar("T", bound=Trace)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mistake(Generic[T]):
    """One mistake in computing attention: an edit of the steps that lead to a right trace, with its explanation.

    Its code is in NumPy, with tokens as rows: one line for each step of the pipeline that goes wrong. The line assigns
    the name of the step. It replaces the step, or, if it reads that name, comes after it. Helper lines and functions
    may come before it. The app shows this code and runs it, alone or together with the code of other mistakes.

    Raises: ValueError if the code is not an edit of the pipeline, as `check_edit`.
    """

    name: str  # in snake case, as in links
    concept: Concept
    stage: Stage  # the first matrix that it changes
    title: str
    code: str  # the wrong lines in NumPy
    why: str  # why it is wrong, in a sentence or two
    formula: str = ""  # the wrong formula in LaTeX, where a page has its switch
    sources: tuple[str, ...] = ()  # errata of the notebooks (000-06), or public threads (owner/repository#number)
    needs: str = ""  # what a computation needs so that the mistake changes a number, as a sentence
    state: str = ""  # what to set on its page if it changes no number there, as in a link: "mask=causal"
    shows: Callable[[T], bool] = lambda _: True  # whether it changes a number of a trace
    rank: Rank = "usual"  # how readily the diagnosis names it
    edits: Pipeline | None = None  # the right computation that it edits, if it is not the one of its concept

    def __post_init__(self) -> None:
        """Check the code."""
        check_edit(self.code, self.pipeline)

    @property
    def pipeline(self) -> Pipeline:
        """The right computation that it edits."""
        return self.edits or pipeline_of(self.concept)

    def lines_in(self, pipeline: Pipeline) -> tuple[CodeLine, ...]:
        """Return the lines of this mistake with the names of a pipeline, or no lines if it cannot occur there.

        The pipeline may be its own, a part of its own, or one with several heads if its own has one.
        """
        return lines_elsewhere(self.code, self.pipeline, pipeline)

    def shows_in(self, trace: Any) -> bool:
        """Say whether the mistake changes a trace. Mistakes of the encoding are tried on the angles of a rotation."""
        places = places_of(trace)
        if self.pipeline is POSITIONS and places is not None:
            trace = sinusoidal_steps(len(places.keys), inner_of(trace).k.shape[-1], places.base)
        return self.shows(trace)

    def apply(self, trace: S) -> S:
        """Return the trace with this mistake in it.

        Raises: ValueError if the shapes forbid it.
        """
        return with_mistakes(trace, self)


def with_mistakes(trace: S, *mistakes: Mistake[Any]) -> S:
    """Return a trace with some mistakes together in it.

    Raises: ValueError if the shapes forbid it.

    >>> from attention_core.examples import example
    >>> from attention_core.mistakes import WITH_SWITCH
    >>> not_scaled = next(mistake for mistake in WITH_SWITCH if mistake.name == "not_scaled")
    >>> wrong = with_mistakes(example("story").attention(), not_scaled)
    >>> bool((wrong.scaled == wrong.scores).all())
    True
    """
    return changed_trace(trace, names_of(trace), *mistakes)


def changed_trace(trace: S, names: Names, *mistakes: Mistake[Any]) -> S:
    """Return a trace with some mistakes together in it. `names` are those of the trace, as `names_of` returns them.

    Raises: ValueError if the shapes forbid it.
    """
    return trace_of(trace, names_after(trace, names, *mistakes))


def names_after(trace: Trace, names: Names, *mistakes: Mistake[Any]) -> Names:
    """Return all names of a trace with some mistakes together in it.

    Raises: ValueError if a mistake cannot occur in the steps of the trace, or one of its lines needs other shapes.
    """
    return run(lines_with(pipeline_of_trace(trace), *mistakes), names)


@cache
def lines_with(pipeline: Pipeline, *mistakes: Mistake[Any]) -> tuple[CodeLine, ...]:
    """Return the lines of a pipeline that run because of some mistakes together, in order.

    Raises: ValueError if a mistake cannot occur in the pipeline.
    """
    for mistake in mistakes:
        if not mistake.lines_in(pipeline):
            raise ValueError(f"a mistake must have a place in the steps; got {mistake.name}: take one that has.")
    return edited_lines(pipeline.lines, *(mistake.lines_in(pipeline) for mistake in mistakes))


def has_mask(trace: SelfAttentionTrace | MultiHeadTrace) -> bool:
    """Say whether a mask forbids anything."""
    return bool(np.isneginf(inner_of(trace).masked).any())
