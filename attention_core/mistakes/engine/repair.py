"""The repair of a mistake: its wrong lines and the correct lines, marked with - and + as in a diff."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from attention_core.mistakes.engine.code_lines import lines_of
from attention_core.mistakes.engine.mistake import Mistake


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
