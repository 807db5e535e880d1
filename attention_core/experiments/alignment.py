"""Alignment: a dot product as two lengths and an angle, and the two dimensions that show a query's scores best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """One query and every key: their lengths, the angles between them, and their dot products."""

    length: float  # of the query
    lengths: Array  # (n_k,)
    cosines: Array  # (n_k,) of the angles; 0 if the query or the key has length 0
    products: Array  # (n_k,) = length · lengths · cosines

    @property
    def degrees(self) -> Array:
        """The angles: 0 if both point in the same direction, 180 if they point in opposite directions."""
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
    """Return the two dimensions, in order, whose products alone come closest to a query's scores.

    a < b such that Σ_j (q · k_j − q_a k_ja − q_b k_jb)² is least; if several pairs are equally close, the first.

    Shapes: query (d_k,), keys (n_k, d_k), d_k at least 2.
    Raises: ValueError if a number is not finite.

    >>> closest_plane([1.0, 0.0, 1.0], [[2.0, 5.0, 1.0]])
    (0, 2)
    """
    products = floats("keys", keys, min_rank=2) * floats("query", query)
    told = products.T @ products.sum(axis=1)
    common = products.T @ products
    own = np.diag(common) - 2 * told
    missed = own[:, None] + own + 2 * common
    missed[np.tril_indices(len(missed))] = np.inf
    a, b = np.unravel_index(np.argmin(missed), missed.shape)
    return int(a), int(b)
