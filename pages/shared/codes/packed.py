"""Learned numbers in code: there are too many to write them one by one, so the code contains their bytes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def packed_code(reads: str, matrices: Mapping[str, np.ndarray], rows: int | None = None) -> str:
    """Return code that defines a function which reads a matrix from bytes, and calls it for each matrix.

    `rows` is the default number of rows in the function.
    """
    name = reads.partition("(")[0].removeprefix("def ")
    lines = (f"{id} = {name}({_write_rows(m, rows)})" for id, m in matrices.items())
    return "\n".join([reads, "", *lines])


def _write_rows(matrix: np.ndarray, rows: int | None) -> str:
    told = "" if len(matrix) == rows else f", rows={len(matrix)}"
    return f'"{matrix.tobytes().hex()}"{told}'
