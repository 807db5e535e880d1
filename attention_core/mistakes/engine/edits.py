"""Check the code of a mistake, and put its lines in the place of the steps of a pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from attention_core.mistakes.engine.code_lines import BUILTINS, CodeLine, lines_of
from attention_core.mistakes.engine.pipelines import Pipeline


def check_edit(code: str, pipeline: Pipeline) -> None:
    """Check that the code of a mistake can replace steps of a correct computation, `pipeline`.

    Raises: ValueError if the code has other statements than assignments and functions, assigns an input, reads an
            unknown name, has the steps in another order than `pipeline`, or does not end with a step.
    """
    lines, steps = lines_of(code), pipeline.names
    known = {*pipeline.protected_names, *steps}
    for line in lines:
        _check_names(line, pipeline.protected_names, known)
        known |= {*line.gives}
    edited = [line for line in lines if not {*steps}.isdisjoint(line.gives)]
    if not edited or lines[-1] is not edited[-1]:
        raise ValueError(
            f"a mistake’s code must end in a line for one of its steps, {', '.join(steps)}; got {code!r}: give the "
            "name of one to what is wrong."
        )
    places = [min(steps.index(name) for name in line.gives if name in steps) for line in edited]
    if places != sorted(places):
        raise ValueError(
            f"a mistake’s code must keep to the order of the steps, {', '.join(steps)}; got {code!r}: move a line."
        )


def _check_names(line: CodeLine, fixed: tuple[str, ...], defined: set[str]) -> None:
    changed = [name for name in line.gives if name in fixed]
    if changed:
        raise ValueError(
            f"a mistake’s code must leave {', '.join(fixed)} as they are; got {line.text}: take another name than "
            f"{changed[0]}."
        )
    unknown = sorted(line.reads - defined - BUILTINS)
    if unknown:
        raise ValueError(
            f"a mistake’s code may read {', '.join(sorted(defined))}; got {unknown[0]} in {line.text}: compute it in a "
            "line before."
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """The lines of a mistake that belong to one step of the correct computation.

    The last line assigns the name of the step. Helper lines come before this last line.
    """

    place: int  # the index of the step in the pipeline
    is_added: bool  # whether the last line comes after the step, because it reads the result of the step
    lines: tuple[CodeLine, ...]


def changed_lines(
    steps: Sequence[CodeLine], *mistakes: Sequence[CodeLine], changed: Iterable[str] = ()
) -> Iterator[tuple[CodeLine, bool]]:
    """Yield the lines that must run if mistakes are made in a correct computation, in order.

    Each line comes with a bool: True for a line of a mistake, False for a correct step that must run again because its
    input has changed. `steps` are the lines of the correct computation, and each of `mistakes` has the lines of one
    mistake.

    A line of a mistake replaces the step that assigns the same name. If the line also reads this name, it comes after
    the step. Other lines of the mistake come before it. If two mistakes replace the same step, only the later one
    counts.

    The names in `changed` have other values from the beginning. The steps that compute these names do not run again.
    """
    pieces = [piece for mistake in mistakes for piece in pieces_of(tuple(mistake), tuple(steps))]
    supplied = {*changed}  # the names that a mistake computes: the correct steps for these names do not run
    differs = {*changed}  # the names whose values may be wrong: steps that read such a name run again
    for place, step in enumerate(steps):
        here = [piece for piece in pieces if piece.place == place]
        replacing = [line for piece in _without_replaced(here) for line in piece.lines]
        supplied |= {name for line in replacing for name in line.gives}
        if not differs.isdisjoint(step.reads) and not supplied.issuperset(step.gives):
            differs |= {*step.gives}
            yield step, False
        for line in (*replacing, *(line for piece in here if piece.is_added for line in piece.lines)):
            differs |= {*line.gives}
            yield line, True


def edited_lines(
    steps: Sequence[CodeLine], *mistakes: Sequence[CodeLine], changed: Iterable[str] = ()
) -> tuple[CodeLine, ...]:
    """Return the lines that must run if mistakes are made in a correct computation, in order.

    These are the lines of the mistakes, and the steps that use their results. The arguments are those of
    `changed_lines`.
    """
    return tuple(line for line, _ in changed_lines(steps, *mistakes, changed=changed))


def program(pipeline: Pipeline, *mistakes: Sequence[CodeLine]) -> tuple[CodeLine, ...]:
    """Return all lines of a computation with mistakes, from the beginning.

    Raises: ValueError if a step reads no name, because this step would be left out.
    """
    # All fixed names count as changed, so every step runs.
    known = {*pipeline.protected_names, *pipeline.names}
    for step in pipeline.lines:
        if step.reads.isdisjoint(known):
            raise ValueError(f"every step must read a matrix or another step; got {step.text}: give its number a name.")
    return (*lines_of(pipeline.start), *edited_lines(pipeline.lines, *mistakes, changed=pipeline.protected_names))


def _without_replaced(pieces: Sequence[Piece]) -> list[Piece]:
    replacing = [piece for piece in pieces if not piece.is_added]
    if len(replacing) < 2:
        return replacing
    later = [{name for after in replacing[i + 1 :] for name in after.lines[-1].gives} for i in range(len(replacing))]
    return [piece for piece, gone in zip(replacing, later, strict=True) if not gone.issuperset(piece.lines[-1].gives)]


@cache
def pieces_of(mistake: tuple[CodeLine, ...], steps: tuple[CodeLine, ...]) -> tuple[Piece, ...]:
    """Group the lines of a mistake by the step of the correct computation that they belong to."""
    places = {name: place for place, step in enumerate(steps) for name in step.gives}
    return tuple(_pieces(mistake, places))


def _pieces(mistake: Sequence[CodeLine], places: Mapping[str, int]) -> Iterator[Piece]:
    waiting = list[CodeLine]()
    for line in mistake:
        waiting.append(line)
        given = [places[name] for name in line.gives if name in places]
        if given:
            is_added = not line.reads.isdisjoint(line.gives)
            yield Piece(max(given) if is_added else min(given), is_added, tuple(waiting))
            waiting = []
