"""The repair of a mistake: its wrong lines and the right lines, as a difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_core.mistakes.engine.code_lines import lines_of
from attention_core.mistakes.engine.mistake import Mistake


def repair(mistake: Mistake[Any]) -> str:
    """Return the code of a mistake and the lines that mend it: `-` before a wrong line, `+` before a right one.

    >>> from attention_core.mistakes import WITH_SWITCH
    >>> print(repair(next(mistake for mistake in WITH_SWITCH if mistake.name == "divided_by_d_k")))
    - scaled = scores / d_k
    + scaled = scores / np.sqrt(d_k)
    """
    return "\n".join(_lines(mistake))


def _lines(mistake: Mistake[Any]) -> Iterator[str]:
    for line in lines_of(mistake.code):
        steps = [step for step in mistake.pipeline.steps if not {*step.names}.isdisjoint(line.gives)]
        is_added = not line.reads.isdisjoint(line.gives)  # the right step is kept, and this line is removed
        yield from (f"  {step.code}" for step in steps if is_added)
        yield from (f"- {text}" for text in line.text.splitlines())
        yield from (f"+ {step.code}" for step in steps if not is_added)
