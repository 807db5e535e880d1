"""The pictures of chapters 3 to 5 that are equations: heads, order, mask, and a head of a real model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.order import embed_positions
from attention_core.experiments.path_steps import attention_in_two_orders, path_steps
from attention_core.language_model.shipped import shipped_reading
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.head_matrices import head_matrices
from pages.shared.equation.labels import Labels, labels_of
from pages.shared.equation.matrices import attention_matrices
from pages.shared.lessons.path.matrices import bare_matrix
from pages.shared.lessons.path.model_numbers import HEAD, HELPER, TEXT
from pages.shared.lessons.path.story_boards import IT, Board

DRANK = 1


def _heads(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m, row = head_matrices(example, example.multi_head()), IT if tries % 2 else DRANK
    query = m["q"].row(row, f"q_{row + 1}")
    cut = Line(
        (query, m["k"]),
        f"The query of “{example.tokens[row]}”, and all keys: head 1 has the left half, head 2 the right half",
    )
    if not revealed:
        return [cut]
    averaged = (m["v"], Sign("averaged", arrow=True), m["concat"].row(row, f"z_{row + 1}"))
    alone = attention_matrices(example, example.attention())["output"].with_suffix("_alone", ("output",))
    return [
        cut,
        *(_in_one_head(m, head, row) for head in (0, 1)),
        Line(
            averaged,
            "Head 1 averages the left column of V with its weights, and head 2 the right: two outputs, side by side",
        ),
        Line((replace(alone.row(row, "z"), computation=None),), "z: the output with one head, for comparison"),
    ]


def _in_one_head(m: Mapping[str, Matrix], head: int, row: int) -> Line:
    scores, weights = m[f"scores.{head}"].row(row, f"s_{row + 1}"), m[f"weights.{head}"].row(row, f"a_{row + 1}")
    return Line(
        (scores, Sign("÷ √2, softmax", arrow=True), weights),
        f"Head {head + 1}: its scores, and their softmax after the division by √2",
    )


def _order(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    orders, placed = attention_in_two_orders(example, positions=bool(tries % 2)), ", with positions" * (tries % 2)
    first = _output(example, orders.original, "_first", f"In the first text{placed}")
    second = _output(_in_other_order(example), orders.shuffled, "_second", f"In the other order{placed}")
    return [*_position_rows(example)[: tries % 2], first, *[second] * revealed]


def _position_rows(example: Example) -> list[Line]:
    """Return an equation with the positional encoding. Each row is added to the row of the token at its position."""
    encoding = embed_positions(example.x, root=False).encoding
    numbered = Labels(
        row_labels=tuple(f"position {n}" for n in range(1, len(encoding) + 1)), column_labels=example.names.x
    )
    return [Line((bare_matrix("sinusoidal", encoding, numbered),), "One row for each position")]


@cache_recent
def _in_other_order(example: Example) -> Example:
    """Return the example with its first and third token swapped, so that labels of its matrices are in this order."""
    order = attention_in_two_orders(example, positions=False).order
    tokens, x = tuple(example.tokens[i] for i in order), example.x[list(order)]
    return replace(example, tokens=tokens, x=x, sentence="")


def _output(example: Example, trace: SelfAttentionTrace, suffix: str, label: str) -> Line:
    """Return the equation “weights · values = output” for the word “it” in an example.

    The ids of the matrices end in `suffix`, and `label` is the text above the equation.
    """
    m = attention_matrices(example, trace)
    weights, v, output = (m[name].with_suffix(suffix, m) for name in ("weights", "v", "output"))
    return Line((weights.row(IT, "a_5"), "·", v, "=", output.row(IT, "z_5")), label)


def _mask(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    steps = path_steps(example)
    plain = attention_matrices(example, steps.attention)["weights"].with_sums("rows")
    if not revealed:
        return [Line((plain,), "Without a mask: each row has the weights of one token; Σ is their sum")]
    if tries % 2:
        late = bare_matrix("weights_late", steps.masked_late, labels_of("scores", example, 0)).with_sums("rows")
        return [Line((plain, Sign("later words to 0", arrow=True), late), "The mask after softmax, which is too late")]
    m = attention_matrices(example, steps.masked)
    masked, weights = (m[name].with_suffix("_causal", m) for name in ("masked", "weights"))
    return [
        Line(
            (masked, Sign("softmax", arrow=True), weights.with_sums("rows")),
            "M: the scores after the division and the mask; A: their softmax; Σ: the sum of a row",
        )
    ]


def _induction(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    text = shipped_reading(TEXT)
    weights = bare_matrix(
        "weights_head", text.attention(HEAD).weights, Labels(row_labels=text.pieces, column_labels=text.pieces)
    )
    if tries % 2:
        helper = bare_matrix(
            "weights_helper", text.attention(HELPER).weights, Labels(row_labels=text.pieces, column_labels=text.pieces)
        )
        return [
            Line((weights,), f"The weights of head {HEAD.head} of layer {HEAD.layer}, the induction head"),
            Line((helper,), f"The weights of head {HELPER.head} of layer {HELPER.layer}, its helper"),
        ]
    last = weights.row(len(text.pieces) - 1, "a_8")
    return [Line((last,), f"The weights of the last word in head {HEAD.head} of layer {HEAD.layer}")] * revealed


LATER_BOARDS: Mapping[str, Board] = {"heads": _heads, "order": _order, "mask": _mask, "induction": _induction}
