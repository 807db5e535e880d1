"""The cells of a matrix as they stand in an equation: one row or all, turned or not, of large ones the first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pages.shared.equation.model import Matrix
from pages.shared.takehome.screen import CORNER, MOST_WRITTEN


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """What is written down of a matrix."""

    shown: np.ndarray
    full: tuple[int, int]  # its size, whether or not all is shown

    @property
    def cut_down(self) -> bool:
        """Whether there are more rows."""
        return len(self.shown) < self.full[0]

    @property
    def cut_across(self) -> bool:
        """Whether there are more columns."""
        return self.shown.shape[1] < self.full[1]


def cells_of(matrix: Matrix) -> Cells:
    """Return the cells of a matrix as they stand."""
    values = np.asarray(matrix.values, dtype=float)
    values = values if matrix.only_row is None else values[[matrix.only_row]]
    values = values.T if matrix.transposed else values
    rows, columns = (CORNER if n > MOST_WRITTEN else n for n in values.shape)
    return Cells(values[:rows, :columns], (values.shape[0], values.shape[1]))
