"""The selected cell: its worked arithmetic on the page, in LaTeX and in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

import streamlit as st

from attention_core.arithmetic import Cell, Number, Operation, Term, operands
from pages.shared.controls import Parameters
from pages.shared.equation.by_name import Names, by_name
from pages.shared.equation.drawn import matrix_at, when_all_are_drawn
from pages.shared.equation.model import Matrix
from pages.shared.notation.latex import derivation, number
from pages.shared.notation.orientation import turned_cell
from pages.shared.notation.position_words import position_sentences
from pages.shared.notation.prose import literal
from pages.shared.notation.symbols import SYMBOLS
from pages.shared.state import session

TASK = "_task"  # ends the ids of a task’s matrices: the page’s own have other numbers
SLIP, RIGHT = "_slip", "_right"  # end the ids of matrices that show what a slip does, and of those beside them

ASKS, ANSWERS = "\ue000", "\ue001"  # stand for two tokens until the words around them are turned

HINT = (
    "Point at any number to light up what it is computed from. Click it, or press Enter on it, and its arithmetic "
    "stands here."
)
EDITING = " Numbers with a line below are yours to change: type, drag sideways, or paste a block."


def show(
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    parameters: Parameters,
    *,
    note: str = "",
    cell: Cell | None = None,
    editable: bool = True,
) -> None:
    """Write here, once all equations are drawn, the arithmetic of the selected cell, or how to select one, and to edit.

    The selected cell is looked up in the matrix that stands on the page. A cell that is passed is explained instead.
    A note says what the formula cannot.
    """
    here, hint = st.container(), HINT + EDITING * editable

    def write() -> None:
        place = session.visit().cell
        matrix = place and _matrix(place)
        found = cell or (matrix and place and matrix.cell(*place[1:]))
        with here:
            if found:
                with st.container(border=True, key="arithmetic"):
                    st.markdown(worked(found, tokens, key_tokens, parameters, note, _names_in(matrix)))
            elif place and not _is_of_a_slip(place[0]) and not place[0].endswith(TASK):
                st.caption(f"The selected cell, {_written(place, parameters)}, is not shown here. {hint}")
            else:
                st.caption(hint)

    when_all_are_drawn(write)


def _matrix(place: tuple[str, int, int]) -> Matrix | None:
    return None if _is_of_a_slip(place[0]) else matrix_at(place)


def _names_in(matrix: Matrix | None) -> Names:
    return matrix.computation.names if matrix and matrix.computation else {}


def _is_of_a_slip(id: str) -> bool:
    return id.partition(".")[0].endswith((SLIP, RIGHT))


def show_slip(tokens: Sequence[str], key_tokens: Sequence[str], parameters: Parameters) -> None:
    """Write, if a cell of a slip or beside it is selected, its right arithmetic, and what the slip makes of it."""
    place = session.visit().cell
    matrix = place and _is_of_a_slip(place[0]) and matrix_at(place)
    cell = matrix and place and matrix.cell(*place[1:])
    if not (place and matrix and cell):
        return
    with st.container(border=True):
        st.markdown(worked(cell, tokens, key_tokens, parameters, names=_names_in(matrix)))
        if place[0].partition(".")[0].endswith(SLIP):
            st.markdown(f"The mistake gives ${number(float(matrix.values[place[1:]]), parameters.decimals)}$.")


def worked(
    cell: Cell,
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    parameters: Parameters,
    note: str = "",
    names: Names = MappingProxyType({}),
) -> str:
    """Return the arithmetic of a cell as Markdown; `names` are those of the columns of each matrix."""
    as_shown = turned_cell(cell) if parameters.columns else cell
    formula = derivation(as_shown, parameters.decimals)
    named = dict[str, str](zip((ASKS, ANSWERS), map(literal, _tokens_of(cell, tokens, key_tokens)), strict=True))
    said = re.sub(f"[{ASKS}{ANSWERS}]", lambda token: named[token[0]], parameters.says(words(cell)))
    return f"{said} {note}\n\n$$\n{formula}\n$$\n\n{by_name(cell.term, names, parameters.decimals)}".rstrip()


def _written(place: tuple[str, int, int], parameters: Parameters) -> str:
    name, *index = place
    row, column = reversed(index) if parameters.columns else index
    return f"row {int(row) + 1}, column {int(column) + 1} of {name}"


def words(cell: Cell) -> str:
    """Say in a sentence what the arithmetic of a cell does; two signs stand for its tokens."""
    name, (*lead, last) = cell.name, cell.index
    title = SYMBOLS[name][1].capitalize()
    if isinstance(cell.term, Number) and cell.term.name == name:
        return f"**{title}**: given, not computed."
    head = f" of head {lead[0] + 1}" if len(lead) == 2 and name != "terms" else ""
    return f"**{title}{head}**: {_sentence(cell, ASKS, ANSWERS, last + 1)}"


def _tokens_of(cell: Cell, tokens: Sequence[str], key_tokens: Sequence[str]) -> tuple[str, str]:
    """Return the token that asks, and the one that answers."""
    name, (*lead, last) = cell.name, cell.index
    row = lead[-1] if lead else 0
    asks = _label(key_tokens if name in ("k", "v") else tokens, lead[0] if name == "terms" else row)
    return asks, _label(key_tokens, row if name == "terms" else last)


def _sentence(cell: Cell, asks: str, answers: str, feature: int) -> str:
    name = cell.name
    if name in ("q", "k", "v"):
        weights = SYMBOLS[f"w_{name}"][1]
        return f"multiply the features of {asks} by column {feature} of the {weights}, pair by pair, and add."
    if name == "output" and any(read == "concat" for read, _ in operands(cell.term)):
        return f"multiply the row of {asks} by column {feature} of the output weights, pair by pair, and add."
    if name == "weights" and any(read == "powers" for read, _ in operands(cell.term)):
        return f"the power at {asks}, {answers}, as a share of the sum of all that it competes with."
    if name == "concat" and any(read == "weights" for read, _ in operands(cell.term)):
        return f"what {asks} takes away in the head that owns this column: its values, weighted by its attention."
    if name == "masked" and any(read == "mask" for read, _ in operands(cell.term)):
        return f"the scaled score of {asks} and {answers}, less what the distance between them costs."
    if name == "masked":
        allowed = f"{asks} may look at {answers}: the score stays."
        return allowed if cell.value > float("-inf") else f"{asks} may not look at {answers}: −∞ gives a weight of 0."
    return {
        "scores": f"multiply the query of {asks} by the key of {answers}, feature by feature, and add. "
        "The better they match, the greater.",
        "scaled": f"the score of {asks} and {answers}, {_scaling(cell.term)}.",
        "weights": f"how much {asks} attends to {answers}: its power of ${_base(cell.term)}$, "
        "as a share of the powers of the row.",
        "powers": "the base, raised to this score less the greatest one.",
        "entropies": "each share times the logarithm of its inverse, added up: 0 where one share has all, "
        r"$\ln n$ where $n$ shares are equal.",
        "terms": f"feature {feature} of the value of {answers}, times how much {asks} attends to it.",
        "output": f"feature {feature} of what {asks} takes away: that feature of every value, "
        f"weighted by how much {asks} attends to it.",
        "heads": f"feature {feature} of what {asks} takes away here: this head’s values, weighted by its attention.",
        "concat": f"the heads’ outputs for {asks}, side by side: this number is copied.",
        "shares": f"what this head alone adds to feature {feature} of {asks}: its output times its own rows of $W^O$.",
        **position_sentences(asks, answers, feature),
    }[name]


def _base(term: Term) -> str:
    """Return what the powers of a share are powers of."""
    match term:
        case Operation("quotient", (Operation("power", (Number(value=base), _)), _)):
            return f"{base:g}"
        case _:
            return "e"


def _scaling(term: Term) -> str:
    match term:
        case Operation("quotient", (_, Operation())):
            return "brought to a size that does not grow with $d_k$"
        case Operation("quotient"):
            return "divided by $d_k$ itself, which is too much"
        case _:
            return "times the scale"


def _label(labels: Sequence[str], index: int) -> str:
    return labels[index] if index < len(labels) else str(index + 1)
