"""The equations of several heads: from the scores of each head to its output, and then through W^O."""

from __future__ import annotations

from collections.abc import Mapping

from attention_core.heads import MultiHeadTrace
from pages.shared.equation import Line, Matrix, Sign

FEW = 4  # up to so many heads are drawn with all steps; if there are more, only the first two are
MOST_HEADS = 8  # the greatest number of heads that are drawn one by one

Matrices = Mapping[str, Matrix]


def board(m: Matrices, trace: MultiHeadTrace) -> list[Line]:
    """Return one equation for each of the first heads, and one equation with the outputs of the other heads.

    `m` holds the matrices of the page by name.
    """
    n, in_full = min(trace.n_heads, MOST_HEADS), heads_in_full(trace.n_heads)
    others = tuple(m[f"heads.{h}"] for h in range(in_full, n))
    between = [Line(others, "The outputs of the other heads, computed in the same way")] if others else []
    return [*(_head(m, trace, h) for h in range(in_full)), *between]


def output_equation(m: Matrices) -> Line:
    """Return the product of all heads with W^O. `m` holds the matrices of the page by name."""
    return Line((m["concat"], "·", m["w_o"], "=", m["output"]), "The outputs of all heads side by side, times W^O")


def heads_in_full(n_heads: int) -> int:
    """Return how many heads are drawn with all steps from their scores to their output.

    These are all heads if there are at most 4. Otherwise only the first 2 are drawn in this way.
    """
    return n_heads if n_heads <= FEW else 2


def _head(m: Matrices, trace: MultiHeadTrace, h: int) -> Line:
    key_head = h // (trace.n_heads // trace.n_kv_heads) + 1
    meet = (f"Q_{h + 1}", "·", f"K_{key_head}^T", "=", m[f"scores.{h}"])
    mix = (m[f"weights.{h}"], "·", f"V_{key_head}", "=", m[f"heads.{h}"])
    return Line(
        (*meet, Sign("softmax", arrow=True), *mix), f"Head {h + 1}: its scores are divided by √d_k before softmax"
    )


def sum_equation(m: Matrices, trace: MultiHeadTrace) -> Line:
    """Return the output as a sum with one summand for each head: the head times its own rows of W^O."""
    n = min(trace.n_heads, MOST_HEADS)
    summands = [part for h in range(n) for part in ("+", m[f"shares.{h}"])][1:]
    equals = Sign(f"+ {trace.n_heads - n} more =") if trace.n_heads > n else "="
    return Line((*summands, equals, m["output"]), "Each head times its own rows of W^O")
