"""The calculation of a cell in LaTeX.

It is written with holes for its numbers, which this module fills. The browser gets the same text with its holes, and
fills them anew while a number moves (equation/written.js).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from attention_core.arithmetic import Cell, Number, Operation, Symbol, Term, evaluate, operands
from pages.shared.notation.latex import name_of_cell, turned_index
from pages.shared.notation.numbers import number
from pages.shared.notation.symbols import symbol_of_matrix

Mode = Literal["names", "values"]

MOST_TERMS = 6  # a longer sum is written with dots
_BINDS = {"sum": 1, "difference": 1, "product": 2, "quotient": 3, "power": 4}
_HOLE = re.compile("\ue002(\\d+),(\\d)\ue003")


class Terms:
    """The terms whose numbers stand in a text. In the text, each number is a hole."""

    __slots__ = ("places",)

    def __init__(self, terms: Iterable[Term] = ()) -> None:
        self.places = {term: place for place, term in enumerate(terms)}  # each term after its own terms

    def place(self, term: Term) -> int:
        """Return the number of a term among all terms. Count a new term, and the terms in it."""
        if term not in self.places:
            for part in getattr(term, "terms", ()):
                self.place(part)
            self.places[term] = len(self.places)
        return self.places[term]

    def hole(self, term: Term, outer_tightness: int = 0) -> str:
        """Return a hole for the number of a term. `outer_tightness` says whether a negative number needs brackets."""
        return f"\ue002{self.place(term)},{outer_tightness}\ue003"


@dataclass(frozen=True, slots=True)
class Derivation:
    """The calculation of a cell as LaTeX in lines, with holes for numbers. `terms` has the terms of these numbers.

    `term` and `result` are the places of two of them: the calculation of the cell, and the number in the cell.
    `summands` are the places of the terms that are added, if the calculation is a sum.
    """

    left: str
    lines: tuple[str, ...]
    note: str
    terms: tuple[Term, ...]
    term: int
    result: int
    summands: tuple[int, ...]


def derivation(cell: Cell, digits: int = 4) -> str:
    """Return the calculation of a cell as LaTeX, in several lines. The last line is the result.

    The sign before a line is "=" if the rounded numbers of the line before give exactly the numbers of this line.
    Otherwise the sign is "≈".
    """
    made = derivation_of(cell)
    lines = [filled(line, made.terms, digits) for line in made.lines]
    signs = ["="] * (len(lines) - 2) + _last_signs(made, digits) if len(lines) > 2 else ["="] * len(lines)
    steps = [
        (sign, line) for i, (sign, line) in enumerate(zip(signs, lines, strict=True)) if line != lines[i - 1] or not i
    ]
    body = r" \\ ".join(("" if i else made.left) + f" &{sign} " + line for i, (sign, line) in enumerate(steps))
    return rf"\begin{{aligned}} {body}{filled(made.note, made.terms, digits)} \end{{aligned}}"


def derivation_of(cell: Cell) -> Derivation:
    """Return the calculation of a cell with holes for its numbers."""
    terms = Terms()
    term, result = terms.place(cell.term), Number(cell.value, cell.name, cell.index)
    left = name_of_cell(symbol_of_matrix(cell.name, (name for name, _ in operands(cell.term))), cell.index)
    named = _latex(cell.term, "names", terms)
    if isinstance(cell.term, Number):
        lines = (named,) * (named != left)
    else:
        lines = (named, _latex(cell.term, "values", terms), _with_partial_results(cell.term, terms))
    summands = cell.term.terms if isinstance(cell.term, Operation) and cell.term.symbol == "sum" else ()
    return Derivation(
        left, (*lines, terms.hole(result)), _peak_note(cell.term, terms), tuple(terms.places), term,
        terms.place(result), tuple(map(terms.place, summands)),
    )  # fmt: skip


def filled(text: str, terms: tuple[Term, ...], digits: int) -> str:
    """Return a text with the numbers of `terms` in its holes. `digits` is the number of significant digits."""
    return _HOLE.sub(lambda hole: _bracket(number(evaluate(terms[int(hole[1])]), digits), int(hole[2])), text)


def latex(term: Term, mode: Mode, digits: int = 4) -> str:
    """Return a term as LaTeX. If `mode` is "names", it shows the names of the operands, and otherwise their numbers."""
    terms = Terms()
    return filled(_latex(term, mode, terms), tuple(terms.places), digits)


def _latex(term: Term, mode: Mode, terms: Terms, outer_tightness: int = 0) -> str:
    """Return a term as LaTeX with holes.

    The term is in brackets if it binds less tightly than `outer_tightness`, the tightness of the operation around it.
    For example, a sum (1) in a product (2) needs brackets.
    """
    if isinstance(term, Number):
        named = mode == "names" and term.name
        return name_of_cell(named, term.index) if named else terms.hole(term, outer_tightness)
    if term.symbol == "maximum":
        return r"\max" if mode == "names" else terms.hole(term, outer_tightness)
    text = _operation(term, mode, terms)
    return rf"\left({text}\right)" if _BINDS.get(term.symbol, 9) < outer_tightness else text


def _operation(term: Operation, mode: Mode, terms: Terms) -> str:
    binds = _BINDS.get(term.symbol, 0)
    parts = _shorten(
        [_latex(part, mode, terms, _needed_tightness(term.symbol, i, binds)) for i, part in enumerate(term.terms)]
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


def _bracket(text: str, outer: int) -> str:
    loose = text.startswith("-") or (r"\cdot" in text and outer >= _BINDS["power"])  # (1 · 10⁴)², not 1 · 10⁴²
    return f"({text})" if loose and outer else text


def _with_partial_results(term: Operation, terms: Terms) -> str:
    if term.symbol == "quotient":
        return rf"\frac{{{_with_computed_sums(term.terms[0], terms)}}}{{{_with_computed_sums(term.terms[1], terms)}}}"
    return _with_computed_sums(term, terms)


def _with_computed_sums(term: Term, terms: Terms) -> str:
    if isinstance(term, Operation) and term.symbol == "sum":
        return " + ".join(_shorten([terms.hole(part, min(i, 1)) for i, part in enumerate(term.terms)]))
    return terms.hole(term)


def _last_signs(made: Derivation, digits: int) -> list[str]:
    """Return the signs ("=" or "≈") before two lines: the line with the computed summands of a sum, and the result."""
    parts, value = [made.terms[place] for place in made.summands], evaluate(made.terms[made.result])
    if not parts or not math.isfinite(value):
        return ["=", "="]
    follow = all(number(evaluate(_rounded(part, digits)), digits) == number(evaluate(part), digits) for part in parts)
    adds_up = number(sum(_as_shown(evaluate(part), digits) for part in parts), digits) == number(value, digits)
    return ["=" if follow else r"\approx", "=" if adds_up else r"\approx"]


def _rounded(term: Term, digits: int) -> Term:
    if isinstance(term, Number):
        return replace(term, value=_as_shown(term.value, digits))
    return replace(term, terms=tuple(_rounded(part, digits) for part in term.terms))


def _as_shown(value: float, digits: int) -> float:
    return float(f"{value:.{max(4, digits)}g}")


def _peak_note(term: Term, terms: Terms) -> str:
    peak = next(_peaks(term), None)
    if peak is None:
        return ""
    line = ", ".join(_shorten([_latex(part, "values", terms) for part in peak.terms]))
    return rf" \\ \text{{where }} \max &= \max({line}) = {terms.hole(peak)}"


def _peaks(term: Term) -> Iterator[Operation]:
    if isinstance(term, Operation):
        if term.symbol == "maximum":
            yield term
        for part in term.terms:
            yield from _peaks(part)


# --- the products of a sum by the names of columns ---

ColumnNames = Mapping[str, tuple[str, ...]]  # the names of the columns of each matrix, by its id
BY_NAME, NOTHING_BY_NAME = "By name: {}.", "By name: every product is 0."


def by_name(term: Term, names: ColumnNames, digits: int = 4) -> str:
    """Return a sum of products as a sentence with column names, such as "By name: 1 *refers* × 2 *thirsty*."

    `term` is the sum, `names` has the column names of matrices by id, and `digits` is the number of decimals. Products
    that are 0 are left out. Return "" if a column has no name.
    """
    terms = Terms()
    products = products_by_name(term, names, terms)
    found = tuple(terms.places)
    written = [filled(text, found, digits) for place, text in products if evaluate(found[place])]
    return (BY_NAME.format(" + ".join(written)) if written else NOTHING_BY_NAME) if products else ""


def products_by_name(term: Term, names: ColumnNames, terms: Terms, *, columns: bool = False) -> list[tuple[int, str]]:
    """Return each product of a sum: its place in `terms`, and its factors as Markdown with holes and column names.

    `columns` says whether the indices of the term are those of tokens as columns. Return [] if a column has no name.
    """
    products = term.terms if isinstance(term, Operation) and term.symbol == "sum" else (term,)
    written = [(terms.place(product), _write_product(product, names, terms.hole, columns)) for product in products]
    return written if all(text for _, text in written) else []


def _write_product(product: Term, names: ColumnNames, hole: Callable[[Term], str], columns: bool) -> str:
    """Return a product of two factors as Markdown, or "" if it has other factors or one of them has no name."""
    factors = product.terms if isinstance(product, Operation) and product.symbol == "product" else ()
    called = [_column_name(factor, names, columns) for factor in factors]
    if len(factors) != 2 or not all(called):
        return ""
    return " × ".join(f"${hole(factor)}$ *{name}*" for factor, name in zip(factors, called, strict=True))


def _column_name(factor: Term, names: ColumnNames, columns: bool) -> str:
    if not isinstance(factor, Number) or factor.name is None or not factor.index:
        return ""
    index = turned_index(factor.index) if columns else factor.index
    head, last = index[0], index[-1]
    id = f"{factor.name}.{head}" if len(index) > 2 else factor.name
    return names[id][last] if id in names else ""
