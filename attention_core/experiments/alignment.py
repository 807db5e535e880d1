"""Split dot products into lengths and angles, and find the two dimensions that show the scores of a query best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats


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
