"""Stages: the matrices of a trace in order, and plans: the lines of code that compute a matrix with mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, get_args

import numpy as np

from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes import Mistake
from attention_core.mistakes.engine.code_lines import CodeLine, lines_of
from attention_core.mistakes.engine.edits import edited_lines, pieces_of
from attention_core.mistakes.engine.mistake import HeadStage, PositionStage, Rank, Stage
from attention_core.mistakes.engine.named_traces import Trace, pipeline_of_trace
from attention_core.mistakes.engine.pipelines import Pipeline
from attention_core.mistakes.rare import every_mistake
from attention_core.rotation import PositionTrace

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


# --- plans: the lines of code that compute a matrix with mistakes ---

Lines = tuple[CodeLine, ...]
POWERS = {
    "powers",
    "powers_from_the_maximum",
}  # two ways to compute the powers, so only one of them is rounded
Mistakes = tuple[Mistake[Any], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The lines of code that compute a matrix with `mistakes`, with rounded steps, or with both."""

    mistakes: Mistakes
    lines: Lines
    rounded: tuple[str, ...] = ()  # the steps that are rounded
    decimals: int | None = None  # to how many decimals


def lines_to_compute(pipeline: Pipeline, name: str, *edits: Lines, changed: frozenset[str] = frozenset()) -> Lines:
    """Return the lines of code that must run to compute the matrix `name` with some edits.

    Each of `edits` has the lines of one mistake or one rounding. `changed` has the names of values that already differ
    from the correct values. Lines whose results stay the same are left out: all lines, if the matrix does not change.
    """
    lines = edited_lines(pipeline.lines, *edits, changed=changed)
    ends = [i for i, line in enumerate(lines) if name in line.gives]
    return lines[: ends[-1] + 1] if ends else ()


@cache
def singles(
    pipeline: Pipeline, name: str, mistakes: Mistakes, changed: frozenset[str] = frozenset()
) -> tuple[Plan, ...]:
    """Return a plan for each mistake that changes the matrix `name`, but does not change a matrix in `changed`."""
    own = {mistake: mistake.lines_in(pipeline) for mistake in mistakes}
    free = {
        mistake: lines for mistake, lines in own.items() if changed.isdisjoint(n for line in lines for n in line.gives)
    }
    plans = (
        Plan((mistake,), lines_to_compute(pipeline, name, lines, changed=changed))
        for mistake, lines in free.items()
        if lines
    )
    without = lines_to_compute(pipeline, name, changed=changed)
    return tuple(each for each in plans if each.lines not in ((), without))


@cache
def pairs(pipeline: Pipeline, name: str, mistakes: Mistakes) -> tuple[Plan, ...]:
    """Return a plan for every two mistakes that both change the matrix `name`.

    If two mistakes change the same step, there is a plan for each order.
    """
    alone = {each.lines for each in singles(pipeline, name, mistakes)}
    in_order = sorted((each.mistakes[0] for each in singles(pipeline, name, mistakes)), key=_place)
    together = dict[Lines, Plan]()
    own = {mistake: mistake.lines_in(pipeline) for mistake in in_order}
    places = {mistake: {piece.place for piece in pieces_of(lines, pipeline.lines)} for mistake, lines in own.items()}
    for one, other in combinations(in_order, 2):
        meet = not places[one].isdisjoint(places[other])  # then their order matters
        for order in ((one, other), (other, one))[: 1 + meet]:
            lines = lines_to_compute(pipeline, name, *(own[mistake] for mistake in order))
            if lines not in alone:
                together.setdefault(lines, Plan((one, other), lines))
    return tuple(together.values())


def _place(mistake: Mistake[Any]) -> int:
    return STAGES.index(mistake.stage)


@cache
def roundings(pipeline: Pipeline, name: str, decimals: int, changed: frozenset[str] = frozenset()) -> tuple[Plan, ...]:
    """Return a plan for each choice of one or more steps up to the matrix `name`.

    The plan computes `name`, and rounds the results of the chosen steps to `decimals` decimals. The matrices in
    `changed` are not rounded, because somebody typed them in.
    """
    edits = {step: lines for step, lines in _roundings(pipeline, name, decimals) if changed.isdisjoint(lines[-1].gives)}
    chosen = (some for n in range(1, len(edits) + 1) for some in combinations(edits, n) if not POWERS <= {*some})
    plans = (
        Plan((), lines_to_compute(pipeline, name, *(edits[each] for each in some), changed=changed), some, decimals)
        for some in chosen
    )
    return tuple(each for each in plans if each.lines)


@cache
def rounded_singles(pipeline: Pipeline, name: str, mistakes: Mistakes, decimals: int) -> tuple[Plan, ...]:
    """Return plans that combine one mistake with rounding. Either only the weights are rounded, or every step."""
    edits = dict(_roundings(pipeline, name, decimals))
    every = tuple(each for each in edits if each != "powers_from_the_maximum")
    chosen = {tuple(each for each in edits if each == "weights"), every} - {()}
    return tuple(
        Plan(
            each.mistakes,
            lines_to_compute(pipeline, name, *(edits[step] for step in some), *_lines_of(each, pipeline)),
            some,
            decimals,
        )
        for some in sorted(chosen)
        for each in singles(pipeline, name, mistakes)
    )


def _lines_of(each: Plan, pipeline: Pipeline) -> Iterator[Lines]:
    return (mistake.lines_in(pipeline) for mistake in each.mistakes)


def _roundings(pipeline: Pipeline, name: str, decimals: int) -> Iterator[tuple[str, Lines]]:
    for step, gives in (ON_THE_WAY if "scores" in pipeline.names else OF_WAVES).items():
        if gives in pipeline.names[: pipeline.names.index(name) + 1] and step != name:
            yield step, lines_of(_ROUNDED.get(step, "{0} = np.round({0}, {1})").format(step, decimals))


# The numbers that may be rounded, each with the step whose code is changed for this.
OF_WAVES = {"exponents": "exponents", "angles": "angles", "sinusoidal": "sinusoidal"}
ON_THE_WAY = {
    "v": "v", "scores": "scores", "root": "scaled", "scaled": "scaled", "powers": "weights",
    "powers_from_the_maximum": "weights", "weights": "weights", "concat": "concat",
}  # fmt: skip
_ROUNDED = {
    "v": "q = np.round(q, {1})\nk = np.round(k, {1})\nv = np.round(v, {1})",
    "root": "scaled = scores / np.round(np.sqrt(d_k), {1})",
    "powers_from_the_maximum": "powers = np.round(np.exp(masked - masked.max(axis=-1, keepdims=True)), {1})\n"
    "weights = powers / powers.sum(axis=-1, keepdims=True)",
    "powers": "powers = np.round(np.exp(masked), {1})\nweights = powers / powers.sum(axis=-1, keepdims=True)",
}
