"""The lesson of “Queries, keys, values”: what a token looks for and takes, its arrows, and why three matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.examples import example as unedited
from attention_core.experiments.heads import Alignment, align, closest_plane, nudge_of_query, with_one_matrix
from attention_core.softmax import softmax
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.matrices import attention_matrices
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import markdown_table, whom
from pages.shared.notation.texts import texts_beside
from pages.shared.words.match import best_match

TEXTS = texts_beside(__file__)

# --- the reason, and where the numbers come from ---


def why_text(parameters: Any, example: Example, trace: SelfAttentionTrace, i: int) -> str:
    """Return a text that says why there are queries, keys and values, and what token `i` looks for and takes."""
    sentences = [parameters.say(TEXTS, "why"), best_match(example, trace, i, parameters.decimals)]
    if trace.scores[i].any():
        j = int(np.argmax(trace.scores[i]))
        asks, answers = example.tokens[i], example.key_tokens[j]
        section = "takes_its_own_value" if _whom(example, i, j) == "itself" else "takes_a_value"
        sentences.append(parameters.say(TEXTS, section, asks=asks, answers=answers, share=trace.weights[i, j]))
    return " ".join(filter(None, sentences))


def _whom(example: Example, i: int, j: int) -> str:
    return whom(example.tokens, example.key_tokens, i, j)


def training_text(parameters: Any, example: Example, trace: SelfAttentionTrace, i: int) -> str:
    """Return a text that says how training changes the matrices, and what one change of W^Q does to token `i`."""
    section, values = _number_of_w_q(example, trace, i, parameters.decimals)
    n = example.w_q.size + example.w_k.size + example.w_v.size
    text = parameters.say(TEXTS, section, n=n, asks=example.tokens[i], **values)
    return f"{text} {parameters.say(TEXTS, 'factors_change_places')}" if parameters.columns else text


def _number_of_w_q(example: Example, trace: SelfAttentionTrace, i: int, decimals: int) -> tuple[str, dict[str, Any]]:
    """Return the section about a number of W^Q that changes a weight by at least a digit on the screen, and its values.

    If there is no such number, return the section about training alone.
    """
    nudge = nudge_of_query(example, trace, i)
    if not nudge or format_as_shown(nudge.before, decimals) == format_as_shown(nudge.after, decimals):
        return "learned", {}
    x, q, number = example.names.x, example.names.q, example.w_q[nudge.row, nudge.column]
    values = {"number": number, "step": nudge.step, "before": nudge.before, "after": nudge.after}
    values["whom"] = _whom(example, i, nudge.key)
    if x and q:
        return "learned_and_a_named_number_of_w_q", values | {"of_x": x[nudge.row], "of_q": q[nudge.column]}
    return "learned_and_a_number_of_w_q", values | {"place": f"{nudge.row + 1},{nudge.column + 1}"}


# --- as arrows ---


@cache_recent
def plane_of(name: str, i: int) -> tuple[int, int]:
    """Return the two dimensions that matter most for the scores of token `i` in the example `name` before any edit."""
    trace = unedited(name).attention()
    return closest_plane(trace.q[i], trace.k)


def arrows_text(parameters: Any, example: Example, trace: SelfAttentionTrace, i: int, plane: tuple[int, int]) -> str:
    """Return a text that says how two lengths and an angle make a score, for token `i` and its best key."""
    aligned, j = align(trace.q[i][[*plane]], trace.k[:, plane]), int(np.argmax(trace.scores[i]))
    score, product = trace.scores[i, j], aligned.products[j]
    is_whole = format_as_shown(score, parameters.decimals) == format_as_shown(product, parameters.decimals)
    text = parameters.say(
        TEXTS, "arrows_and_whole_score" if is_whole else "arrows_and_part_of_score",
        asks=example.tokens[i], whom=_whom(example, i, j), score=score, product=product,
        length=aligned.length, length_of_key=aligned.lengths[j], degrees=aligned.degrees[j],
    )  # fmt: skip
    if score <= 0:
        return text
    longer = parameters.say(
        TEXTS, "longer_key", asks=example.tokens[i], answers=example.key_tokens[j],
        before=trace.weights[i, j], after=weight_with_a_longer_key(trace, i, j),
    )  # fmt: skip
    return f"{text} {longer}"


def weight_with_a_longer_key(trace: SelfAttentionTrace, i: int, j: int) -> float:
    """Return the weight that token i would have on key j if this key were twice as long."""
    scaled = trace.masked[i].copy()
    scaled[j] += trace.scores[i, j] * trace.scale
    return float(softmax(scaled)[j])


def table(example: Example, trace: SelfAttentionTrace, i: int, plane: tuple[int, int], decimals: int) -> str:
    """Return a Markdown table of the keys: length, angle and score in the plane of the arrows, score and weight."""
    aligned = align(trace.q[i][[*plane]], trace.k[:, plane])
    sums = (aligned.lengths, aligned.products, trace.scores[i], trace.weights[i])
    lengths, *others = ([format_as_shown(float(n), decimals) for n in each] for each in sums)
    rows = zip(example.key_tokens, lengths, _angle_texts(aligned), *others, strict=True)
    return markdown_table(TEXTS.points("table_of_keys"), rows)


def _angle_texts(aligned: Alignment) -> list[str]:
    has = (aligned.lengths > 0) & (aligned.length > 0)
    return [f"{degrees:.0f}°" if it else "–" for degrees, it in zip(aligned.degrees, has, strict=True)]


# --- why three matrices ---

ONE = ("q", "k", "scores", "scaled", "weights", "w_k", "b_k")  # the matrices that change with one matrix for both


def matrices_alike(example: Example, scale: float) -> tuple[Example, SelfAttentionTrace] | None:
    """Return the example with one matrix for queries and keys, and its attention, or None if this is not possible."""
    alike = with_one_matrix(example)
    return None if alike is None else (alike, alike.attention(scale=scale))


def three_matrices_text(
    parameters: Any, example: Example, trace: SelfAttentionTrace, one: SelfAttentionTrace, i: int
) -> str:
    """Return a text that compares `trace` with `one`, attention with one matrix for queries and keys, for token `i`."""
    j, most = most_attended_other(trace, i), int(np.argmax(one.weights[i]))
    return parameters.say(
        TEXTS, "three_matrices" if most == j else "three_matrices_and_another_best_token",
        asks=example.tokens[i], other=example.tokens[j], there=trace.scores[i, j], back=trace.scores[j, i],
        score_with_one=one.scores[i, j], weight=trace.weights[i, j], weight_with_one=one.weights[i, j],
        whom=_whom(example, i, most), greatest_with_one=one.weights[i, most],
    )  # fmt: skip


def most_attended_other(trace: SelfAttentionTrace, i: int) -> int:
    """Return the index of the token that token `i` attends to most, apart from itself."""
    others = np.where(np.arange(len(trace.scores)) == i, -np.inf, trace.scores[i])
    return int(np.argmax(others))


def _with_keys_of_queries(matrix: Matrix) -> Matrix:
    """Return a matrix whose keys are computed by W^Q, so that they follow W^Q while it is changed."""
    own = {"w_k_one": "w_q", "b_k_one": "b_q"}
    computation = matrix.computation and matrix.computation.renamed(lambda id: own.get(id, id))
    return replace(matrix, computation=computation)


def lines(
    parameters: Any, example: Example, trace: SelfAttentionTrace, alike: Example, one: SelfAttentionTrace, i: int
) -> list[Line]:
    """Return two equations that compare `trace` with `one`, the attention of `alike`: the scores, a row of weights."""
    two, same = attention_matrices(example, trace), attention_matrices(alike, one)
    scores, weights = (_with_keys_of_queries(same[name].with_suffix("_one", ONE)) for name in ("scores", "weights"))
    to_one = Sign("W^K = W^Q", arrow=True)
    return [
        Line((two["scores"], to_one, scores), parameters.say(TEXTS, "line_of_all_scores")),
        Line(
            (two["weights"].row(i, "a"), to_one, weights.row(i, "a")),
            parameters.say(TEXTS, "line_of_one_row", asks=example.tokens[i]),
        ),
    ]
