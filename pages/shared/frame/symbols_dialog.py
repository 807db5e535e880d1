"""The dialog “Symbols”: the meaning of each symbol, beginning with those on the screen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import streamlit as st

from attention_core.arithmetic import operands
from pages.shared.controls import Parameters
from pages.shared.equation.computation import id_of
from pages.shared.equation.drawn import equations_on_page
from pages.shared.equation.model import Matrix, matrices_of
from pages.shared.notation.glossary import EVERYWHERE, WORDS
from pages.shared.notation.latex import shape_of, symbol_of
from pages.shared.notation.prose import typeset
from pages.shared.notation.symbols import LETTERS, SAME, SYMBOLS, symbol_of_id, symbol_of_matrix
from pages.shared.notation.tables import markdown_table


@st.dialog("Symbols", width="medium")
def dialog(parameters: Parameters) -> None:
    """Draw the dialog of symbols: the symbols on the screen, the meaning of some words, and all other symbols."""
    shown = matrices_on_page()
    if shown:
        st.markdown(f"**On the screen**\n\n{_matrices(shown, parameters)}")
        st.markdown(_letters(_letters_of(shown)))
    words = {**{word: entry.means for word, entry in EVERYWHERE.items()}, **WORDS}.items()
    st.markdown(f"**Words**\n\n{markdown_table(('Word', 'Meaning'), words, ':--')}")
    with st.expander("All other symbols" if shown else "All symbols"):
        others = {name: None for name in SYMBOLS if name not in {*shown, *SAME}}
        st.markdown(_matrices(others, parameters))
        st.markdown(f"**Letters and signs**\n\n{_letters([*LETTERS])}")


def _letters_of(shown: Iterable[str]) -> list[str]:
    """Return the letters, such as "n" and "d_k", in the shapes of matrices. `shown` has the names of the matrices."""
    sides = {part for name in shown for part in re.findall(r"\w+", SYMBOLS[name].shape)}
    return [name for name in LETTERS if name in sides]


def _letters(names: Iterable[str]) -> str:
    rows = [(f"${LETTERS[name][0]}$", typeset(LETTERS[name][1])) for name in names]
    return markdown_table(("Symbol", "Meaning"), rows, ":--")


def matrices_on_page() -> dict[str, Matrix | None]:
    """Return the matrices in the equations of the page, by their names in the table of symbols."""
    shown = [matrix for lines in equations_on_page().values() for matrix in matrices_of(lines)]
    return {SAME.get(name, name): matrix for matrix in shown if (name := name_of(matrix))}


def name_of(matrix: Matrix) -> str | None:
    """Return the name of a matrix in the table of symbols, or None if the table does not have the matrix."""
    name, cell = symbol_of_id(matrix.id), matrix.cell(matrix.only_row or 0, 0)
    worked = [read for read, _ in operands(cell.term)] if cell else []
    return name and symbol_of_matrix(name, [*worked, *map(id_of, matrix.reads)])


def _matrices(matrices: Mapping[str, Matrix | None], parameters: Parameters) -> str:
    rows = [_row(name, matrix, parameters) for name, matrix in matrices.items()]
    return markdown_table(("Symbol", "Meaning", "Shape"), rows, ":--")


def _row(name: str, matrix: Matrix | None, parameters: Parameters) -> tuple[str, ...]:
    record = SYMBOLS[name]
    sides = [_in_letters(record.shape.split(" × "), matrix), *([[*map(str, matrix.values.shape)]] if matrix else [])]
    shapes = " = ".join(f"{{{shape_of(*(each[::-1] if parameters.columns else each))}}}" for each in sides)
    return f"${symbol_of(name)}$", f"**{record.words}**: {typeset(parameters.in_layout(record.means))}", f"${shapes}$"


def _in_letters(sides: list[str], matrix: Matrix | None) -> list[str]:
    """Return the shape of `matrix` in letters, such as ["n", "2 d_k"] if its columns belong to 2 heads.

    `sides` has the letters for the rows and for the columns of one head.
    """
    if matrix is None or matrix.blocks is None or sides[1].startswith("h "):
        return sides
    heads = matrix.values.shape[1] // matrix.blocks
    return [sides[0], f"{heads} {sides[1]}" if heads > 1 else sides[1]]
