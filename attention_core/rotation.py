"""Rotary positions: their trace, and attention with positions in its scores."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.attention import AttentionTrace, SelfAttentionTrace, attend
from attention_core.checks import Array, floats, positive, positive_integer
from attention_core.heads import MultiHeadTrace, with_heads
from attention_core.positions import even_width, frequencies, rope, sinusoidal


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShiftTrace:
    """One pair of columns of the encoding, before and after a shift by some positions."""

    position: int  # the position before the shift
    shift: int  # by how many positions the pair is shifted
    pair: int  # the number of the pair, from 0
    d_model: int
    base: float
    before: Array  # (1, 2) sine and cosine at the position
    rotation: Array  # (2, 2) the matrix of the shift, which is the same for every position
    after: Array  # (1, 2) before · rotation
    direct: Array  # (1, 2) sine and cosine at position + shift, by the formula of the encoding
    circle: Array  # (n, 2) the pair at every position of the sequence


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RopeTrace:
    """One query and one key, both rotated at every position, and their scores."""

    q: Array  # (d_k,)
    k: Array  # (d_k,)
    base: float
    interleaved: bool
    q_turned: Array  # (n, d_k) the query rotated at each position
    k_turned: Array  # (n, d_k) the key rotated at each position
    scores: Array  # (n, n) q_turned k_turnedᵀ


def shift_rotation(shift: float, frequency: float) -> Array:
    """Return the matrix that shifts a pair of columns of the encoding by `shift` positions, from any position.

    [sin pω, cos pω] R = [sin (p+k)ω, cos (p+k)ω] with R = [[cos kω, −sin kω], [sin kω, cos kω]]

    Shapes: → (2, 2).
    Range:  a rotation: its transpose is its inverse.
    Source: Vaswani et al. 2017, section 3.5, which states that such a matrix exists.

    >>> shift_rotation(0, 1.0).tolist()
    [[1.0, -0.0], [0.0, 1.0]]
    """
    cos, sin = np.cos(shift * frequency), np.sin(shift * frequency)
    return np.array([[cos, -sin], [sin, cos]])


def shift_pair(
    position: int, shift: int, pair: int, d_model: int, base: float = 10000.0, *, n_positions: int = 1
) -> ShiftTrace:
    """Shift one pair of columns of the encoding from a position to another position.

    `pair` is the number of the pair, from 0. The result also has the pair at the first `n_positions` positions, in the
    field `circle`. `after` is computed by the rotation, and `direct`, the same pair, by the formula of the encoding.

    Shapes: before (1, 2) · rotation (2, 2) = after (1, 2); circle (n_positions, 2).
    Raises: ValueError if a position is below 0, or d_model has no such pair.
    Source: Vaswani et al. 2017, section 3.5.

    >>> trace = shift_pair(position=3, shift=2, pair=0, d_model=4)
    >>> trace.after.round(3), trace.direct.round(3)
    (array([[-0.959,  0.284]]), array([[-0.959,  0.284]]))
    """
    rates = frequencies(d_model, base)
    if not 0 <= pair < len(rates):
        raise ValueError(f"pair must be one of the {len(rates)} of d_model {d_model}; got {pair}: count from 0.")
    if position < 0 or position + shift < 0:
        raise ValueError(
            f"positions start at 0; got position {position}, shift {shift}: choose a shift of at least {-position}."
        )
    last = max(position, position + shift, positive_integer("n_positions", n_positions) - 1)
    columns = sinusoidal(last + 1, d_model, base)[:, 2 * pair : 2 * pair + 2]
    before, rotation = columns[position : position + 1], shift_rotation(shift, rates[pair])
    return ShiftTrace(
        position=position, shift=shift, pair=pair, d_model=d_model, base=base, before=before, rotation=rotation,
        after=before @ rotation, direct=columns[position + shift : position + shift + 1],
        circle=columns[:n_positions],
    )  # fmt: skip


def rope_partners(d: int, interleaved: bool = False) -> NDArray[np.intp]:
    """Return for each feature the index of the other feature of its pair. An odd last feature is its own partner.

    Shapes: → (d,), from 0.
    Raises: ValueError if d is not a whole number of at least 1.

    >>> rope_partners(5).tolist(), rope_partners(5, interleaved=True).tolist()
    ([2, 3, 0, 1, 4], [1, 0, 3, 2, 4])
    """
    even = positive_integer("d", d) - d % 2
    own = np.arange(even)
    pairs = own ^ 1 if interleaved else (own + even // 2) % max(even, 1)
    return np.append(pairs, np.arange(even, d))


def rope_scores(
    q: ArrayLike, k: ArrayLike, n_positions: int, base: float = 10000.0, interleaved: bool = False
) -> RopeTrace:
    """Compute the scores of one query at every position with one key at every position, both rotated by RoPE.

    scores[i, j] = rope(q, i) · rope(k, j), which depends only on i − j

    Shapes: q and k (d_k,) → scores (n_positions, n_positions). RoPE rotates pairs. If d_k is odd, the last feature
            stays as it is, as in models that rotate only a part of their features.
    Raises: ValueError if q and k differ in width.
    Source: Su et al. 2021, arXiv:2104.09864, eq. 34.

    >>> rope_scores([1.0, 0.0], [1.0, 0.0], n_positions=3).scores.round(2)
    array([[ 1.  ,  0.54, -0.42],
           [ 0.54,  1.  ,  0.54],
           [-0.42,  0.54,  1.  ]])
    """
    q, k = floats("q", q), floats("k", k)
    if q.shape != k.shape:
        raise ValueError(f"q and k must share d_k; got q {q.shape}, k {k.shape}: give one query and one key.")
    q_turned, k_turned = (_rotate(x, positive_integer("n_positions", n_positions), base, interleaved) for x in (q, k))
    return RopeTrace(
        q=q, k=k, base=base, interleaved=interleaved,
        q_turned=q_turned, k_turned=k_turned, scores=q_turned @ k_turned.T,
    )  # fmt: skip


def _rotate(x: Array, n: int, base: float, interleaved: bool) -> Array:
    copies, even = np.tile(x, (n, 1)), len(x) - len(x) % 2
    if even == 0:
        return copies
    return np.concatenate([rope(copies[:, :even], np.arange(n), base, interleaved), copies[:, even:]], axis=-1)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PositionTrace:
    """Every intermediate result of the sinusoidal encoding.

    Each column has an exponent. Both columns of a pair have the same exponent.
    """

    positions: Array  # (n,) the position of each row, from 0
    d_model: int
    base: float
    exponents: Array  # (1, d_model) 2i / d_model: 0, 0, 2/d, 2/d …
    angles: Array  # (n, d_model) position / base^exponent, in radians
    encoding: Array  # (n, d_model) the sine of the angle in even columns, the cosine in odd columns
    x: Array | None = None  # (n, d_model) embeddings to which the encoding is added
    positioned: Array | None = None  # (n, d_model) x · √d_model + encoding

    @property
    def output(self) -> Array:
        """The final result: the encoding plus the embeddings, or only the encoding if there are no embeddings."""
        return self.encoding if self.positioned is None else self.positioned


def sinusoidal_steps(n_positions: int, d_model: int, base: float = 10000.0) -> PositionTrace:
    """Compute the sinusoidal encoding of positions, and return every step.

    PE[pos, 2i] = sin(pos / base^(2i/d_model)), PE[pos, 2i+1] = cos(pos / base^(2i/d_model))

    Shapes: → encoding (n_positions, d_model); an odd width leaves out the last cosine of the next even width.
    Range:  −1 to 1.
    Raises: ValueError if a size is not a whole number of at least 1, or the base is not positive.
    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal_steps(1, 4).exponents
    array([[0. , 0. , 0.5, 0.5]])
    """
    positions = np.arange(positive_integer("n_positions", n_positions), dtype=np.float64)
    return _steps(positions, positive_integer("d_model", d_model), base)


def encode(x: ArrayLike, positions: ArrayLike, base: float = 10000.0) -> PositionTrace:
    """Add to each token's embedding the encoding of the token's position, and return every step.

    x · √d_model + PE[positions]

    Shapes: x (n, d_model), positions (n,) → positioned (n, d_model).
    Raises: ValueError if there are more or fewer positions than tokens, and the errors of `sinusoidal_steps`.
    Source: Vaswani et al. 2017, sections 3.4 and 3.5.

    >>> encode([[1.0, 1.0]], [0]).positioned.round(2)
    array([[1.41, 2.41]])
    """
    x, places = floats("x", x, min_rank=2), floats("positions", positions)
    if len(x) != len(places):
        raise ValueError(f"x needs a position a row; got {len(places)} positions for x {x.shape}: give each its own.")
    trace = _steps(places, x.shape[-1], base)
    return with_encoding(replace(trace, x=x), trace.encoding)


def _steps(positions: Array, d_model: int, base: float) -> PositionTrace:
    columns = np.arange(d_model)
    exponents = (columns - columns % 2)[None] / even_width(d_model)
    empty = np.empty((len(positions), d_model))
    trace = PositionTrace(
        positions=positions, d_model=d_model, base=positive("base", base),
        exponents=exponents, angles=empty, encoding=empty,
    )  # fmt: skip
    return with_exponents(trace, exponents, trace.base)


def with_exponents(trace: PositionTrace, exponents: Array, base: float) -> PositionTrace:
    """Return the trace with other exponents or another base, and compute all later steps again."""
    return with_angles(replace(trace, exponents=exponents, base=base), trace.positions[:, None] * base**-exponents)


def with_angles(trace: PositionTrace, angles: Array) -> PositionTrace:
    """Return the trace with other angles, and compute all later steps again.

    >>> with_angles(sinusoidal_steps(1, 2), np.zeros((1, 2))).encoding
    array([[0., 1.]])
    """
    waves = np.sin(angles)
    waves[:, 1::2] = np.cos(angles[:, 1::2])
    return with_encoding(replace(trace, angles=angles), waves)


def with_encoding(trace: PositionTrace, encoding: Array) -> PositionTrace:
    """Return the trace with another encoding, and compute the sum with the embeddings again."""
    positioned = None if trace.x is None else trace.x * trace.d_model**0.5 + encoding
    return replace(trace, encoding=encoding, positioned=positioned)


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
