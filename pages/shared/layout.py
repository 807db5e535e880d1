"""The layout: whether tokens are rows, as in the papers, or columns, as in some books. Not one number depends on it.

Everything is computed and kept with tokens as rows. With tokens as columns, what is shown is transposed: matrices,
orders of factors, indices, and the words that name directions.
"""

from __future__ import annotations

import re
from dataclasses import replace

from attention_core.arithmetic import Cell, Number, Term

_PAIRS = (("row", "column"), ("rows", "columns"), ("down", "across"))
_SWAPPED = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
_DIRECTION = re.compile(rf"\b({'|'.join(_SWAPPED)})\b", re.IGNORECASE)


def turned(text: str) -> str:
    """Swap the words that name directions.

    >>> turned("Softmax down the columns: each row …")
    'Softmax across the rows: each column …'
    """
    return _DIRECTION.sub(_swap, text)


def _swap(match: re.Match[str]) -> str:
    word = _SWAPPED[match[0].lower()]
    return word.capitalize() if match[0][0].isupper() else word


def turned_cell(cell: Cell) -> Cell:
    """Name the cell and what it is computed from by the places at which they stand when transposed."""
    return replace(cell, index=_turned_index(cell.index), term=_turned_term(cell.term))


def _turned_index(index: tuple[int, ...]) -> tuple[int, ...]:
    return (*index[:-2], *index[:-3:-1])


def _turned_term(term: Term) -> Term:
    if isinstance(term, Number):
        return replace(term, index=_turned_index(term.index))
    return replace(term, terms=tuple(map(_turned_term, term.terms)))
