"""Rewrite the lines of a mistake for a pipeline other than the one that they were written for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial

from attention_core.mistakes.engine.code_lines import CodeLine, lines_of
from attention_core.mistakes.engine.edits import pieces_of
from attention_core.mistakes.engine.further_pipelines import ROTARY_KINDS, further_pipelines, pipeline_with
from attention_core.mistakes.engine.in_heads import (
    IN_HEADS,
    angles_of_heads,
    in_rotated_heads,
    in_several_heads,
    rename_matrices,
    with_angles_of_width,
)
from attention_core.mistakes.engine.pipelines import ATTENTION, ENCODING, HEADS, POSITIONS, ROTARY, Pipeline

Lines = tuple[CodeLine, ...]
Rewriting = Callable[[str], Lines]
# `_FROM` has the first step at which other names stand for the matrices that plain attention reads.
# `_NAMES` has these other names. Both are grouped by the matrix that only such a pipeline has.
_FROM = {"q_turned": "scores", "biased": "masked"}
_NAMES = {
    "q_turned": {"q": "q_turned", "k": "k_turned", "q_heads": "q_turned", "k_heads": "k_turned"},
    "biased": {"scaled": "biased"},
}
_KEYS = {"k_heads", "v_heads"}


@cache
def rewrite_for_pipeline(code: str, original_pipeline: Pipeline, pipeline: Pipeline) -> Lines:
    """Rewrite the code of a mistake in the computation `original_pipeline` for another computation, `pipeline`.

    For example, `k` becomes `k_heads` if `pipeline` has several heads. Return no lines if the mistake is not possible
    there.
    """
    rewrite = lines_of if pipeline is original_pipeline else _rewritings().get((original_pipeline, pipeline))
    lines = rewrite(code) if rewrite else ()
    return lines if lines and not {*lines[-1].gives}.isdisjoint(pipeline.names) else ()


@cache
def _rewritings() -> Mapping[tuple[Pipeline, Pipeline], Rewriting]:
    plain: dict[tuple[Pipeline, Pipeline], Rewriting] = {
        (ATTENTION, HEADS): in_several_heads,
        (ATTENTION, ROTARY): in_rotated_heads,
        (HEADS, ROTARY): lines_of,
        (POSITIONS, ROTARY): angles_of_heads,
        (POSITIONS, ENCODING): lines_of,
    }
    return plain | dict(_further_rewritings())


def _further_rewritings() -> Iterator[tuple[tuple[Pipeline, Pipeline], Rewriting]]:
    for kind, several, shared, pipeline in further_pipelines():
        yield (ATTENTION, pipeline), partial(_rewrite_from_one_head, pipeline, several)
        if several:
            yield (HEADS, pipeline), partial(_rewrite_from_heads, pipeline, shared)
        if several and kind != "none":
            yield (pipeline_with(kind), pipeline), _rewrite_positions_for_heads
        if shared and kind != "none":
            yield (
                (pipeline_with("none", several=True, shared=True), pipeline),
                partial(_rewrite_from_heads, pipeline, False),
            )
        if kind in ROTARY_KINDS:
            yield (POSITIONS, pipeline), _rewrite_angles


def _rewrite_from_one_head(pipeline: Pipeline, several: bool, code: str) -> Lines:
    return _rename_in_later_steps(in_several_heads(code) if several else lines_of(code), pipeline)


def _rewrite_from_heads(pipeline: Pipeline, shared: bool, code: str) -> Lines:
    """Rewrite the code of a mistake with several heads for `pipeline`, another computation with several heads.

    `shared` says whether the heads of `pipeline` share keys and values. Then a mistake that computes keys or values for
    each head is not possible, and no lines are returned.
    """
    lines = lines_of(code)
    if shared and any(_KEYS & {*line.gives} and not {*line.gives} <= line.reads for line in lines):
        return ()
    return _rename_in_later_steps(lines, pipeline)


def _rename_in_later_steps(lines: Lines, pipeline: Pipeline) -> Lines:
    """Rename matrices in the lines of a mistake, so that the lines fit a computation with positions in its scores.

    For example, the later steps of such a computation read `q_turned` (rotated queries) in place of `q`.
    """
    new = next((name for name in _FROM if name in pipeline.names), None)
    if new is None or not lines:
        return lines
    first = next(place for place, line in enumerate(pipeline.lines) if _FROM[new] in line.gives)
    pieces = pieces_of(lines, pipeline.lines)
    return tuple(
        each
        for piece in pieces
        for each in (rename_matrices(piece.lines, _NAMES[new]) if piece.place >= first else piece.lines)
    )


def _rewrite_positions_for_heads(code: str) -> Lines:
    """Rewrite the code of a mistake in attention with positions, so that it runs with several heads."""
    return rename_matrices(lines_of(code), IN_HEADS)


def _rewrite_angles(code: str) -> Lines:
    """Rewrite a mistake in the angles of the sinusoidal encoding, so that it changes the angles of a rotation.

    Return no lines if the mistake sets all angles to 0, because then nothing is rotated.
    """
    return () if "0 * angles" in code else with_angles_of_width(code, "width")
