"""The arithmetic of the selected cell, in numbers and in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

import streamlit as st

from attention_core.arithmetic import Cell, Number, Operation, Term, operands
from pages.shared.controls import Parameters, controls_of
from pages.shared.equation.engine import equations_on_page, matrix_on_page_at, when_all_are_drawn
from pages.shared.equation.matrices import ColumnNames, by_name
from pages.shared.equation.model import Matrix, matrices_of
from pages.shared.notation.latex import cell_with_tokens_as_columns, derivation
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import literal
from pages.shared.notation.records import SYMBOLS
from pages.shared.state import session

ASKS, ANSWERS = "\ue000", "\ue001"  # placeholders for two tokens while the words are changed for the layout


def cell_sentence(cell: Cell) -> str:
    """Return a sentence that explains how the number in a cell is computed."""
    name, (*lead, last) = cell.name, cell.index
    title = SYMBOLS[name].words.capitalize()
    if isinstance(cell.term, Number) and cell.term.name == name:
        return f"**{title}**: given, not computed."
    head = f" of head {lead[0] + 1}" if len(lead) == 2 and name != "terms" else ""
    return f"**{title}{head}**: {_sentence(cell, ASKS, ANSWERS, last + 1)}"


def tokens_of(cell: Cell, tokens: Sequence[str], key_tokens: Sequence[str]) -> tuple[str, str]:
    """Return the token that attends and the token that it attends to, for a cell of a matrix."""
    name, (*lead, last) = cell.name, cell.index
    row = lead[-1] if lead else 0
    if name == "terms":  # each token has such a matrix, with a row for each key
        return _label(tokens, lead[0]), _label(key_tokens, row)
    return _label(key_tokens if SYMBOLS[name].labels_of(0) == "keys" else tokens, row), _label(key_tokens, last)


def _sentence(cell: Cell, asks: str, answers: str, feature: int) -> str:
    says = SYMBOLS[cell.name].says
    if not says:
        raise LookupError(f"{cell.name} must have a sentence about its arithmetic; got none: write it in records.py.")
    if not isinstance(says, str):
        read = {name for name, _ in operands(cell.term)}
        says = next(sentence for name, sentence in says.items() if name in read or not name)
    return says.format(
        asks=asks,
        answers=answers,
        feature=feature,
        pair=(feature + 1) // 2,
        wave="cosine" if feature % 2 == 0 else "sine",
        i=(feature - 1) // 2,
        wave_base=_power_of_a_wave(cell.term)[0],
        width=_power_of_a_wave(cell.term)[1],
        base=_base(cell.term),
        scaling=_scaling(cell.term),
    )


def _base(term: Term) -> str:
    match term:
        case Operation("quotient", (Operation("power", (Number(value=base), _)), _)):
            return f"{base:g}"
        case _:
            return "e"


def _power_of_a_wave(term: Term) -> tuple[str, str]:
    """Return two texts: the base and the width in sin(position / base^(2i / width)) or the same cosine."""
    match term:
        case Operation(
            "sin" | "cos", (Operation("quotient", (_, Operation("power", (Number(value=base), exponent)))),)
        ):
            width = exponent.terms[1] if isinstance(exponent, Operation) else None
            return f"{base:g}", f"{width.value:g}" if isinstance(width, Number) else "the width"
        case _:
            return "", ""


def _scaling(term: Term) -> str:
    match term:
        case Operation("quotient", (_, Operation())):
            return "divided so that its size does not grow with $d_k$"
        case Operation("quotient"):
            return "divided by $d_k$ itself, which is too much"
        case _:
            return "times the scale"


def _label(labels: Sequence[str], index: int) -> str:
    return labels[index] if index < len(labels) else str(index + 1)


TASK = "_task"  # the end of the ids of a task’s matrices, which have other numbers than the page’s own matrices
# The ends of the ids of a matrix with a mistake, and of the correct matrix next to it.
MISTAKE_SUFFIX, RIGHT_SUFFIX = "_mistake", "_right"

HINT = "Press any number to see how it is computed and from which numbers."
EDITING = " You can change the underlined numbers: press one twice and type, drag it sideways, or paste a block."


def hint_and_arithmetic(
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    parameters: Parameters,
    *,
    note: str = "",
    cell: Cell | None = None,
) -> None:
    """Write a hint and, after all equations are drawn, a card with the arithmetic of the selected cell.

    A `cell` that is given has its card here. The card of a selected cell is beside it, wherever it is drawn.
    """
    st.caption(HINT + EDITING * _can_be_edited())
    if cell:
        card(arithmetic_text(cell, tokens, key_tokens, parameters, note))
        return

    def write() -> None:
        place = session.visit().cell
        matrix = place and _matrix(place)
        found = matrix and place and matrix.cell(*place[1:])
        if found:
            card(arithmetic_text(found, tokens, key_tokens, parameters, note, _names_in(matrix)))
        elif why := _why_not_shown(place, parameters):
            st.caption(why)

    when_all_are_drawn(write)


def _can_be_edited() -> bool:
    """Return whether a matrix on the page has numbers that visitors can change."""
    return any(matrix.editable for lines in equations_on_page().values() for matrix in matrices_of(lines))


def card(*texts: str) -> None:
    """Draw a card with the arithmetic of the selected cell. Each of `texts` is one paragraph."""
    with st.container(border=True, key="arithmetic"):
        st.markdown("\n\n".join(texts))


def _why_not_shown(place: tuple[str, int, int] | None, parameters: Parameters) -> str:
    if place is None or _is_of_a_mistake(place[0]) or place[0].endswith(TASK):
        return ""
    in_words = controls_of(type(parameters), parameters.columns)["cell"].in_words(place)
    return f"{in_words[0].upper()}{in_words[1:]}, is not shown here."


def _matrix(place: tuple[str, int, int]) -> Matrix | None:
    return None if _is_of_a_mistake(place[0]) else matrix_on_page_at(place)


def _names_in(matrix: Matrix | None) -> ColumnNames:
    return matrix.computation.names if matrix and matrix.computation else {}


def _is_of_a_mistake(id: str) -> bool:
    return id.partition(".")[0].endswith((MISTAKE_SUFFIX, RIGHT_SUFFIX))


def arithmetic_of_a_mistake(tokens: Sequence[str], key_tokens: Sequence[str], parameters: Parameters) -> None:
    """Write the correct arithmetic of the selected cell, and the number that the mistake gives."""
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
    formulas = "\n\n".join(f"$$\n{line}\n$$" for line in derivation(as_shown, parameters.decimals))
    named = dict[str, str](zip((ASKS, ANSWERS), map(literal, tokens_of(cell, tokens, key_tokens)), strict=True))
    sentence = re.sub(f"[{ASKS}{ANSWERS}]", lambda token: named[token[0]], parameters.in_layout(cell_sentence(cell)))
    return f"{sentence} {note}\n\n{formulas}\n\n{by_name(cell.term, names, parameters.decimals)}".rstrip()
