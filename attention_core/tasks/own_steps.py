"""The base class for the computation of a task that is not a trace of the core."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from attention_core.arithmetic import CellCalculations
from attention_core.checks import Array


class TaskComputation:
    """The base class for a computation of a task that is not a trace: matrices, their calculations, and mistakes."""

    __slots__ = ()

    @abstractmethod
    def matrix(self, name: str) -> Array:
        """Return the matrix of the computation with this name."""

    @property
    def is_clear(self) -> bool:
        """Whether the numbers leave no doubt about the correct answer."""
        return True

    @property
    @abstractmethod
    def worked(self) -> CellCalculations:
        """The calculation of each cell of each matrix that a task may ask for."""

    @abstractmethod
    def mistakes(self, names: Iterable[str]) -> tuple[Any, ...]:
        """Return the mistakes with these names, in the order of the catalogue."""
