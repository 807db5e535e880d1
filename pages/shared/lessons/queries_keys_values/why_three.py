"""Why there are three matrices: one for queries and keys gives symmetric scores, and values depend on neither."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core.attention import SelfAttentionTrace
from attention_core.examples import Example
from attention_core.experiments.three_matrices import with_one_matrix
from pages.shared.equation import Line, Sign
from pages.shared.equation.matrices import attention_matrices
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import whom
from pages.shared.site.links import offer_example

ONE = ("q", "k", "scores", "weights", "w_k", "b_k")  # the matrices that change with one matrix for both
NOT_HERE = {
    True: "Here the tokens of one text attend to those of another. So no two tokens attend to each other, and there is "
    "nothing to compare.",
    False: "Here $W^Q$ and $W^K$ have different shapes or biases, so one cannot replace the other.",
}


def three_matrices_text(
    example: Example, trace: SelfAttentionTrace, one: SelfAttentionTrace, i: int, decimals: int
) -> str:
    """Return a text that compares two matrices for queries and keys with one matrix for both.

    `trace` is the attention of the example, and `one` is its attention with one matrix. The text is about token `i`.
    """
    j = most_attended_other(trace, i)
    this, that = f"“{example.tokens[i]}”", f"“{example.tokens[j]}”"

    def say(value: float) -> str:
        return format_as_shown(float(value), decimals)

    most = int(np.argmax(one.weights[i]))
    instead = f" It attends most to {whom(example.tokens, example.tokens, i, most)}, with {say(one.weights[i, most])}."
    return (
        f"**Why not one matrix for queries and keys?** The score of {this} with {that} is "
        f"**{say(trace.scores[i, j])}**, and "
        f"that of {that} with {this} is **{say(trace.scores[j, i])}**. With $W^K = W^Q$ both scores are "
        f"**{say(one.scores[i, j])}**, because $q \\cdot k$ is then the same in both directions. But a token can need "
        f"another token that does not need the first one. {this} would attend to {that} with "
        f"**{say(one.weights[i, j])}** instead of "
        f"**{say(trace.weights[i, j])}**.{instead * (most != j)}\n\n"
        "**Why is the value separate?** What a token can be found by is not always what others need from it. The "
        f"weights come from $Q$ and $K$ alone. Double every number of $V$: the output of {this} doubles, and it still "
        f"attends to {that} with **{say(trace.weights[i, j])}**. Without values, tokens could take only the keys."
    )


def most_attended_other(trace: SelfAttentionTrace, i: int) -> int:
    """Return the index of the token that token `i` attends to most, apart from itself."""
    others = np.where(np.arange(len(trace.scores)) == i, -np.inf, trace.scores[i])
    return int(np.argmax(others))


def lines(example: Example, trace: SelfAttentionTrace, alike: Example, one: SelfAttentionTrace, i: int) -> list[Line]:
    """Return two equations that compare W^Q and W^K with one matrix for both: all scores, and the weights of token `i`.

    `alike` is the example with one matrix for both, and `one` is its attention.
    """
    two, same = attention_matrices(example, trace), attention_matrices(alike, one)
    scores, weights = (same[name].with_suffix("_one", ONE) for name in ("scores", "weights"))
    to_one = Sign("W^K = W^Q", arrow=True)
    return [
        Line((two["scores"], to_one, scores), "All scores. With one matrix they are mirrored at the diagonal"),
        Line(
            (two["weights"].row(i, "a"), to_one, weights.row(i, "a")), f"How much “{example.tokens[i]}” attends to each"
        ),
    ]


def matrices_alike(example: Example, scale: float) -> tuple[Example, SelfAttentionTrace] | None:
    """Return the example with one matrix for queries and keys, and its attention.

    Return None if one matrix cannot replace the other two in this example.
    """
    alike = with_one_matrix(example)
    return None if alike is None else (alike, alike.attention(scale=scale))


def draw_why_not_here(example: Example) -> None:
    """Draw a text that says why this example cannot compare the matrices, and a link to an example that can."""
    st.markdown(NOT_HERE[example.context is not None])
    offer_example("story", "See it in one text: **What does “it” refer to?**")
