"""The arithmetic of the selected cell for the browser, which writes it anew while its numbers move (moving_card.js)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from attention_core.arithmetic import Number, Term
from attention_core.arithmetic.formulas import Pattern, UnlessNeutral, entries_of, parts_of
from pages.shared.equation.computation import Computation
from pages.shared.equation.model import Line, matrices_of
from pages.shared.notation.derivation import BY_NAME, NOTHING_BY_NAME, Terms, derivation_of, products_by_name
from pages.shared.notation.latex import cell_with_tokens_as_columns, turned_index

MOST_TERMS_SENT = 2000  # a longer calculation is not sent, and so the card does not follow


def arithmetic_as_data(
    lines: Sequence[Line], place: tuple[str, int, int] | None, *, columns: bool, digits: int
) -> dict[str, Any] | None:
    """Return the arithmetic of the selected cell with holes for its numbers, or None if no matrix of `lines` shows it.

    `place` is the cell as (matrix id, row, column), and `columns` says whether tokens are columns.
    """
    shown = (m for m in matrices_of(lines) if place and m.id == place[0] and m.shows(*place[1:]) and m.blank is None)
    matrix = next(shown, None)
    cell = matrix and place and matrix.cell(*place[1:])
    if not matrix or not cell or not matrix.computation:
        return None
    made, computation = derivation_of(cell_with_tokens_as_columns(cell) if columns else cell), matrix.computation
    terms, pattern = Terms(made.terms), computation.pattern(cell.name)
    cells = {cell.name, *(entry.matrix.name for entry in entries_of(pattern))}
    named = products_by_name(made.terms[made.term], computation.names, terms, columns=columns)
    if len(terms.places) > MOST_TERMS_SENT:
        return None
    return {
        "place": place,
        "digits": max(4, digits),
        "left": made.left,
        "lines": made.lines,
        "note": made.note,
        "terms": [_term(term, terms, computation, cells, columns) for term in terms.places],
        "term": made.term,
        "result": made.result,
        "summands": made.summands,
        "named": {"products": named, "some": BY_NAME, "none": NOTHING_BY_NAME} if named else None,
        "neutral": _neutral_numbers(pattern),
    }


def _term(term: Term, terms: Terms, computation: Computation, cells: Collection[str], columns: bool) -> Any:
    """Return an operation as its symbol and the places of its terms, and a number as data of a formula.

    `cells` has the names of the matrices whose cells are read. A number with another name can have an index as well.
    """
    if not isinstance(term, Number):
        return [term.symbol, *map(terms.place, term.terms)]
    value = float(term.value) if math.isfinite(term.value) else str(term.value)
    if term.name is None:
        return value
    if term.name not in cells:
        return value if term.index else [":", value, term.name]
    return ["@", *computation.place(term.name, turned_index(term.index) if columns else term.index), value]


def _neutral_numbers(pattern: Pattern) -> dict[str, tuple[int, bool]]:
    """Return the numbers that it leaves out if they change nothing: by name, that number, and if it is so."""
    found = [
        (part.of[1], 0 if part.symbol == "sum" else 1) for part in parts_of(pattern) if isinstance(part, UnlessNeutral)
    ]
    return {number.name: (neutral, number.value == neutral) for number, neutral in found if number.name}
