"""Code that contains learned numbers as bytes, because there are too many to write them one by one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def packed_code(reader_code: str, matrices: Mapping[str, np.ndarray], rows: int | None = None) -> str:
    """Return code that defines `matrices` from bytes: a function that reads one matrix, and a call for each matrix.

    `reader_code` is the code of the function. The function has a parameter for the number of rows. `rows` is the
    default of this parameter, or None if it has no default.
    """
    name = reader_code.partition("(")[0].removeprefix("def ")
    lines = (f"{id} = {name}({_write_rows(m, rows)})" for id, m in matrices.items())
    return "\n".join([reader_code, "", *lines])


def _write_rows(matrix: np.ndarray, rows: int | None) -> str:
    argument = "" if len(matrix) == rows else f", rows={len(matrix)}"
    return f'"{matrix.tobytes().hex()}"{argument}'
