"""The class `Mistake`, functions that run one mistake or several on a trace, and the repair of a mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, TypeVar

from attention_core.mistakes.engine.code_lines import CodeLine, Names, lines_of, run
from attention_core.mistakes.engine.edits import check_edit, edited_lines
from attention_core.mistakes.engine.named_traces import (
    Trace,
    inner_of,
    names_of,
    pipeline_of_trace,
    places_of,
    trace_of,
)
from attention_core.mistakes.engine.pipelines import POSITIONS, Pipeline, pipeline_of
from attention_core.mistakes.engine.rewriting import rewrite_for_pipeline
from attention_core.rotation import sinusoidal_steps

Concept = Literal[
    "softmax_axes", "queries_keys_values", "scaling", "attention", "multi_head", "positional_encoding", "real_model"
]
# The diagnosis names usual mistakes first, and tries them together with another mistake and with rounding. It tries a
# paired mistake together with another mistake.
# It names a paired or a rare mistake alone only if the numbers cannot be a coincidence.
Rank = Literal["usual", "paired", "rare"]
# The stages are in the order of the computation.
PositionStage = Literal["exponents", "angles", "encoding", "positioned"]
HeadStage = Literal["q", "k", "v", "scores", "scaled", "masked", "weights", "heads", "concat", "output"]
Stage = Literal[PositionStage, HeadStage]

S = TypeVar("S", bound=Trace)
T = TypeVar("T", bound=Trace)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mistake(Generic[T]):
    """One mistake in computing attention: wrong lines of code for some steps of a correct computation (`pipeline`).

    The code is in NumPy, with tokens as rows. For each wrong step, one line assigns the name of the step. This line
    replaces the correct step, as in `scaled = scores`. If the line also reads the name, as in `scaled = 2 * scaled`, it
    runs after the correct step. Helper lines may come before it. The app shows this code and runs it, alone or together
    with other mistakes.

    Raises: ValueError if the lines cannot replace steps of the computation (see `check_edit`).
    """

    name: str  # in snake case, as in links
    concept: Concept
    stage: Stage  # the first matrix that the mistake changes
    title: str
    code: str  # the wrong lines in NumPy
    why: str  # why the code is wrong, in a sentence or two
    switch: bool = False  # whether its page has a switch for it
    formula: str = ""  # the wrong formula in LaTeX, where a page has its switch
    sources: tuple[str, ...] = ()  # errata of the notebooks (000-06), or public threads (owner/repository#number)
    needs: str = ""  # what a computation needs so that the mistake changes a number, as a sentence
    state: str = ""  # a setting of its page that makes the mistake visible, if it is needed: "mask=causal"
    shows: Callable[[T], bool] = lambda _: True  # says whether the mistake changes a number of a trace
    rank: Rank = "usual"  # how readily the diagnosis names the mistake
    edits: Pipeline | None = None  # the correct computation that the mistake edits; None: the one of its concept

    def __post_init__(self) -> None:
        """Check that the code can replace some steps of the pipeline."""
        check_edit(self.code, self.pipeline)

    @property
    def pipeline(self) -> Pipeline:
        """The correct computation that the mistake edits."""
        return self.edits or pipeline_of(self.concept)

    def lines_in(self, pipeline: Pipeline) -> tuple[CodeLine, ...]:
        """Return the lines of this mistake in the computation `pipeline`, or no lines if it is not possible there."""
        return rewrite_for_pipeline(self.code, self.pipeline, pipeline)

    def shows_in(self, trace: Any) -> bool:
        """Return whether the mistake changes a number of `trace`.

        Some mistakes in the encoding of positions are also possible in a trace that rotates queries and keys. Then the
        mistake is tried on an encoding with the same angles as the rotation.
        """
        places = places_of(trace)
        if self.pipeline is POSITIONS and places is not None:
            trace = sinusoidal_steps(len(places.keys), inner_of(trace).k.shape[-1], places.base)
        return self.shows(trace)

    def apply(self, trace: S) -> S:
        """Return a copy of `trace` that is computed with this mistake.

        Raises: ValueError if the shapes do not allow the mistake.
        """
        return with_mistakes(trace, self)


def with_mistakes(trace: S, *mistakes: Mistake[Any]) -> S:
    """Return a copy of `trace` that is computed with all of `mistakes` together.

    Raises: ValueError if the shapes do not allow the mistakes.

    >>> from attention_core.examples import example
    >>> from attention_core.mistakes import WITH_SWITCH
    >>> not_scaled = next(mistake for mistake in WITH_SWITCH if mistake.name == "not_scaled")
    >>> wrong = with_mistakes(example("story").attention(), not_scaled)
    >>> bool((wrong.scaled == wrong.scores).all())
    True
    """
    return changed_trace(trace, names_of(trace), *mistakes)


def changed_trace(trace: S, names: Names, *mistakes: Mistake[Any]) -> S:
    """Return a copy of `trace` that is computed with all of `mistakes` together.

    `names` are the values in the trace by name, as `names_of` returns them.

    Raises: ValueError if the shapes do not allow the mistakes.
    """
    return trace_of(trace, names_after(trace, names, *mistakes))


def names_after(trace: Trace, names: Names, *mistakes: Mistake[Any]) -> Names:
    """Run the computation of `trace` with all of `mistakes` together, and return all its values by name.

    `names` are the correct values, as `names_of` returns them.

    Raises: ValueError if a mistake is not possible in this trace, or needs other shapes.
    """
    return run(lines_with(pipeline_of_trace(trace), *mistakes), names)


@cache
def lines_with(pipeline: Pipeline, *mistakes: Mistake[Any]) -> tuple[CodeLine, ...]:
    """Return the lines that must run if all of `mistakes` are made in the computation `pipeline`, in order.

    Raises: ValueError if a mistake is not possible in the pipeline.
    """
    for mistake in mistakes:
        if not mistake.lines_in(pipeline):
            raise ValueError(f"a mistake must have a place in the steps; got {mistake.name}: take one that has.")
    return edited_lines(pipeline.lines, *(mistake.lines_in(pipeline) for mistake in mistakes))


def repair(mistake: Mistake[Any], rewrite_line: Callable[[str], str] = str) -> str:
    """Return the code of a mistake with its correction: `-` before each wrong line, `+` before each correct line.

    `rewrite_line` may rewrite each line, for example with the names that a task uses for its matrices.

    >>> from attention_core.mistakes import WITH_SWITCH
    >>> print(repair(next(mistake for mistake in WITH_SWITCH if mistake.name == "divided_by_d_k")))
    - scaled = scores / d_k
    + scaled = scores / np.sqrt(d_k)
    """
    return "\n".join(_marked_lines(mistake, rewrite_line))


def _marked_lines(mistake: Mistake[Any], tailored: Callable[[str], str]) -> Iterator[str]:
    for line in lines_of(mistake.code):
        steps = [step for step in mistake.pipeline.steps if not {*step.names}.isdisjoint(line.gives)]
        is_added = not line.reads.isdisjoint(line.gives)  # the correct step stays, and this line is removed
        right = [text for step in steps for text in _write_axis(tailored(step.code)).splitlines()]
        yield from (f"  {text}" for text in right if is_added)
        yield from (f"- {text}" for text in tailored(line.text).splitlines())
        yield from (f"+ {text}" for text in right if not is_added)


def _write_axis(code: str) -> str:
    """Write the axis -1 into each call of softmax without an axis, because many libraries have another default.

    >>> _write_axis("weights = softmax(masked)")
    'weights = softmax(masked, axis=-1)'
    """
    return re.sub(r"softmax\((\w+)\)", r"softmax(\1, axis=-1)", code)
