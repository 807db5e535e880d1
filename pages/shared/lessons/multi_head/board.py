"""The board of several heads: from the scores of each to what it takes away, and on through W^O."""

from __future__ import annotations

from collections.abc import Mapping

from attention_core.heads import MultiHeadTrace
from pages.shared.equation import Line, Matrix, Sign

HEADS_IN_FULL = 2  # that are drawn from their scores to their output
MOST_HEADS = 8  # that are drawn one by one

Matrices = Mapping[str, Matrix]


def board(m: Matrices, trace: MultiHeadTrace) -> list[Line]:
    """Return a line for each of the first heads, and one for what W^O makes of all of them."""
    heads = [_head(m, trace, h) for h in range(min(trace.n_heads, HEADS_IN_FULL))]
    return [*heads, Line((m["concat"], "·", m["w_o"], "=", m["output"]), _side_by_side(trace.n_heads))]


def _head(m: Matrices, trace: MultiHeadTrace, h: int) -> Line:
    key_head = h // (trace.n_heads // trace.n_kv_heads) + 1
    meet = (f"Q_{h + 1}", "·", f"K_{key_head}^T", "=", m[f"scores.{h}"])
    mix = (m[f"weights.{h}"], "·", f"V_{key_head}", "=", m[f"heads.{h}"])
    return Line(
        (*meet, Sign("softmax", arrow=True), *mix), f"Head {h + 1}: its scores are divided by √d_k before softmax"
    )


def _side_by_side(n_heads: int) -> str:
    more = n_heads - HEADS_IN_FULL
    others = f" The other {more} heads find theirs in the same way." if more > 0 else ""
    return f"What the heads found, side by side, and mixed by W^O.{others}"


def added(m: Matrices, trace: MultiHeadTrace) -> Line:
    """Return the output as a sum: each head times its own rows of W^O."""
    n = min(trace.n_heads, MOST_HEADS)
    summands = [part for h in range(n) for part in ("+", m[f"shares.{h}"])][1:]
    equals = Sign(f"+ {trace.n_heads - n} more =") if trace.n_heads > n else "="
    return Line((*summands, equals, m["output"]), "Each head times its own rows of W^O")
