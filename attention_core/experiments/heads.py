"""Other wirings of the heads and of the three matrices."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.checks import Array, floats, positive_integer
from attention_core.examples import Example
from attention_core.heads import MultiHeadProjections, MultiHeadTrace, multi_head_attention


def without_heads(projections: MultiHeadProjections, off: Collection[int], n_heads: int) -> MultiHeadProjections:
    """Switch off the heads in `off`: set their rows of w_o to 0, so that nothing from these heads reaches the output.

    Shapes: all matrices keep their shapes.
    Raises: ValueError if a head does not exist or n_heads does not divide the rows of w_o.
    Source: Michel, Levy & Neubig 2019, arXiv:1905.10650.
    """
    _check_heads(projections, n_heads, *off)
    if not off:
        return projections
    w_o = np.array(projections.w_o, dtype=float)
    w_o.reshape(n_heads, -1, w_o.shape[-1])[list(off)] = 0
    return replace(projections, w_o=w_o)


def swap_heads(
    projections: MultiHeadProjections, a: int, b: int, n_heads: int, *, rows_of_w_o: bool
) -> MultiHeadProjections:
    """Swap the heads a and b: their columns of w_q, w_k and w_v and, if `rows_of_w_o` is true, also their rows of w_o.

    If the rows of w_o are swapped too, the output stays the same, because the order of a sum does not matter.
    Otherwise, each head's output is multiplied by the other head's rows.

    Shapes: all matrices keep their shapes; there must be as many key heads as heads.
    Raises: ValueError if a head does not exist or n_heads does not divide a width.
    """
    _check_heads(projections, n_heads, a, b)
    order = list(range(n_heads))
    order[a], order[b] = b, a
    columns = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")
    swapped = {name: _blocks_in_order(getattr(projections, name), order) for name in columns}
    w_o = _blocks_in_order(projections.w_o.T, order).T if rows_of_w_o else projections.w_o  # type: ignore[union-attr]
    return replace(projections, **swapped, w_o=w_o)


def identity_w_o(projections: MultiHeadProjections) -> MultiHeadProjections:
    """Replace w_o by the identity. Then the output is the concatenation, cut or filled with 0 to the width of w_o."""
    return replace(projections, w_o=np.eye(*np.shape(projections.w_o)))


def pool_heads(projections: MultiHeadProjections, n_heads: int, n_kv_heads: int) -> MultiHeadProjections:
    """Let groups of query heads share one key head and one value head.

    A shared head is the mean of the heads that the group had before.

    Shapes: w_k (d_context, n_heads · d_k) → (d_context, n_kv_heads · d_k), and w_v and the biases likewise.
    Raises: ValueError if n_kv_heads does not divide n_heads, or n_heads a width.
    Source: Ainslie et al. 2023, section 2.1, doi:10.18653/v1/2023.emnlp-main.298.
    """
    _check_heads(projections, n_heads)
    if n_heads % positive_integer("n_kv_heads", n_kv_heads):
        raise ValueError(
            f"n_kv_heads must divide n_heads; got n_kv_heads {n_kv_heads}, n_heads {n_heads}: give 1 or {n_heads}."
        )
    if n_kv_heads == n_heads:
        return projections
    pooled = {name: _pool(getattr(projections, name), n_heads, n_kv_heads) for name in ("w_k", "w_v", "b_k", "b_v")}
    return replace(projections, **pooled)


def run_rewired(
    example: Example,
    n_heads: int,
    *,
    off: Collection[int] = (),
    w_o: Literal["own", "swap", "swap_alone", "identity"] = "own",
    sharing: Literal["own", "grouped", "all"] = "own",
) -> MultiHeadTrace:
    """Run an example with n_heads heads, of which some are off, or with another W^O, or with shared keys and values.

    With w_o="swap", heads 0 and 1 are swapped together with their rows of w_o. With "swap_alone", the rows stay. A
    single head is not swapped. With sharing="grouped", two heads share keys and values, unless the number of heads is
    odd. With "all", all heads share the same keys and values.

    Raises: ValueError if n_heads does not divide the example's widths, or a head that is off does not exist.
    """
    projections = example.projections
    if w_o == "identity":
        projections = identity_w_o(projections)
    elif w_o != "own" and n_heads > 1:
        projections = swap_heads(projections, 0, 1, n_heads, rows_of_w_o=w_o == "swap")
    n_kv_heads = {"own": n_heads, "grouped": n_heads if n_heads % 2 else n_heads // 2, "all": 1}[sharing]
    projections = pool_heads(without_heads(projections, off, n_heads), n_heads, n_kv_heads)
    return multi_head_attention(example.x, projections, n_heads, context=example.context, n_kv_heads=n_kv_heads)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one multi-head attention, as numbers of operations and of stored numbers."""

    parameters: int  # how many numbers are learned, including biases
    flops: int  # two operations for each product in a sum: projections, scores, averages of values, w_o
    exponentials: int  # one exponential for each query, key and head
    kv_cache: int  # how many numbers of each token are stored for later tokens


def cost(trace: MultiHeadTrace) -> Cost:
    """Count the operations and the learned numbers of multi-head attention, from the shapes of a trace.

    flops = 2 · (n_q d_model h d_k + n_k d_context g (d_k + d_v) + n_q n_k h (d_k + d_v) + n_q h d_v d_model), with h
    heads and g key heads.

    >>> from attention_core.examples import example
    >>> cost(example("story").multi_head()).exponentials
    50
    """
    n_q, n_k = trace.q.shape[-2], trace.k.shape[-2]
    w, d_k, d_v = trace.projections, trace.heads.q.shape[-1], trace.heads.v.shape[-1]
    present = (w.w_q, w.w_k, w.w_v, w.w_o, w.b_q, w.b_k, w.b_v, w.b_o)
    projections = n_q * (np.size(w.w_q) + np.size(w.w_o)) + n_k * (np.size(w.w_k) + np.size(w.w_v))
    pairs = n_q * n_k * trace.n_heads
    return Cost(
        parameters=sum(np.size(matrix) for matrix in present if matrix is not None),
        flops=2 * (projections + pairs * (d_k + d_v)),
        exponentials=pairs,
        kv_cache=trace.n_kv_heads * (d_k + d_v),
    )


def _blocks_in_order(matrix: Array | None, order: list[int]) -> Array | None:
    if matrix is None:
        return None
    blocks = np.asarray(matrix).reshape(*np.shape(matrix)[:-1], len(order), -1)
    return blocks[..., order, :].reshape(np.shape(matrix))


def _pool(matrix: Array | None, n_heads: int, n_kv_heads: int) -> Array | None:
    if matrix is None:
        return None
    lead = np.shape(matrix)[:-1]
    groups = np.asarray(matrix, dtype=float).reshape(*lead, n_kv_heads, n_heads // n_kv_heads, -1)
    return groups.mean(axis=-2).reshape(*lead, -1)


def _check_heads(projections: MultiHeadProjections, n_heads: int, *named: int) -> None:
    widths = {"w_q": np.shape(projections.w_q)[-1], "w_v": np.shape(projections.w_v)[-1], "w_o": len(projections.w_o)}
    for name, width in widths.items():
        if width % positive_integer("n_heads", n_heads):
            raise ValueError(f"n_heads must divide the heads' width; got {n_heads} heads, {name} {width}: give fewer.")
    for head in named:
        if not 0 <= head < n_heads:
            raise ValueError(f"a head must be one of 0 to {n_heads - 1}; got {head}: count from 0.")


@cache_recent
def with_one_matrix(example: Example) -> Example | None:
    """Return the example with w_q in place of w_k. The scores are then symmetric: scores[i, j] = scores[j, i].

    Return None if w_q and w_k have different shapes, if only one of them has a bias, or if the example has a context.
    """
    if example.context is not None or example.w_q.shape != example.w_k.shape:
        return None
    if (example.b_q is None) != (example.b_k is None):
        return None
    biases = {} if example.b_q is None else {"b_k": example.b_q}
    return example.with_matrices({"w_k": example.w_q, **biases})


@dataclass(frozen=True, slots=True)
class Nudge:
    """A change of one number of w_q by 1 or −1, and the weight of a token's best key before and after this change."""

    row: int
    column: int
    step: float  # 1, or −1
    key: int  # the key with the token's greatest weight
    before: float  # the weight of this key before the change
    after: float  # its weight after the change


@cache_recent
def nudge_of_query(example: Example, trace: SelfAttentionTrace, token: int) -> Nudge | None:
    """Find the number of w_q that has the greatest effect on a token's greatest weight, and change it by 1 or −1.

    The sign of the change is such that the weight should grow. Return None if no number of w_q changes the weight.

    For small changes, the weight a_j of key j changes by a_j · scale · x_r (k_jc − Σ_m a_m k_mc) times the change of
    w_q[r, c].

    Raises: IndexError if there is no such token.
    """
    key = int(np.argmax(trace.weights[token]))
    slopes = np.outer(example.x[token], trace.k[key] - trace.weights[token] @ trace.k)
    row, column = map(int, np.unravel_index(np.argmax(np.abs(slopes)), slopes.shape))
    step = float(np.sign(slopes[row, column]))
    if step == 0:
        return None
    w_q = example.w_q.copy()
    w_q[row, column] += step
    after = example.with_matrices({"w_q": w_q}).attention(scale=trace.scale).weights[token, key]
    return Nudge(row, column, step, key, float(trace.weights[token, key]), float(after))


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """The dot products of one query with every key, and the lengths and angles that they come from."""

    length: float  # the length of the query
    lengths: Array  # (n_k,) the length of each key
    cosines: Array  # (n_k,) the cosine of the angle between query and key; 0 if one of them has length 0
    products: Array  # (n_k,) = length · lengths · cosines

    @property
    def degrees(self) -> Array:
        """The angles in degrees: 0 if query and key have the same direction, 180 if they have opposite directions."""
        return np.degrees(np.arccos(np.clip(self.cosines, -1.0, 1.0)))


def align(query: ArrayLike, keys: ArrayLike) -> Alignment:
    """Split the dot products of a query with keys into lengths and angles.

    q · k = |q| |k| cos θ

    Shapes: query (d_k,), keys (n_k, d_k).
    Raises: ValueError if their widths differ.

    >>> align([3.0, 4.0], [[3.0, 4.0], [-4.0, 3.0]]).degrees
    array([ 0., 90.])
    """
    q, k = floats("query", query), floats("keys", keys, min_rank=2)
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"query and keys must share d_k; got query {q.shape}, keys {k.shape}: check w_q and w_k.")
    products, length, lengths = k @ q, float(np.linalg.norm(q)), np.linalg.norm(k, axis=-1)
    both = length * lengths
    return Alignment(length, lengths, np.divide(products, both, out=np.zeros_like(both), where=both > 0), products)


def closest_plane(query: ArrayLike, keys: ArrayLike) -> tuple[int, int]:
    """Find the two dimensions that show the scores of a query best, and return their indices, the smaller index first.

    The products in these two dimensions alone come closest to the scores: a < b such that Σ_j (q · k_j − q_a k_ja − q_b
    k_jb)² is least. If several pairs are equally close, return the first pair.

    Shapes: query (d_k,), keys (n_k, d_k), d_k at least 2.
    Raises: ValueError if a number is not finite.

    >>> closest_plane([1.0, 0.0, 1.0], [[2.0, 5.0, 1.0]])
    (0, 2)
    """
    products = floats("keys", keys, min_rank=2) * floats("query", query)
    with_scores = products.T @ products.sum(axis=1)
    common = products.T @ products
    own = np.diag(common) - 2 * with_scores
    missed = own[:, None] + own + 2 * common
    missed[np.tril_indices(len(missed))] = np.inf
    a, b = np.unravel_index(np.argmin(missed), missed.shape)
    return int(a), int(b)
