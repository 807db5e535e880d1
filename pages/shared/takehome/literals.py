"""Write numbers, texts and arrays as Python literals that evaluate to the same values."""

from __future__ import annotations

from typing import Any

import numpy as np

from pages.shared.notation.numbers import number_literal

WIDTH = 110  # characters in a line


def literal(value: Any, indent: int = 0) -> str:
    """Return a value as Python code. For an array, the code calls `np.array`.

    `indent` is the number of characters that stand before the code on its first line.

    >>> literal(0.1), literal(-np.inf), literal(("a", "b"))
    ('0.1', '-np.inf', "('a', 'b')")
    >>> literal(np.array([[1.0, 20.0]]))
    'np.array([[1, 20]], dtype=float)'
    """
    if isinstance(value, np.ndarray):
        return _array(value, indent)
    return number_literal(value) if isinstance(value, float) else repr(value)


def rows_literal(values: np.ndarray, indent: int = 0) -> str:
    """Return a matrix as Python code: a list of rows, one in each line, with the numbers of a column below each other.

    `indent` is the number of characters that stand before the code on its first line.
    """
    cells = [[number_literal(float(value)) for value in row] for row in values]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rows = [_wrap([c.rjust(w) for c, w in zip(row, widths, strict=True)], indent + 2) for row in cells]
    return "[" + (",\n" + " " * (indent + 1)).join(f"[{row}]" for row in rows) + "]"


def _array(values: np.ndarray, indent: int) -> str:
    start = "np.array("
    whole = all("." not in text and "e" not in text for text in map(number_literal, values.ravel().tolist()))
    inner = (
        f"[{_wrap([number_literal(float(v)) for v in values], indent + len(start) + 1)}]"
        if values.ndim == 1
        else rows_literal(values, indent + len(start))
    )
    return f"{start}{inner}{', dtype=float' if whole else ''})"


def _wrap(cells: list[str], indent: int) -> str:
    lines, room = [""], WIDTH - indent
    for i, cell in enumerate(cells):
        text = cell + ", " * (i < len(cells) - 1)
        if lines[-1] and len(lines[-1]) + len(text.rstrip()) > room:
            lines.append("")
        lines[-1] += text
    return ("\n" + " " * indent).join(line.rstrip() for line in lines)
