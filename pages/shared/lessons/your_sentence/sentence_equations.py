"""The equations of a sentence: who looks at whom in each head, and where that comes from. They cannot be edited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention_core import MultiHeadTrace, SelfAttentionTrace, softmax_steps
from attention_core.caching import cached
from attention_core.examples import Example
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.head_matrices import head_matrices
from pages.shared.equation.matrices import attention_matrices, softmax_matrices
from pages.shared.state.workspace import MOST_CELLS

Trace = SelfAttentionTrace | MultiHeadTrace


def per_head(trace: Trace, name: str) -> np.ndarray:
    """Return a matrix of every head, with an axis for the heads even where there is one."""
    return getattr(trace.heads, name) if isinstance(trace, MultiHeadTrace) else getattr(trace, name)[None]


@cached
def weights_lines(example: Example, trace: Trace) -> Sequence[Line]:
    """Each head's weights, and the entropy of their rows; head 0's cells have the suffix "head0"."""
    m = _matrices(example, trace)
    spreads = [
        softmax_matrices(softmax_steps(masked), f"head{h}", example.tokens, ())["entropies"]
        for h, masked in enumerate(per_head(trace, "masked"))
    ]
    if isinstance(trace, SelfAttentionTrace):
        weights, spread = m["weights"], spreads[0].reading("weights[i,:]")
        items = (weights, Sign("how spread out", arrow=True), spread)
        return [Line(items, f"How much each row’s word looks at each column’s{_darkest(weights)}")]
    return [
        Line(
            (m[f"weights.{h}"], replace(spread.reading(f"weights.{h}[i,:]"), symbol=f"{spread.symbol}_{h + 1}")),
            f"Head {h + 1}: who looks at whom{_darkest(m[f'weights.{h}'])}",
        )
        for h, spread in enumerate(spreads)
    ]


@cached
def computed_lines(example: Example, trace: Trace, how: str) -> Sequence[Line]:
    """The projections and what follows from them; `how` says what is done with the scores."""
    m = _matrices(example, trace)
    queries, keys, values = [Line((m["x"], "·", m[f"w_{name}"], "=", m[name])) for name in ("q", "k", "v")]
    if isinstance(trace, SelfAttentionTrace):
        scores = Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"]), f"Every query meets every key. {how}")
        return [queries, keys, scores, values, Line((m["weights"], "·", m["v"], "=", m["output"]))]
    heads = tuple(m[f"heads.{h}"] for h in range(trace.n_heads))
    return [
        queries,
        keys,
        values,
        Line(heads, "Each head mixes its own columns of V by its own weights"),
        Line((m["concat"], "·", m["w_o"], "=", m["output"]), "Side by side, and mixed by W^O"),
    ]


def _darkest(weights: Matrix) -> str:
    """Say what the full tint stands for, where it is not 1."""
    return f"; the full colour is {weights.limit:.2f}" if weights.limit < 1 else ""


def _matrices(example: Example, trace: Trace) -> dict[str, Matrix]:
    made = (
        attention_matrices(example, trace) if isinstance(trace, SelfAttentionTrace) else head_matrices(example, trace)
    )
    full = float(per_head(trace, "weights").max()) if len(example.tokens) > MOST_CELLS else 1.0
    return {
        name: replace(matrix.fixed(), limit=full if matrix.tint == "weight" else matrix.limit)
        for name, matrix in made.items()
    }
