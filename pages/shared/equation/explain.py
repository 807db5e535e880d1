"""The selected cell: its worked arithmetic on the page, in LaTeX and in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from attention_core.arithmetic import Cell, Number, Operation, Term, Worked, explain, operands, shape_of
from attention_core.attention import SelfAttentionTrace
from attention_core.heads import MultiHeadTrace
from attention_core.softmax import SoftmaxTrace
from pages.shared.controls import Parameters
from pages.shared.notation.latex import derivation, number
from pages.shared.notation.orientation import turned_cell
from pages.shared.notation.position_words import position_sentences
from pages.shared.notation.prose import literal
from pages.shared.notation.symbols import SYMBOLS
from pages.shared.state import session

Trace = SelfAttentionTrace | MultiHeadTrace | SoftmaxTrace | Worked

TASK = "_task"  # ends the ids of a task’s matrices: the page’s own have other numbers
SLIP, RIGHT = "_slip", "_right"  # end the ids of matrices that show what a slip does, and of those beside them

ASKS, ANSWERS = "\ue000", "\ue001"  # stand for two tokens until the words around them are turned

HINT = (
    "Point at any number to light up what it is computed from. Click it, or press Enter on it, and its arithmetic "
    "stands here."
)
EDITING = " Numbers with a line below are yours to change: type, drag sideways, or paste a block."


def show(
    traces: Mapping[str, Trace],
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    parameters: Parameters,
    *,
    note: str = "",
    place: tuple[str, int, int] | None = None,
    editable: bool = True,
) -> None:
    """Write the arithmetic of the selected cell, or of the one at `place`, or how to select one, and to edit.

    Each trace stands under the suffix that its matrices' ids carry on this page: "" for none, "rows" for
    "weights_rows". A note says what the formula cannot.
    """
    place, hint = place or session.visit().cell, HINT + EDITING * editable
    cell = None if place is None else _find(traces, place)
    if cell is not None:
        with st.container(border=True, key="arithmetic"):
            st.markdown(_arithmetic(cell, tokens, key_tokens, parameters, note))
    elif place is not None and not place[0].endswith((SLIP, RIGHT, TASK)):
        st.caption(f"The selected cell, {_written(place, parameters)}, is not shown here. {hint}")
    else:
        st.caption(hint)


def show_slip(
    right: Trace,
    wrong: Trace,
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    parameters: Parameters,
) -> None:
    """Write, if a cell of a slip or beside it is selected, its right arithmetic, and what the slip makes of it."""
    place = session.visit().cell
    if place is None or not place[0].endswith((SLIP, RIGHT)):
        return
    cell = _find({"": right}, (place[0].removesuffix(SLIP).removesuffix(RIGHT), *place[1:]))
    if cell is None:
        return
    with st.container(border=True):
        st.markdown(_arithmetic(cell, tokens, key_tokens, parameters))
        if place[0].endswith(SLIP):
            matrix = wrong.rules[cell.name][0] if isinstance(wrong, Worked) else getattr(wrong, cell.name)
            slipped = float(matrix[cell.index])
            st.markdown(f"The mistake gives ${number(slipped, parameters.decimals)}$.")


def worked(
    trace: Trace,
    place: tuple[str, int, int],
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    parameters: Parameters,
) -> str | None:
    """Return the arithmetic of a cell as Markdown, if the trace has that cell."""
    cell = _find({"": trace}, place)
    return None if cell is None else _arithmetic(cell, tokens, key_tokens, parameters)


def _arithmetic(
    cell: Cell, tokens: Sequence[str], key_tokens: Sequence[str], parameters: Parameters, note: str = ""
) -> str:
    as_shown = turned_cell(cell) if parameters.columns else cell
    formula = derivation(as_shown, parameters.decimals)
    named = dict[str, str](zip((ASKS, ANSWERS), map(literal, _tokens_of(cell, tokens, key_tokens)), strict=True))
    said = re.sub(f"[{ASKS}{ANSWERS}]", lambda token: named[token[0]], parameters.says(words(cell)))
    return f"{said} {note}\n\n$$\n{formula}\n$$"


def _written(place: tuple[str, int, int], parameters: Parameters) -> str:
    name, *index = place
    row, column = reversed(index) if parameters.columns else index
    return f"row {int(row) + 1}, column {int(column) + 1} of {name}"


def _find(traces: Mapping[str, Trace], place: tuple[str, int, int]) -> Cell | None:
    """Return the cell of the first trace that has it: "weights.1" is head 1 of the weights, counted from 0."""
    name, *lead = place[0].split(".")
    index = (*map(int, lead), *place[1:])
    for suffix, trace in traces.items():
        own = name.removesuffix(f"_{suffix}") if suffix else name
        shape = shape_of(trace, own)
        own_index = index[-len(shape) :]  # a bias has no row
        if shape and len(shape) <= len(index) and all(i < n for i, n in zip(own_index, shape, strict=True)):
            return explain(trace, own, own_index)
    return None


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
