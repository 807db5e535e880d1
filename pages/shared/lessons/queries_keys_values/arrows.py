"""A query and the keys as arrows in the two dimensions that come closest to the scores, and the angle of each score."""

from __future__ import annotations

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.examples import example as unedited
from attention_core.experiments.alignment import Alignment, align, closest_plane
from attention_core.softmax import softmax
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import whom
from pages.shared.notation.tables import markdown_table

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
