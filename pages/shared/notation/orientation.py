"""Change texts, formulas and cells for the layout with tokens as columns, as in some books. The numbers are the same.

Everything is computed with tokens as rows, as in papers. With tokens as columns, the page shows the transpose: of
matrices, of the order of factors, of indices, and of the words "row" and "column". Q K^T then becomes K^T Q.
"""

from __future__ import annotations

import re
from dataclasses import replace

from attention_core.arithmetic import Cell, Number, Term

_PAIRS = (("row", "column"), ("rows", "columns"), ("down", "across"))
_SWAPPED = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
_DIRECTION = re.compile(rf"\b({'|'.join(_SWAPPED)})\b", re.IGNORECASE)


class Said(str):
    """A text of a `texts.md`. Its words for directions are already those of the layout."""

    __slots__ = ()


def turn_words(text: str) -> str:
    """Return a text with the words for directions swapped. A text of a `texts.md` stays as it is.

    >>> turn_words("Softmax down the columns: each row …")
    'Softmax across the rows: each column …'
    """
    return text if isinstance(text, Said) else _DIRECTION.sub(_swap, text)


def _swap(match: re.Match[str]) -> str:
    word = _SWAPPED[match[0].lower()]
    return word.capitalize() if match[0][0].isupper() else word


_MATRIX = r"d?[A-Z](?:\^(?:\\top|[A-Z]))?(?:_\w(?:\^\\top)?)?"
_PRODUCT = re.compile(rf"(?<![\w\\^])({_MATRIX}) ({_MATRIX})(?!\w)")
_OF_A_FUNCTION = r"\\operatorname\{\w+\}(?:\\!\\left\(.*\\right\)|\([^()]*\))?"
_FUNCTION_FIRST = re.compile(rf"({_OF_A_FUNCTION}) (\\,|\\cdot) ({_MATRIX})")
_FUNCTION_LAST = re.compile(rf"({_MATRIX}) (\\,|\\cdot) ({_OF_A_FUNCTION})")
_PLACE = re.compile(r"_\{([ij1c]'?)([ij1c]'?)\}")
_LENGTH = r"\w(?:_(?:\w|\{\\text\{\w+\}\}))?"
_SHAPE = re.compile(rf"\^\{{({_LENGTH}) \\times ({_LENGTH})\}}")


def turned_formula(latex: str) -> str:
    r"""Return a formula for tokens as columns: with factors, indices and shapes swapped. Symbols keep their names.

    >>> turned_formula(r"S = Q K^\top")
    'S = K^\\top Q'
    >>> turned_formula(r"dA = dZ V^\top")
    'dA = V^\\top dZ'
    """
    before = _FUNCTION_FIRST if _FUNCTION_FIRST.search(latex) else _FUNCTION_LAST
    latex = before.sub(r"\3 \2 \1", latex)
    latex = _PRODUCT.sub(r"\2 \1", latex)
    latex = _PLACE.sub(r"_{\2\1}", latex)
    return _SHAPE.sub(r"^{\2 \\times \1}", latex)


def cell_with_tokens_as_columns(cell: Cell) -> Cell:
    """Return a cell for tokens as columns: with row and column swapped, in the cell and in its operands."""
    return replace(cell, index=_turned_index(cell.index), term=_turned_term(cell.term))


def _turned_index(index: tuple[int, ...]) -> tuple[int, ...]:
    return (*index[:-2], *index[:-3:-1])


def _turned_term(term: Term) -> Term:
    if isinstance(term, Number):
        return replace(term, index=_turned_index(term.index))
    return replace(term, terms=tuple(map(_turned_term, term.terms)))
