"""The labels of a matrix, beside its rows and above its columns: tokens, names of features, or numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from attention_core.examples import Example
from pages.shared.notation.records import SYMBOLS


class Labels(TypedDict, total=False):
    """The texts beside the rows and above the columns of a matrix."""

    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]


def labels_of(id: str, example: Example, width: int) -> Labels:
    """Return the labels of the rows and columns of a matrix. `id` is its id, and `width` is its number of columns.

    If a row or a column belongs to a token, its label is the token. Otherwise it is the name of a feature or, without
    such names, a number. The columns of "heads.1", the output of head 1 (counted from 0), have the names of this head's
    values.
    """
    name, _, part = id.partition(".")
    rows, columns = (_labels(example, SYMBOLS[name].labels_of(axis)) for axis in (0, 1))
    if name == "heads" and part:
        columns = columns[int(part) * width : (int(part) + 1) * width]
    of_tokens = SYMBOLS[name].labels_of(1) in ("tokens", "keys")
    numbers = tuple(str(i + 1) for i in range(width))
    return Labels(row_labels=rows, column_labels=columns if of_tokens or len(columns) == width else numbers)


def _labels(example: Example, kind: str) -> tuple[str, ...]:
    """Return the labels along one side of a matrix, or () if there are none.

    `kind` is "tokens" for the tokens that attend, "keys" for the tokens that are attended to, or the name of a matrix
    whose features have names, such as "q".
    """
    if kind in ("tokens", "keys"):
        return example.tokens if kind == "tokens" else example.key_tokens
    itself = kind == "context" and example.context is None
    return getattr(example.names, "x" if itself else kind, ())


def words_above(labels: Mapping[str, Labels]) -> dict[str, tuple[str, ...]]:
    """Return the labels above the columns of each matrix, by id.

    Matrices whose labels are only numbers are left out.
    """
    above = {id: each.get("column_labels", ()) for id, each in labels.items()}
    return {id: words for id, words in above.items() if not all(word.isdecimal() for word in words)}
