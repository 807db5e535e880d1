"""Run the code of a mistake on the values of a correct computation."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

from attention_core.caching import read_only
from attention_core.checks import Array
from attention_core.mistakes.engine.code_lines import CodeLine

Names = dict[str, Any]  # the matrices of a computation, and all other values that its code reads, by name
Memory = dict[tuple[int, ...], Names]  # the values that a line assigned, by the ids of the line and of its inputs


def softmax(scores: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """Compute a softmax with the same code as on the pages.

    A row in which all scores are −∞ gets zeros, and NaN stays NaN.

    >>> softmax(np.array([[0.0, 0.0], [-np.inf, -np.inf]]))
    array([[0.5, 0.5],
           [0. , 0. ]])
    """
    greatest = scores.max(axis=axis, keepdims=True)
    powers = np.exp(scores - np.where(greatest > -np.inf, greatest, 0))
    totals = powers.sum(axis=axis, keepdims=True)
    return powers / (totals + (totals == 0))


def run(lines: Iterable[CodeLine], names: Names, memory: Memory | None = None) -> Names:
    r"""Run lines of code on the values in `names`, and return all values after the last line, by name.

    A `memory` stores the results of each line, so that no line runs twice on the same values.

    Raises: ValueError if a line needs matrices of other shapes; the error shows the line and the shapes.

    >>> from attention_core.mistakes.engine.code_lines import lines_of
    >>> run(lines_of("half = x / 2\nquarter = half / 2"), {"x": 8.0})["quarter"]
    2.0
    """
    names = names.copy()
    with np.errstate(all="ignore"):
        for line in lines:
            names |= _run_line(line, names) if memory is None else _recall_or_run(line, names, memory)
    return names


def _recall_or_run(line: CodeLine, names: Names, memory: Memory) -> Names:
    # Ids stay unique: lines are never freed, and the caller or the memory holds the values.
    read = (id(line), *map(id, map(names.get, line.reads)))
    if read not in memory:
        memory[read] = read_only(_run_line(line, names))
    return memory[read]


def _run_line(line: CodeLine, names: Names) -> Names:
    """Run a line, and return the values that it has assigned, by name. The values are also added to `names`."""
    try:
        exec(_compile_line(line.text), names)
    except NameError as error:
        known = ", ".join(name for name in names if not name.startswith("_"))
        raise ValueError(f"`{line.text}` needs {error.name}, but has only {known}. Compute it first.") from error
    except (ValueError, IndexError) as error:
        matrices = (name for name in sorted(line.reads) if isinstance(names.get(name), np.ndarray))
        shapes = (f"{name} {np.shape(names[name])}" for name in matrices)
        raise ValueError(
            f"`{line.text}` needs matrices that fit each other, but the shapes are {', '.join(shapes)}. "
            "Correct this step."
        ) from error
    return {name: names[name] for name in line.gives}


@cache
def _compile_line(text: str) -> CodeType:
    return compile(text, "<mistake>", "exec")
