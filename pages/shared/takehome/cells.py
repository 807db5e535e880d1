"""The cells of a matrix that a file shows: the cells of the equation, but only a corner of a large matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pages.shared.equation.model import Matrix
from pages.shared.takehome.screen import CORNER, MOST_WRITTEN


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The part of a matrix that fits into a file, and the size of the whole matrix."""

    shown: np.ndarray
    full: tuple[int, int]  # the size of the whole matrix
    down: tuple[str, ...]  # the names of the shown rows, or ()
    across: tuple[str, ...]  # the names of the shown columns, or ()

    @property
    def leaves_out_rows(self) -> bool:
        """Whether the file leaves out rows of the matrix."""
        return len(self.shown) < self.full[0]

    @property
    def leaves_out_columns(self) -> bool:
        """Whether the file leaves out columns of the matrix."""
        return self.shown.shape[1] < self.full[1]


def cells_of(matrix: Matrix) -> Cells:
    """Return the part of a matrix that a file shows: only a corner if the matrix is large."""
    values = np.asarray(matrix.values, dtype=float)
    values = values if matrix.only_row is None else values[[matrix.only_row]]
    values = values.T if matrix.transposed else values
    down, across = matrix.row_labels, matrix.column_labels
    down = down if matrix.only_row is None or not down else (down[matrix.only_row],)
    down, across = (across, down) if matrix.transposed else (down, across)
    rows, columns = (CORNER if n > MOST_WRITTEN else n for n in values.shape)
    return Cells(values[:rows, :columns], (values.shape[0], values.shape[1]), down[:rows], across[:columns])
