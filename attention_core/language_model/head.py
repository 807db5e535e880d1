"""The name of a head: its layer and its number in the layer."""

from __future__ import annotations

from typing import NamedTuple


class Head(NamedTuple):
    """A head of a model: the number of its layer, and its number in the layer. Both count from 0."""

    layer: int
    head: int

    @property
    def name(self) -> str:
        """The name of the head as research papers write it, such as L16H0."""
        return f"L{self.layer}H{self.head}"

    def __str__(self) -> str:
        """Return the name of the head."""
        return self.name
