"""Running a mistake: its code, put in the place of steps, computes its numbers from those of a right computation."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.slips.engine.code_lines import CodeLine

Names = dict[str, Any]  # the matrices of a computation, and whatever else its code reads, by name
Memory = dict[tuple[int, ...], Names]  # the names that a line has assigned, by the line and the values that it read


def softmax(scores: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """Turn scores into shares as the code on the pages does: a row without any score gets zeros, and NaN stays NaN."""
    greatest = scores.max(axis=axis, keepdims=True)
    powers = np.exp(scores - np.where(greatest > -np.inf, greatest, 0))
    totals = powers.sum(axis=axis, keepdims=True)
    return powers / (totals + (totals == 0))


def run(lines: Iterable[CodeLine], names: Names, memory: Memory | None = None) -> Names:
    """Return the names after some lines of code. With a memory, no line runs twice on the same values.

    Raises: ValueError if a line needs matrices of other shapes, with the line and the shapes.
    """
    memory, names = {} if memory is None else memory, names.copy()
    with np.errstate(all="ignore"):
        for line in lines:
            read = (id(line), *map(id, map(names.get, line.reads)))
            if read not in memory:
                memory[read] = _given(line, names)
            names |= memory[read]
    return names


def _given(line: CodeLine, names: Names) -> Names:
    try:
        exec(_compiled(line.text), names)  # a copy of the caller's own
    except NameError as error:
        known = ", ".join(name for name in names if not name.startswith("_"))
        raise ValueError(f"`{line.text}` needs {error.name}; got {known}: start from what has it.") from error
    except (ValueError, IndexError) as error:
        matrices = (name for name in sorted(line.reads) if isinstance(names.get(name), np.ndarray))
        shapes = (f"{name} {np.shape(names[name])}" for name in matrices)
        raise ValueError(
            f"`{line.text}` needs matrices that fit each other; got {', '.join(shapes)}: do this step rightly."
        ) from error
    return {name: names[name] for name in line.gives}


@cache
def _compiled(text: str) -> CodeType:
    return compile(text, "<mistake>", "exec")
