"""Explanations: why there are queries, keys and values, and what “learned” means, each with a number."""

from __future__ import annotations

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.examples import Example
from attention_core.experiments.three_matrices import Nudge, nudge_of_query
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import whom
from pages.shared.words.match import best_match

WHY = (
    "**What a word means depends on the words around it.** So each token has a *query*, which says what it looks for; "
    "a *key*, by which it can be found; and a *value*, which others take from it."
)


def why(example: Example, trace: SelfAttentionTrace, i: int, decimals: int) -> str:
    """Return a text that says why there are queries, keys and values, and what token `i` looks for and takes."""
    return " ".join(
        part
        for part in (WHY, best_match(example, trace, i, decimals), _takes_text(example, trace, i, decimals))
        if part
    )


def _takes_text(example, trace, i, decimals):
    if not trace.scores[i].any():
        return ""
    j = int(np.argmax(trace.scores[i]))
    found, share = whom(example.tokens, example.key_tokens, i, j), format_as_shown(float(trace.weights[i, j]), decimals)
    value = "its own value" if found == "itself" else f"the value of {found}"
    return f"So “{example.tokens[i]}” takes {value} times **{share}**, its weight."


def training_text(example: Example, trace: SelfAttentionTrace, i: int, decimals: int) -> str:
    """Return a text that says how training changes the three matrices.

    If possible, the text shows how one small change of W^Q increases the greatest weight of token `i`.
    """
    n = example.w_q.size + example.w_k.size + example.w_v.size
    nudge = nudge_of_query(example, trace, i)
    return (
        f"**Learned** means that nobody writes these {n:,} numbers of $W^Q$, $W^K$ and $W^V$. Training starts with "
        "random numbers. It changes each number a little, so that the model’s answers become less wrong, and repeats "
        f"this many times. {_nudge_text(example, nudge, i, decimals) if nudge else ''}"
        "The three matrices belong to no word: the same numbers serve every text of any length. Only the weights are "
        "computed anew for each text."
    )


def _nudge_text(example: Example, nudge: Nudge, i: int, decimals: int) -> str:
    before, after = (format_as_shown(weight, decimals) for weight in (nudge.before, nudge.after))
    if before == after:
        return ""
    number = float(example.w_q[nudge.row, nudge.column])
    was, becomes = (format_as_shown(value, decimals) for value in (number, number + nudge.step))
    found = whom(example.tokens, example.key_tokens, i, nudge.key)
    return (
        f"For example, suppose that {_cell_text(example, nudge)} is {becomes} instead of {was}. "
        f"Then “{example.tokens[i]}” attends to {found} with **{after}** instead of {before}. "
    )


def _cell_text(example: Example, nudge: Nudge) -> str:
    x, q = example.names.x, example.names.q
    if x and q:
        return f"the number of $W^Q$ from *{x[nudge.row]}* to *{q[nudge.column]}*"
    return f"$W^Q_{{{nudge.row + 1},{nudge.column + 1}}}$"
