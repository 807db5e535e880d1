"""Own steps: a computation of a task that is no trace of the core, with the mistakes that can happen in it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from attention_core.arithmetic import Worked
from attention_core.checks import Array


class OwnSteps:
    """A computation that says its matrices, their calculations and its mistakes itself."""

    __slots__ = ()

    @abstractmethod
    def matrix(self, name: str) -> Array:
        """Return a matrix of the computation."""

    @property
    def is_clear(self) -> bool:
        """Whether the numbers leave no doubt what is meant."""
        return True

    @property
    @abstractmethod
    def worked(self) -> Worked:
        """Each matrix that may be asked for, cell by cell."""

    @abstractmethod
    def mistakes(self, names: Iterable[str]) -> tuple[Any, ...]:
        """Return the mistakes that have these names, in the order of their catalogue."""
