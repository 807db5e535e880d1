"""What a token asks, offers and hands over: the texts, the arrows, and why there are three matrices."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.examples import example as unedited
from attention_core.experiments.heads import Alignment, Nudge, align, closest_plane, nudge_of_query, with_one_matrix
from attention_core.softmax import softmax
from pages.shared.equation import Line, Sign
from pages.shared.equation.matrices import attention_matrices
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import markdown_table, whom
from pages.shared.site.menu import offer_example
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


HEADER = ("key", "length", "θ", "score in the plane", "score", "weight")


@cache_recent
def plane_of(name: str, i: int) -> tuple[int, int]:
    """Return the two dimensions of the vectors that matter most for the scores of token `i` in the example `name`.

    The edits of the visitor do not change these dimensions.
    """
    trace = unedited(name).attention()
    return closest_plane(trace.q[i], trace.k)


def arrows_text(example: Example, trace: SelfAttentionTrace, i: int, plane: tuple[int, int], decimals: int) -> str:
    """Return a text that says how two lengths and an angle make a score, for token `i` and its best key."""
    aligned, j = align(trace.q[i][[*plane]], trace.k[:, plane]), int(np.argmax(trace.scores[i]))
    q, k, product = (
        format_as_shown(float(n), decimals) for n in (aligned.length, aligned.lengths[j], aligned.products[j])
    )
    return (
        "A score is $q \\cdot k = |q|\\,|k| \\cos\\theta$: the lengths of both arrows, times the cosine of the angle "
        "between them. "
        f"“{example.tokens[i]}” and {whom(example.tokens, example.key_tokens, i, j)}: "
        f"{q} · {k} · cos {aligned.degrees[j]:.0f}° = **{product}**{_of_score_text(trace, i, j, aligned, decimals)}. "
        "At 90° the score is 0, however long the arrows are. Beyond 90° it is negative."
        f"{_longer_key_text(trace, i, example, decimals)}"
    )


def weight_with_a_longer_key(trace: SelfAttentionTrace, i: int, j: int) -> float:
    """Return the weight that token i would have on key j if this key were twice as long."""
    scaled = trace.masked[i].copy()
    scaled[j] += trace.scores[i, j] * trace.scale
    return float(softmax(scaled)[j])


def _longer_key_text(trace: SelfAttentionTrace, i: int, example: Example, decimals: int) -> str:
    """Return a text that says how a weight of token `i` changes if its best key becomes twice as long.

    Return "" if no score of the token is above 0.
    """
    j = int(np.argmax(trace.scores[i]))
    if trace.scores[i, j] <= 0:
        return ""
    before, after = (
        format_as_shown(n, decimals) for n in (float(trace.weights[i, j]), weight_with_a_longer_key(trace, i, j))
    )
    return (
        f" Make the key of “{example.key_tokens[j]}” **twice as long**: every score with this key doubles. "
        f"“{example.tokens[i]}” then attends to it with {after} instead of {before}. A negative score becomes more "
        "negative, and a score of 0 stays 0."
    )


def _of_score_text(trace: SelfAttentionTrace, i: int, j: int, aligned: Alignment, decimals: int) -> str:
    whole, product = (format_as_shown(float(number), decimals) for number in (trace.scores[i, j], aligned.products[j]))
    return ", their whole score" if whole == product else f", of their score of {whole}"


def table(example: Example, trace: SelfAttentionTrace, i: int, plane: tuple[int, int], decimals: int) -> str:
    """Return a Markdown table with one row for each key: its length, its angle to the query, its score and its weight.

    `plane` holds the two dimensions of the arrows. The score counts all dimensions.
    """
    aligned = align(trace.q[i][[*plane]], trace.k[:, plane])
    sums = (aligned.lengths, aligned.products, trace.scores[i], trace.weights[i])
    columns = [[format_as_shown(float(n), decimals) for n in each] for each in sums]
    return markdown_table(HEADER, zip(example.key_tokens, columns[0], _angle_texts(aligned), *columns[1:], strict=True))


def _angle_texts(aligned: Alignment) -> list[str]:
    """Return the angle of each key with the query as a text, or a dash if the key has the length 0."""
    has = (aligned.lengths > 0) & (aligned.length > 0)
    return [f"{degrees:.0f}°" if it else "–" for degrees, it in zip(aligned.degrees, has, strict=True)]


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
