"""The sentences that explain how the number in a cell is computed."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core.arithmetic import Cell, Number, Operation, Term, operands
from pages.shared.notation.records import SYMBOLS

ASKS, ANSWERS = "\ue000", "\ue001"  # placeholders for two tokens while the words are changed for the layout


def cell_sentence(cell: Cell) -> str:
    """Return a sentence that explains how the number in a cell is computed.

    The sentence has placeholders for two tokens: `ASKS` for the token that attends, `ANSWERS` for the token that it
    attends to.
    """
    name, (*lead, last) = cell.name, cell.index
    title = SYMBOLS[name].words.capitalize()
    if isinstance(cell.term, Number) and cell.term.name == name:
        return f"**{title}**: given, not computed."
    head = f" of head {lead[0] + 1}" if len(lead) == 2 and name != "terms" else ""
    return f"**{title}{head}**: {_sentence(cell, ASKS, ANSWERS, last + 1)}"


def tokens_of(cell: Cell, tokens: Sequence[str], key_tokens: Sequence[str]) -> tuple[str, str]:
    """Return the token that attends and the token that it attends to, for a cell of a matrix.

    Usually the cell's row belongs to the first token, and its column to the second. In the matrix "terms", all cells
    belong to the same first token, and the row belongs to the second. `tokens` are the tokens with queries, and
    `key_tokens` the tokens with keys.
    """
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
    """Return the base of a softmax as a text: "e", or a number such as "2". `term` is the calculation of one weight."""
    match term:
        case Operation("quotient", (Operation("power", (Number(value=base), _)), _)):
            return f"{base:g}"
        case _:
            return "e"


def _power_of_a_wave(term: Term) -> tuple[str, str]:
    """Return two texts: the base and the width in sin(position / base^(2i / width)) or the same cosine.

    `term` is the calculation of a cell. If it is no such sine or cosine, both texts are "".
    """
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
