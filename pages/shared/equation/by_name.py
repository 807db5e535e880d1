"""Write the products of a selected cell with the names of features, such as "1 refers × 2 thirsty"."""

from __future__ import annotations

from collections.abc import Mapping

from attention_core.arithmetic import Number, Operation, Term, evaluate
from pages.shared.notation.numbers import number

ColumnNames = Mapping[str, tuple[str, ...]]  # the names of the columns of each matrix, by its id


def by_name(term: Term, names: ColumnNames, digits: int = 4) -> str:
    """Return a sum of products as a sentence with column names, such as "By name: 1 *refers* × 2 *thirsty*."

    `term` is the sum, `names` has the column names of matrices by id, and `digits` is the number of decimals. Products
    that are 0 are left out. Return "" if a column has no name.
    """
    products = term.terms if isinstance(term, Operation) and term.symbol == "sum" else (term,)
    if not all(_is_named(product, names) for product in products):
        return ""
    written = [_write_product(product, names, digits) for product in products if evaluate(product)]
    return f"By name: {' + '.join(written)}." if written else "By name: every product is 0."


def _is_named(term: Term, names: ColumnNames) -> bool:
    factors = term.terms if isinstance(term, Operation) and term.symbol == "product" else ()
    return len(factors) == 2 and all(isinstance(factor, Number) and _name(factor, names) for factor in factors)


def _write_product(product: Term, names: ColumnNames, digits: int) -> str:
    factors = [factor for factor in getattr(product, "terms", ()) if isinstance(factor, Number)]
    return " × ".join(f"${number(factor.value, digits)}$ *{_name(factor, names)}*" for factor in factors)


def _name(factor: Number, names: ColumnNames) -> str:
    """Return the name of the column of a matrix that `factor` comes from, or "" if the column has no name.

    `names` has the column names of matrices by id. If a matrix belongs to one head, its id ends in the head's number,
    such as "heads.1".
    """
    if factor.name is None or not factor.index:
        return ""
    head, last = factor.index[0], factor.index[-1]
    id = f"{factor.name}.{head}" if len(factor.index) > 2 else factor.name
    return names[id][last] if id in names else ""
