"""The equations of a sentence: what each word attends to in each head, and why. A visitor cannot edit them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from attention_core import MultiHeadTrace, SelfAttentionTrace, softmax_steps
from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.softmax_rules import softmax_rules
from attention_core.caching import cache_recent
from attention_core.examples import Example
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.computation import Computation
from pages.shared.equation.head_matrices import head_matrices
from pages.shared.equation.matrices import attention_matrices, softmax_matrices
from pages.shared.state.workspace import LONGEST_EDITABLE_SIDE

HeadsTrace = SelfAttentionTrace | MultiHeadTrace


def per_head(trace: HeadsTrace, name: str) -> np.ndarray:
    """Return the matrix `name` of every head. The first axis counts the heads, even if there is only one head."""
    return getattr(trace.heads, name) if isinstance(trace, MultiHeadTrace) else getattr(trace, name)[None]


@cache_recent
def weights_lines(example: Example, trace: HeadsTrace) -> Sequence[Line]:
    """Return one equation for each head: its weights, and the entropy of each row, which says how even the row is."""
    m = _matrices(example, trace)
    if isinstance(trace, SelfAttentionTrace):
        weights, spread = m["weights"], _entropies_of_one(example, trace)
        items = (weights, Sign("how spread out", arrow=True), spread)
        return [Line(items, f"How much the word of each row attends to each word{_full_colour_text(weights)}")]
    return [
        Line(
            (m[f"weights.{h}"], spread),
            f"Head {h + 1}: what each word attends to{_full_colour_text(m[f'weights.{h}'])}",
        )
        for h, spread in enumerate(_entropies_of_heads(example, trace))
    ]


def _entropies_of_one(example: Example, trace: SelfAttentionTrace) -> Matrix:
    made = softmax_matrices(softmax_steps(trace.masked), "head0", example.tokens, ())["entropies"]
    return made.with_reads("weights[i,:]")


def _entropies_of_heads(example: Example, trace: MultiHeadTrace) -> Iterator[Matrix]:
    steps = softmax_steps(trace.heads.masked)
    computation = Computation(CellCalculations(softmax_rules(steps)))
    for h, entropies in enumerate(steps.entropies):
        made = Matrix.named("entropies", entropies, part=h, name=f"Entropies {h + 1}", row_labels=example.tokens)
        yield made.with_computation(computation)


@cache_recent
def computed_lines(example: Example, trace: HeadsTrace, how: str) -> Sequence[Line]:
    """Return the equations of all steps, from the input to the output.

    `how` is a text that says how scores are computed.
    """
    m = _matrices(example, trace)
    queries, keys, values = [Line((m["x"], "·", m[f"w_{name}"], "=", m[name])) for name in ("q", "k", "v")]
    if isinstance(trace, SelfAttentionTrace):
        scores = Line(
            (m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"]), f"The score of each query with each key. {how}"
        )
        return [queries, keys, scores, values, Line((m["weights"], "·", m["v"], "=", m["output"]))]
    heads = tuple(m[f"heads.{h}"] for h in range(trace.n_heads))
    return [
        queries,
        keys,
        values,
        Line(heads, "Each head adds up its own columns of V, each row times its weight"),
        Line((m["concat"], "·", m["w_o"], "=", m["output"]), "Side by side, and mixed by W^O"),
    ]


def _full_colour_text(weights: Matrix) -> str:
    """Return a phrase with the weight that gets the full colour, or "" if this weight is 1."""
    return f"; the full colour is {weights.limit:.2f}" if weights.limit < 1 else ""


def _matrices(example: Example, trace: HeadsTrace) -> dict[str, Matrix]:
    made = (
        attention_matrices(example, trace) if isinstance(trace, SelfAttentionTrace) else head_matrices(example, trace)
    )
    full = float(per_head(trace, "weights").max()) if len(example.tokens) > LONGEST_EDITABLE_SIDE else 1.0
    return {
        name: replace(matrix.read_only(), limit=full if matrix.tint == "weight" else matrix.limit)
        for name, matrix in made.items()
    }
