"""The selected cell: write how to select a cell, and the arithmetic of the selected cell in LaTeX and in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

import streamlit as st

from attention_core.arithmetic import Cell
from pages.shared.controls import Parameters, controls_of
from pages.shared.equation.by_name import ColumnNames, by_name
from pages.shared.equation.cell_words import ANSWERS, ASKS, cell_sentence, tokens_of
from pages.shared.equation.drawn import matrix_on_page_at, when_all_are_drawn
from pages.shared.equation.model import Matrix
from pages.shared.notation.latex import derivation
from pages.shared.notation.numbers import number
from pages.shared.notation.orientation import cell_with_tokens_as_columns
from pages.shared.notation.prose import literal
from pages.shared.state import session

TASK = "_task"  # the end of the ids of a task’s matrices, which have other numbers than the page’s own matrices
# The ends of the ids of a matrix with a mistake, and of the correct matrix next to it.
MISTAKE_SUFFIX, RIGHT_SUFFIX = "_mistake", "_right"

HINT = "Press any number to see how it is computed; point at it to highlight the numbers that it is computed from."
EDITING = " You can change the underlined numbers: press one twice and type, drag it sideways, or paste a block."


def hint_and_arithmetic(
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    parameters: Parameters,
    *,
    note: str = "",
    cell: Cell | None = None,
    editable: bool = True,
) -> None:
    """Reserve a container. After all equations are drawn, write a hint and the arithmetic of one cell into it.

    This is the cell `cell` or, if it is None, the cell that the visitor has selected on the page. The hint says how to
    select a cell and, if `editable`, how to edit a number. `note` follows the sentence of the arithmetic.
    """
    here, hint = st.container(), HINT + EDITING * editable

    def write() -> None:
        place = session.visit().cell
        matrix = place and _matrix(place)
        found = cell or (matrix and place and matrix.cell(*place[1:]))
        with here:
            st.caption(_why_not_shown(place, parameters) * (not found) + hint)
            if found:
                card(arithmetic_text(found, tokens, key_tokens, parameters, note, _names_in(matrix)))

    when_all_are_drawn(write)


def card(*texts: str) -> None:
    """Draw a card with the arithmetic of the selected cell. Each of `texts` is one paragraph.

    The JavaScript in `card.js` moves the card next to the cell.
    """
    with st.container(border=True, key="arithmetic"):
        for text in texts:
            st.markdown(text)


def _why_not_shown(place: tuple[str, int, int] | None, parameters: Parameters) -> str:
    if place is None or _is_of_a_mistake(place[0]) or place[0].endswith(TASK):
        return ""
    in_words = controls_of(type(parameters), parameters.columns)["cell"].in_words(place)
    return f"{in_words[0].upper()}{in_words[1:]}, is not shown here. "


def _matrix(place: tuple[str, int, int]) -> Matrix | None:
    return None if _is_of_a_mistake(place[0]) else matrix_on_page_at(place)


def _names_in(matrix: Matrix | None) -> ColumnNames:
    return matrix.computation.names if matrix and matrix.computation else {}


def _is_of_a_mistake(id: str) -> bool:
    return id.partition(".")[0].endswith((MISTAKE_SUFFIX, RIGHT_SUFFIX))


def arithmetic_of_a_mistake(tokens: Sequence[str], key_tokens: Sequence[str], parameters: Parameters) -> None:
    """Write the correct arithmetic of the selected cell, and the number that the mistake gives.

    Write nothing if the selected cell is neither in the matrix with the mistake nor in the correct matrix next to it.
    """
    place = session.visit().cell
    matrix = place and _is_of_a_mistake(place[0]) and matrix_on_page_at(place)
    cell = matrix and place and matrix.cell(*place[1:])
    if not (place and matrix and cell):
        return
    card(
        arithmetic_text(cell, tokens, key_tokens, parameters, names=_names_in(matrix)),
        *mistake_text(matrix, place, parameters),
    )


def mistake_text(matrix: Matrix, place: tuple[str, int, int], parameters: Parameters) -> tuple[str, ...]:
    """Return a tuple with one sentence: which number the mistake gives in the cell at `place` (matrix id, row, column).

    Return () if `matrix`, to which the cell belongs, is not a matrix with a mistake.
    """
    if not place[0].partition(".")[0].endswith(MISTAKE_SUFFIX):
        return ()
    return (f"The mistake gives ${number(float(matrix.values[place[1:]]), parameters.decimals)}$.",)


def arithmetic_text(
    cell: Cell,
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    parameters: Parameters,
    note: str = "",
    names: ColumnNames = MappingProxyType({}),
) -> str:
    """Return the arithmetic of a cell as Markdown: a sentence, the formula with its numbers, and the products by name.

    `names` has the column names of matrices by id. The `note` follows the sentence.
    """
    as_shown = cell_with_tokens_as_columns(cell) if parameters.columns else cell
    formula = derivation(as_shown, parameters.decimals)
    named = dict[str, str](zip((ASKS, ANSWERS), map(literal, tokens_of(cell, tokens, key_tokens)), strict=True))
    sentence = re.sub(f"[{ASKS}{ANSWERS}]", lambda token: named[token[0]], parameters.in_layout(cell_sentence(cell)))
    return f"{sentence} {note}\n\n$$\n{formula}\n$$\n\n{by_name(cell.term, names, parameters.decimals)}".rstrip()
