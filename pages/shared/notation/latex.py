"""Formulas in LaTeX, and their form with tokens as columns."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

from attention_core.arithmetic import Cell, Number, Operation, Symbol, Term, evaluate, operands
from pages.shared.notation.numbers import number
from pages.shared.notation.symbols import LETTERS, SYMBOLS, symbol_of_matrix

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


Mode = Literal["names", "values"]

_SYMBOL_OF = {
    "2π": r"2\pi",
    **{name: letter for name, (letter, _) in LETTERS.items()},
    **{name: entry.symbol for name, entry in SYMBOLS.items()},
}
_BEFORE_A_FACTOR = r"(?<=\w\w)(?=W)"  # headW^O is a product, dW^Q is none
MOST_TERMS = 6  # a longer sum is written with dots
_BINDS = {"sum": 1, "difference": 1, "product": 2, "quotient": 3, "power": 4}


def derivation(cell: Cell, digits: int = 4) -> list[str]:
    """Return the calculation of a cell as LaTeX: its symbol, and lines that begin with a sign, down to the result.

    The sign before a line is "=" if the rounded numbers of the line before give exactly the numbers of this line.
    Otherwise the sign is "≈". Each line is a formula of its own, so that a long one can break between its summands.
    """
    left = _name(symbol_of_matrix(cell.name, (name for name, _ in operands(cell.term))), cell.index)
    result = number(cell.value, digits)
    if isinstance(cell.term, Number):
        named = latex(cell.term, "names", digits)
        lines = [result] if named in (left, result) else [named, result]
    else:
        lines = [
            latex(cell.term, "names", digits),
            latex(cell.term, "values", digits),
            _with_partial_results(cell.term, digits),
            result,
        ]
    signs = ["="] * (len(lines) - 2) + _last_signs(cell, digits) if len(lines) > 2 else ["="] * len(lines)
    steps = [
        (sign, line) for i, (sign, line) in enumerate(zip(signs, lines, strict=True)) if line != lines[i - 1] or not i
    ]
    written = [f"{sign} {line}" for sign, line in steps] + _peak_note(cell.term, digits)
    return [left, *(line.replace(r"\cdot ", r"\cdot\nobreak ") for line in written)]


def latex(term: Term, mode: Mode, digits: int = 4, outer_tightness: int = 0) -> str:
    """Return a term as LaTeX. If `mode` is "names", it shows the names of the operands, and otherwise their numbers.

    The term is in brackets if it binds less tightly than `outer_tightness`, the tightness of the operation around it.
    For example, a sum (1) in a product (2) needs brackets. `digits` is the number of significant digits.
    """
    if isinstance(term, Number):
        return _number(term, mode, digits, outer_tightness)
    if term.symbol == "maximum":
        return r"\max" if mode == "names" else _bracket(number(evaluate(term), digits), outer_tightness)
    text = _operation(term, mode, digits)
    return rf"\left({text}\right)" if _BINDS.get(term.symbol, 9) < outer_tightness else text


def _operation(term: Operation, mode: Mode, digits: int) -> str:
    binds = _BINDS.get(term.symbol, 0)
    parts = _shorten(
        [latex(part, mode, digits, _needed_tightness(term.symbol, i, binds)) for i, part in enumerate(term.terms)]
    )
    if term.symbol in _WRITTEN:
        return _WRITTEN[term.symbol].format(*parts)
    times = r" \cdot " if mode == "values" else r" \, "
    return {"sum": " + ", "difference": " - ", "product": times}[term.symbol].join(parts)


_WRITTEN: Mapping[Symbol, str] = {
    "quotient": r"\frac{{{0}}}{{{1}}}",
    "power": r"{0}^{{{1}}}",
    "exp": r"e^{{{0}}}",
    "log": r"\ln {0}",
    "root": r"\sqrt{{{0}}}",
    "sin": r"\sin\left({0}\right)",
    "cos": r"\cos\left({0}\right)",
}


def _needed_tightness(symbol: Symbol, position: int, tightness: int) -> int:
    if symbol in ("quotient", "exp", "root", "sin", "cos") or (symbol == "power" and position):
        return 0
    return tightness + (1 if symbol == "difference" and position else 0)


def _shorten(parts: list[str]) -> list[str]:
    return parts if len(parts) <= MOST_TERMS else [*parts[:3], r"\cdots", parts[-1]]


def _number(term: Number, mode: Mode, digits: int, outer: int) -> str:
    if mode == "names" and term.name:
        return _name(term.name, term.index)
    return _bracket(number(term.value, digits), outer)


def _bracket(text: str, outer: int) -> str:
    loose = text.startswith("-") or (r"\cdot" in text and outer >= _BINDS["power"])  # (1 · 10⁴)², not 1 · 10⁴²
    return f"({text})" if loose and outer else text


def _name(name: str, index: tuple[int, ...]) -> str:
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


def _with_partial_results(term: Operation, digits: int) -> str:
    if term.symbol == "quotient":
        return rf"\frac{{{_with_computed_sums(term.terms[0], digits)}}}{{{_with_computed_sums(term.terms[1], digits)}}}"
    return _with_computed_sums(term, digits)


def _last_signs(cell: Cell, digits: int) -> list[str]:
    """Return the signs ("=" or "≈") before two lines: the line with the computed summands of a sum, and the result."""
    if not isinstance(cell.term, Operation) or cell.term.symbol != "sum" or not math.isfinite(cell.value):
        return ["=", "="]
    parts = cell.term.terms
    follow = all(number(evaluate(_rounded(part, digits)), digits) == number(evaluate(part), digits) for part in parts)
    adds_up = number(sum(_as_shown(evaluate(part), digits) for part in parts), digits) == number(cell.value, digits)
    return ["=" if follow else r"\approx", "=" if adds_up else r"\approx"]


def _rounded(term: Term, digits: int) -> Term:
    if isinstance(term, Number):
        return replace(term, value=_as_shown(term.value, digits))
    return replace(term, terms=tuple(_rounded(part, digits) for part in term.terms))


def _as_shown(value: float, digits: int) -> float:
    return float(f"{value:.{max(4, digits)}g}")


def _with_computed_sums(term: Term, digits: int) -> str:
    if isinstance(term, Operation) and term.symbol == "sum":
        values = [number(evaluate(part), digits) for part in term.terms]
        return " + ".join(_shorten([_bracket(v, min(i, 1)) for i, v in enumerate(values)]))
    return number(evaluate(term), digits)


def _peak_note(term: Term, digits: int) -> list[str]:
    peak = next(_peaks(term), None)
    if peak is None:
        return []
    line = ", ".join(_shorten([latex(part, "values", digits) for part in peak.terms]))
    return [rf"\text{{where }} \max = \max({line}) = {number(evaluate(peak), digits)}"]


def _peaks(term: Term) -> Iterator[Operation]:
    if isinstance(term, Operation):
        if term.symbol == "maximum":
            yield term
        for part in term.terms:
            yield from _peaks(part)
