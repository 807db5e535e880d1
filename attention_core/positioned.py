"""Positions in the scores: rotated queries and keys (RoPE), or a penalty for the distance of two tokens (ALiBi)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from attention_core.attention import AttentionTrace, SelfAttentionTrace, attend
from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace, with_heads
from attention_core.positions import rope

PositionKind = Literal["none", "rotary_pairs", "rotary_halves", "alibi"]
POSITION_KINDS: tuple[str, ...] = get_args(PositionKind)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Places:
    """How positions change the scores, and the position of each query and of each key."""

    kind: PositionKind  # "rotary_pairs" rotates neighbouring columns, "rotary_halves" column i with column i + d_k / 2
    queries: NDArray[np.int_]  # (n_q,) the position of each query, from 0
    keys: NDArray[np.int_]  # (n_k,) the position of each key, from 0
    base: float = 10000.0  # the base of the rotation
    slopes: Array  # (n_heads,) for "alibi": how much each head lowers a score for each position of distance
    head: int = 0  # the head whose slope is used if attention has only one head

    def rotate(self, q: Array, k: Array) -> tuple[Array, Array]:
        """Return queries and keys, each rotated by its position. `kind` must be "rotary_pairs" or "rotary_halves".

        Shapes: q (…, n_q, d_k), k (…, n_k, d_k) → the same.
        Raises: ValueError if d_k is odd.
        Source: Su et al. 2021, arXiv:2104.09864, eq. 34.
        """
        of_pairs = self.kind == "rotary_pairs"
        return rope(q, self.queries, self.base, of_pairs), rope(k, self.keys, self.base, of_pairs)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PositionedTrace(SelfAttentionTrace):
    """Attention with positions in its scores. Its q and k are the queries and keys before the rotation."""

    places: Places


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PositionedHeadsTrace(MultiHeadTrace):
    """Attention of several heads with positions in its scores. Its q and k are those before the rotation."""

    places: Places


def with_positions(trace: SelfAttentionTrace, places: Places) -> SelfAttentionTrace:
    """Return the trace with positions in its scores, and compute all later steps again.

    rotary: (R_i q_i) · (R_j k_j); ALiBi: scaled − slope · |i − j|. For places of the kind "none", return the trace
    itself.

    Raises: ValueError if queries are rotated and their width is odd.
    Source: Su et al. 2021, arXiv:2104.09864, eq. 34; Press et al. 2022, arXiv:2108.12409, section 3.
    """
    if places.kind == "none":
        return trace
    inner = _attend_with_positions(trace, places, places.slopes[places.head])
    return PositionedTrace(**(_fields(trace) | _fields(inner)), places=places)


def heads_with_positions(trace: MultiHeadTrace, places: Places) -> MultiHeadTrace:
    """Return the trace of several heads with positions in its scores, as `with_positions` does for one head.

    Raises: ValueError if queries are rotated and the width of a head is odd.
    """
    if places.kind == "none":
        return trace
    heads = _attend_with_positions(trace.heads, places, places.slopes[:, None, None])
    return PositionedHeadsTrace(**_fields(with_heads(trace, heads)), places=places)


def _attend_with_positions(trace: AttentionTrace, places: Places, slopes: Array) -> AttentionTrace:
    """Return the attention with positions in its scores. Its q and k are the queries and keys before the rotation."""
    q, k, mask = trace.q, trace.k, trace.mask
    if places.kind == "alibi":
        distance = np.abs(places.queries[:, None] - places.keys)
        allowed = True if trace.mask is None else trace.mask
        mask = np.where(allowed, -slopes * distance, -np.inf)
    else:
        q, k = places.rotate(q, k)
    found = attend(q, k, trace.v, mask=mask, scale=trace.scale)
    return replace(found, q=trace.q, k=trace.k, mask=trace.mask)


def _fields(trace: AttentionTrace | MultiHeadTrace) -> dict[str, Any]:
    return {field.name: getattr(trace, field.name) for field in fields(trace)}
