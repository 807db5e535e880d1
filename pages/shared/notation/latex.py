"""Formulas in LaTeX, and their form with tokens as columns."""

from __future__ import annotations

import re
from dataclasses import replace

from attention_core.arithmetic import Cell, Number, Term
from pages.shared.notation.symbols import LETTERS, SYMBOLS

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
    return replace(cell, index=turned_index(cell.index), term=_turned_term(cell.term))


def turned_index(index: tuple[int, ...]) -> tuple[int, ...]:
    """Return the index of a cell with its row and its column swapped."""
    return (*index[:-2], *index[:-3:-1])


def _turned_term(term: Term) -> Term:
    if isinstance(term, Number):
        return replace(term, index=turned_index(term.index))
    return replace(term, terms=tuple(map(_turned_term, term.terms)))


_SYMBOL_OF = {
    "2π": r"2\pi",
    **{name: letter for name, (letter, _) in LETTERS.items()},
    **{name: entry.symbol for name, entry in SYMBOLS.items()},
}
_BEFORE_A_FACTOR = r"(?<=\w\w)(?=W)"  # headW^O is a product, dW^Q is none


def name_of_cell(name: str, index: tuple[int, ...]) -> str:
    r"""Return the name of a cell as LaTeX. `name` is the name of its matrix, or of a number without an index.

    >>> name_of_cell("q", (0, 1)), name_of_cell("d_k", ())
    ('Q_{1,2}', 'd_k')
    """
    symbol = _SYMBOL_OF.get(name, name)
    if not index:
        return symbol
    counted = [i + 1 for i in index]
    place = ",".join(map(str, counted[-2:]))
    return (
        rf"({_with_head_number(symbol, counted[0])})_{{{place}}}" if len(index) > 2 else rf"{_word(symbol)}_{{{place}}}"
    )


def _with_head_number(symbol: str, head: int) -> str:
    first, *rest = re.split(_BEFORE_A_FACTOR, symbol)
    return " ".join(rf"{_word(part)}_{head}" for part in (first, *rest))


def breakable(latex: str) -> str:
    r"""Return several formulas as LaTeX in one line. On a narrow screen, the line may break between two formulas.

    >>> breakable(r"S = Q, \quad M = S")
    '{S = Q}, \\quad\\allowbreak {M = S}'
    """
    formulas = latex.split(r", \quad ")
    return r", \quad\allowbreak ".join(f"{{{each}}}" for each in formulas) if len(formulas) > 1 else latex


def symbol_of(name: str) -> str:
    r"""Return the symbol of a matrix of the core as LaTeX.

    >>> symbol_of("scaled"), symbol_of("shares")
    ("S'", '\\text{head} W^O')
    """
    return " ".join(_word(part) for part in re.split(_BEFORE_A_FACTOR, SYMBOLS[name].symbol))


def shape_of(*sides: str) -> str:
    r"""Return the shape of a matrix as LaTeX. `sides` are numbers, or letters such as n and d_model.

    >>> shape_of("n", "d_model")
    'n \\times d_{\\text{model}}'
    """
    return r" \times ".join(r" \, ".join(_word(_SYMBOL_OF.get(part, part)) for part in side.split()) for side in sides)


def _word(symbol: str) -> str:
    return rf"\text{{{symbol}}}" if symbol.isalpha() and len(symbol) > 2 else symbol
