"""The selected cell: its worked arithmetic on the page, in LaTeX and in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from attention_core.arithmetic import Cell, Number, explain, operands, shape_of
from attention_core.attention import SelfAttentionTrace
from attention_core.heads import MultiHeadTrace
from attention_core.softmax import SoftmaxTrace
from pages.shared import session
from pages.shared.notation import SYMBOLS, derivation

Trace = SelfAttentionTrace | MultiHeadTrace | SoftmaxTrace

HINT = (
    "Point at any number to light up what it is computed from. Click it, or press Enter on it, and its arithmetic "
    "stands here. Numbers with a line below are yours to change: type, drag sideways, or paste a block."
)


def show(traces: Mapping[str, Trace], tokens: Sequence[str], key_tokens: Sequence[str], digits: int) -> None:
    """Write the arithmetic of the selected cell, or how to select one.

    Each trace stands under the suffix that its matrices' ids carry on this page: "" for none, "rows" for "weights_rows".
    """
    with st.container(border=True, key="arithmetic"):
        place = session.selected()
        cell = None if place is None else _find(traces, place)
        if cell is None:
            st.caption(HINT if place is None else f"The selected cell, {_written(place)}, is not part of what is shown. {HINT}")
            return
        st.markdown(words(cell, tokens, key_tokens))
        st.latex(derivation(cell, digits))


def _written(place: tuple[str, int, int]) -> str:
    return f"row {place[1] + 1}, column {place[2] + 1} of {place[0]}"


def _find(traces: Mapping[str, Trace], place: tuple[str, int, int]) -> Cell | None:
    """Return the cell of the first trace that has it: "weights.1" is head 1 of the weights, counted from 0."""
    name, *lead = place[0].split(".")
    for suffix, trace in traces.items():
        own = name.removesuffix(f"_{suffix}")
        index = (*map(int, lead), *place[1:])
        shape = shape_of(trace, own)
        if shape and len(shape) <= len(index) and all(i < n for i, n in zip(index[-len(shape) :], shape, strict=True)):
            return explain(trace, own, index[-len(shape) :])
    return None


def words(cell: Cell, tokens: Sequence[str], key_tokens: Sequence[str]) -> str:
    """Say in a sentence what the arithmetic of a cell does."""
    name, (*lead, last) = cell.name, cell.index
    head = f" of head {lead[0] + 1}" if len(lead) == 2 else ""
    row = lead[-1] if lead else 0
    asks, answers = _label(tokens, row), _label(key_tokens, last)
    if name == "terms":
        asks, answers = _label(tokens, lead[0]), _label(key_tokens, row)
        return f"**Weighted value**: feature {last + 1} of the value of *{answers}*, times how much *{asks}* attends to it."
    if name in ("q", "k", "v"):
        return (
            f"**{SYMBOLS[name][1].capitalize()}**, feature {last + 1} of *{_label(tokens if name == 'q' else key_tokens, row)}*: "
            f"multiply its features by column {last + 1} of the {SYMBOLS['w_' + name][1]}, pair by pair, and add."
        )
    if isinstance(cell.term, Number) and cell.term.name == name:
        return f"**{SYMBOLS[name][1].capitalize()}**, row {row + 1}, column {last + 1}: given, not computed."
    return f"**{SYMBOLS[name][1].capitalize()}{head}**: " + {
        "scores": f"multiply the query of *{asks}* by the key of *{answers}*, feature by feature, and add. The better they match, the greater.",
        "scaled": f"the score of *{asks}* and *{answers}*, brought to a size that does not grow with $d_k$.",
        "masked": f"*{asks}* may {'not ' if math.isinf(cell.value) else ''}look at *{answers}*"
        + (", so its score becomes −∞ and its weight 0." if math.isinf(cell.value) else ": the score stays."),
        "weights": f"how much *{asks}* attends to *{answers}*: its power of e, as a share of the powers of the row.",
        "powers": "the base, raised to this score less the greatest one.",
        "entropies": "each share times the logarithm of its inverse, added up: 0 where one share has all, ln n where n shares are equal.",
        "output": f"row *{asks}* of the concatenation by column {last + 1} of the output weights, pair by pair, added up."
        if any(name == "concat" for name, _ in operands(cell.term))
        else f"feature {last + 1} of what *{asks}* takes away: that feature of every value, weighted by how much *{asks}* attends to it.",
        "heads": f"feature {last + 1} of what *{asks}* takes away in this head: the head’s values, weighted by its attention.",
        "concat": f"the heads’ outputs for *{asks}*, side by side: this number is copied.",
        "shares": f"what this head alone adds to feature {last + 1} of *{asks}*: its output times its own rows of $W^O$.",
    }[name]


def _label(labels: Sequence[str], index: int) -> str:
    return labels[index] if index < len(labels) else str(index + 1)
