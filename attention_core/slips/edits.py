"""A mistake as an edit of a pipeline: the rules for its code, and the lines that it changes."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence

from attention_core.slips.code_lines import CodeLine, lines_of
from attention_core.slips.pipelines import Pipeline

BUILTINS = frozenset(dir(builtins))


def check_edit(code: str, pipeline: Pipeline) -> None:
    """Check that code can take the place of some steps of a pipeline.

    Raises: ValueError if it has other statements than assignments and functions, assigns a fixed name, reads a name
            that nothing defines, leaves the order of the steps, or does not end with a step.
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
    """Yield the lines that a mistake makes different, in order, and for each whether the mistake wrote it.

    A line of the mistake replaces the step of the same name. Its helper lines and functions stay before it. A step
    that reads a changed name is computed again.
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
