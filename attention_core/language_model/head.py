"""A head by its layer and its number in the layer."""

from __future__ import annotations

from typing import NamedTuple


class Head(NamedTuple):
    """A head of a model, counted from 0."""

    layer: int
    head: int

    @property
    def name(self) -> str:
        """The name of the head as in research papers."""
        return f"L{self.layer}H{self.head}"

    def __str__(self) -> str:
        """Return the name of the head."""
        return self.name
