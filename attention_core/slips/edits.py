"""A mistake as an edit of a pipeline: the rules for its code, and the lines that are computed again because of it."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence

from attention_core.slips.code_lines import CodeLine, lines_of
from attention_core.slips.pipelines import Pipeline

BUILTINS = frozenset(dir(builtins))


def check_edit(code: str, pipeline: Pipeline) -> None:
    """Check that code can take the place of some steps of a pipeline.

    Raises: ValueError if it has other lines than assignments and functions, gives a fixed name another value, reads
            a name that is not there, does not keep to the order of the steps, or does not end in one of them.
    """
    lines, steps = lines_of(code), pipeline.names
    known = {*pipeline.fixed, *steps}
    for line in lines:
        _check_names(line, pipeline.fixed, known)
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


def _check_names(line: CodeLine, fixed: tuple[str, ...], known: set[str]) -> None:
    changed = [name for name in line.gives if name in fixed]
    if changed:
        raise ValueError(
            f"a mistake’s code must leave {', '.join(fixed)} as they are; got {line.text}: take another name than "
            f"{changed[0]}."
        )
    unknown = sorted(line.reads - known - BUILTINS)
    if unknown:
        raise ValueError(
            f"a mistake’s code may read {', '.join(sorted(known))}; got {unknown[0]} in {line.text}: compute it in a "
            "line before."
        )


def edited(steps: Sequence[CodeLine], mistake: Sequence[CodeLine]) -> Iterator[tuple[CodeLine, bool]]:
    """Yield the lines to compute with a mistake, each with whether it is the mistake's own.

    A line of the mistake takes the place of the step that gives the same name; a helper line and a function stand
    before the line that follows them. Of the other steps those are computed again that read what has changed.
    """
    waiting, changed = list(mistake), set[str]()
    for step in steps:
        while any(not {*step.gives}.isdisjoint(line.gives) for line in waiting):
            line = waiting.pop(0)
            changed |= {*line.gives}
            yield line, True
        if not changed.issuperset(step.gives) and not changed.isdisjoint(step.reads):
            changed |= {*step.gives}
            yield step, False
