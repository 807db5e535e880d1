"""The pictures of chapters 3 to 5 that are equations: heads, order, mask, and a head of a real model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.path_steps import in_two_orders, path_steps
from attention_core.language_model.shipped import shipped_reading
from pages.shared.equation import Line, Sign
from pages.shared.equation.head_matrices import head_matrices
from pages.shared.equation.labels import Labels, labels_of
from pages.shared.equation.matrices import attention_matrices
from pages.shared.lessons.path.matrices import bare_matrix
from pages.shared.lessons.path.model_numbers import HEAD, TEXT
from pages.shared.lessons.path.story_boards import IT, Board

DRANK = 1


def _heads(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m, row = head_matrices(example, example.multi_head()), DRANK if tries % 2 else IT
    label = f"The query of “{example.tokens[row]}” and all keys, cut into two heads"
    query, second = m["q"].row(row, f"q_{row + 1}"), m["weights.1"].row(row, "A_2")
    weights = (m["weights.0"].row(row, "A_1"), *[second] * revealed)
    said = "Its weights in head 1, and in head 2" if revealed else "Its weights in head 1"
    return [Line((query, m["k"]), label), Line(weights, said)]


def _order(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    orders, placed = in_two_orders(example, positions=bool(tries % 2)), ", with positions" * (tries % 2)
    first = _output(example, orders.original, "_first", f"In the first text{placed}")
    second = _output(_in_other_order(example), orders.shuffled, "_second", f"In the other order{placed}")
    return [first, *[second] * revealed]


@cache_recent
def _in_other_order(example: Example) -> Example:
    """Return an example whose first and third token have changed places, to name what stands in that order."""
    order = in_two_orders(example, positions=False).order
    tokens, x = tuple(example.tokens[i] for i in order), example.x[list(order)]
    return replace(example, tokens=tokens, x=x, sentence="")


def _output(example: Example, trace: SelfAttentionTrace, suffix: str, label: str) -> Line:
    """Return how “it” gets its output."""
    m = attention_matrices(example, trace)
    weights, v, output = (m[name].with_suffix(suffix, m) for name in ("weights", "v", "output"))
    return Line((weights.row(IT, "a_5"), "·", v, "=", output.row(IT, "z_5")), label)


def _mask(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    steps = path_steps(example)
    plain = attention_matrices(example, steps.attention)["weights"].with_sums("rows")
    if not revealed:
        return [Line((plain,), "Without a mask: each row is what one token attends to")]
    if tries % 2:
        late = bare_matrix("weights_late", steps.masked_late, labels_of("scores", example, 0)).with_sums("rows")
        return [Line((plain, Sign("later words to 0", arrow=True), late), "The mask after softmax, which is too late")]
    m = attention_matrices(example, steps.masked)
    masked, weights = (m[name].with_suffix("_causal", m) for name in ("masked", "weights"))
    return [Line((masked, Sign("softmax", arrow=True), weights.with_sums("rows")), "The mask before softmax")]


def _induction(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    text = shipped_reading(TEXT)
    weights = bare_matrix(
        "weights_head", text.attention(HEAD).weights, Labels(row_labels=text.pieces, column_labels=text.pieces)
    )
    if tries % 2:
        return [Line((weights,), f"The weights of {HEAD.name}")]
    return [
        Line((weights.row(len(text.pieces) - 1, "a_8"),), f"The weights of the last word in {HEAD.name}")
    ] * revealed


LATER_BOARDS: Mapping[str, Board] = {"heads": _heads, "order": _order, "mask": _mask, "induction": _induction}
