"""Labels: the texts beside the rows and above the columns of a matrix: tokens, names of features, or numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from attention_core.examples import Example

QUERY_ROWS = ("x", "q", "output", "heads", "concat", "shares")  # one row for each query
KEY_ROWS = ("context", "k", "v", "terms")  # one row for each key
PAIRS = ("scores", "scaled", "masked", "weights")  # one row for each query, one column for each key

# By matrix: the field of `FeatureNames` with the names of its rows, or of its columns.
_ROWS: Mapping[str, str] = {"w_q": "x", "w_k": "context", "w_v": "context", "w_o": "v"}
_COLUMNS: Mapping[str, str] = {
    **dict.fromkeys(("x", "w_o", "shares"), "x"),
    "context": "context",
    **dict.fromkeys(("w_q", "b_q", "q"), "q"),
    **dict.fromkeys(("w_k", "b_k", "k"), "k"),
    **dict.fromkeys(("w_v", "b_v", "v", "terms", "output", "concat", "heads"), "v"),
}


class Labels(TypedDict, total=False):
    """The names beside rows and above columns."""

    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]


def labels_of(id: str, example: Example, width: int) -> Labels:
    """Return the labels of a matrix: tokens if its rows or columns are tokens, else names of features, else numbers.

    "heads.1" is the output of head 1, counted from 0. Its columns have the names of one block of the values.
    """
    name, _, part = id.partition(".")
    names = _names(example, _COLUMNS.get(name, ""))
    own = names[int(part) * width : (int(part) + 1) * width] if name == "heads" and part else names
    columns = own if len(own) == width else tuple(str(i + 1) for i in range(width))
    if name in PAIRS:
        return Labels(row_labels=example.tokens, column_labels=example.key_tokens)
    tokens = example.tokens if name in QUERY_ROWS else example.key_tokens if name in KEY_ROWS else None
    rows = _names(example, _ROWS.get(name, "")) if tokens is None else tokens
    return Labels(row_labels=rows, column_labels=columns)


def _names(example: Example, whose: str) -> tuple[str, ...]:
    itself = whose == "context" and example.context is None
    return getattr(example.names, "x" if itself else whose, ())


def words_above(labels: Mapping[str, Labels]) -> dict[str, tuple[str, ...]]:
    """Return by id the labels above the columns of each matrix, if they are words and not numbers."""
    above = {id: each.get("column_labels", ()) for id, each in labels.items()}
    return {id: words for id, words in above.items() if not all(word.isdecimal() for word in words)}
