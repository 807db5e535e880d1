"""Names of features: what the columns of an example's matrices mean, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

# The matrices whose columns a tuple of names belongs to: the learned ones, or the tokens themselves.
_NAMED: Mapping[str, str] = {"x": "x", "context": "context", "q": "w_q", "k": "w_k", "v": "w_v"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureNames:
    """What the columns of x, of the context, and of queries, keys and values are called; () where they have no names.

    Query and key meet column by column, so that a pair of names reads as question and answer: "seeks somebody",
    "is somebody". Of several heads, each owns its block of the names, as it owns its block of columns.
    """

    x: tuple[str, ...] = ()  # what a token is: "alive"
    context: tuple[str, ...] = ()  # the same of those that answer, where they come from somewhere else
    q: tuple[str, ...] = ()  # what a token asks: "seeks somebody"
    k: tuple[str, ...] = ()  # what it offers to be found by: "is somebody"
    v: tuple[str, ...] = ()  # what it hands over: "who"

    def check(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Check that there is a name for each column, given the shape of each matrix.

        Raises: ValueError if there are fewer or more names than columns, or there is no such matrix.
        """
        for field in fields(self):
            names, matrix = getattr(self, field.name), _NAMED[field.name]
            if not names:
                continue
            shape = shapes.get(matrix)
            if shape is None or len(names) != shape[-1]:
                raise ValueError(
                    f"names of {field.name} must be one a column of {matrix}; got {len(names)} names, "
                    f"{matrix} {shape or 'missing'}: give {shape[-1] if shape else 'none'}."
                )


UNNAMED = FeatureNames()
