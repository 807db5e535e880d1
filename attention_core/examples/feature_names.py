"""The names of features: what the columns of an example's matrices mean, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

# For each field of `FeatureNames`: the matrix whose columns have these names.
_NAMED: Mapping[str, str] = {"x": "x", "context": "context", "q": "w_q", "k": "w_k", "v": "w_v"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureNames:
    """The names of the columns of x, of the context, and of queries, keys and values; () if they have no names.

    Queries and keys are multiplied column by column. Therefore the name of a column of the queries fits the name of the
    same column of the keys: “looks for somebody” and “is somebody”. With several heads, each head has a block of
    columns, and the names of these columns.
    """

    x: tuple[str, ...] = ()  # a property of a token: "alive"
    context: tuple[str, ...] = ()  # a property of a token of the context, if it is not x
    q: tuple[str, ...] = ()  # what a query looks for: "looks for somebody"
    k: tuple[str, ...] = ()  # what a key can be found by: "is somebody"
    v: tuple[str, ...] = ()  # what others take from a value: "who"

    def check(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Check that there is a name for each column. `shapes` has the shape of each matrix by name.

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
