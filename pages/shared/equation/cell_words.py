"""What the arithmetic of a cell does, as a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from attention_core.arithmetic import Cell, Number, Operation, Term, operands
from pages.shared.notation.gradient_words import gradient_sentences
from pages.shared.notation.measure_words import measure_sentences
from pages.shared.notation.position_words import position_sentences
from pages.shared.notation.symbols import SYMBOLS
from pages.shared.notation.writing_words import writing_sentences

OF_KEYS = ("k", "v", "grad_k", "grad_v")  # the matrices whose rows are the tokens that others attend to
ASKS, ANSWERS = "\ue000", "\ue001"  # stand for two tokens until the words around them fit the layout


def words(cell: Cell) -> str:
    """Say in a sentence what the arithmetic of a cell does. Two signs stand for its two tokens."""
    name, (*lead, last) = cell.name, cell.index
    title = SYMBOLS[name][1].capitalize()
    if isinstance(cell.term, Number) and cell.term.name == name:
        return f"**{title}**: given, not computed."
    head = f" of head {lead[0] + 1}" if len(lead) == 2 and name != "terms" else ""
    return f"**{title}{head}**: {_sentence(cell, ASKS, ANSWERS, last + 1)}"


def tokens_of(cell: Cell, tokens: Sequence[str], key_tokens: Sequence[str]) -> tuple[str, str]:
    """Return the token that attends, and the token that it attends to."""
    name, (*lead, last) = cell.name, cell.index
    row = lead[-1] if lead else 0
    asks = _label(key_tokens if name in OF_KEYS else tokens, lead[0] if name == "terms" else row)
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
    sentences = {
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
        "overlaps": f"multiply the row of {asks} by the row of {answers}, feature by feature, and add.",
        "mixed": f"multiply the output of {asks} by column {feature} of the output weights, pair by pair, and add.",
        "summed": f"feature {feature} of {asks} as it came in, and what all heads found for it, added.",
        "means": f"the features of {asks}, added up and divided by how many there are.",
        "spreads": f"how far the features of {asks} are from their mean: each distance squared, the mean of these, and "
        "its root.",
        "normed": f"how far feature {feature} of {asks} is from the mean of its row, measured in spreads.",
        **position_sentences(asks, answers, feature),
        **gradient_sentences(asks, answers, feature),
        **measure_sentences(feature),
        **writing_sentences(asks, feature),
    }
    if name not in sentences:
        raise LookupError(f"{name} must have a sentence about its arithmetic; got none: write it in cell_words.py.")
    return sentences[name]


def _base(term: Term) -> str:
    """Return the base of the powers that a share is computed from."""
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
