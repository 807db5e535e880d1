"""Learned numbers in code: too many to be written down one by one, so their bytes stand there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def packed_code(reads: str, matrices: Mapping[str, np.ndarray], rows: int | None = None) -> str:
    """Return the code of a function that reads a matrix from its bytes, and a line for each matrix that calls it.

    `rows` is how many rows the function expects if it is not told.
    """
    name = reads.partition("(")[0].removeprefix("def ")
    lines = (f"{id} = {name}({_write_rows(m, rows)})" for id, m in matrices.items())
    return "\n".join([reads, "", *lines])


def _write_rows(matrix: np.ndarray, rows: int | None) -> str:
    told = "" if len(matrix) == rows else f", rows={len(matrix)}"
    return f'"{matrix.tobytes().hex()}"{told}'
