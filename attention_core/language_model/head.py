"""The name of a head: the layer in which it is, and its number there."""

from __future__ import annotations

from typing import NamedTuple


class Head(NamedTuple):
    """A head of a model, counted from 0."""

    layer: int
    head: int

    @property
    def name(self) -> str:
        """Its name, as research papers write it."""
        return f"L{self.layer}H{self.head}"

    def __str__(self) -> str:
        """Call it by its name."""
        return self.name
