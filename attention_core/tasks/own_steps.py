"""The interface of a task's own computation, which is not a trace of the core, with its possible mistakes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from attention_core.arithmetic import Worked
from attention_core.checks import Array


class OwnSteps:
    """A computation that defines its matrices, their calculations and its mistakes."""

    __slots__ = ()

    @abstractmethod
    def matrix(self, name: str) -> Array:
        """Return a matrix of the computation."""

    @property
    def is_clear(self) -> bool:
        """Whether the numbers make the task unambiguous."""
        return True

    @property
    @abstractmethod
    def worked(self) -> Worked:
        """The calculation of each cell of each matrix that may be asked for."""

    @abstractmethod
    def mistakes(self, names: Iterable[str]) -> tuple[Any, ...]:
        """Return the mistakes with these names, in the order of their catalogue."""
