"""Compare the exact match of a dictionary with the weighted average of attention, by making softmax sharper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import attend
from attention_core.checks import Array, floats, positive_integer
from attention_core.softmax import softmax


@dataclass(frozen=True, slots=True, eq=False)
class LookupTrace:
    """The weights and the result of one query, for several values of β. A β multiplies the scores of the query."""

    sharpness: Array  # (s,) the factors β of the scaled scores
    weights: Array  # (s, n_k) each row sums to 1
    results: Array  # (s, d_v)


def sharpened_scale(d_k: int, sharpness: float) -> float:
    """Return the scale of an attention with sharpness β.

    β / √d_k. The weights are sharper than usual for β above 1, and more even for β below 1.

    >>> sharpened_scale(4, 2.0)
    1.0
    """
    return sharpness * positive_integer("d_k", d_k) ** -0.5


def look_up(query: ArrayLike, keys: ArrayLike, values: ArrayLike, sharpness: ArrayLike) -> LookupTrace:
    """Compute the attention of one query, once for each value of sharpness.

    softmax(β · query keysᵀ / √d_k) values, with β = sharpness. With β = 0, the result is the mean of all values. With
    β = 1, it is ordinary attention. With a large β, it is almost the value of the best key, as in a dictionary. With
    β = ∞, equally good keys share the weight.

    Shapes: query (d_k,), keys (n_k, d_k), values (n_k, d_v), sharpness (s,) → results (s, d_v).
    Raises: ValueError for the same reasons as `attend`, or if a sharpness is negative.
    Source: attention as a soft dictionary: Graves, Wayne & Danihelka 2014, arXiv:1410.5401, section 3.3.1.

    >>> look_up([1.0], [[1.0], [0.0]], [[10.0], [20.0]], [0.0, 100.0]).results.tolist()
    [[15.0], [10.0]]
    """
    beta = np.asarray(sharpness, dtype=float)
    if np.isnan(beta).any() or (beta < 0).any():
        raise ValueError(
            f"sharpness must be at least 0; got {beta.min()}: 0 blurs all, 1 is attention, ∞ picks the best."
        )
    matches = attend(floats("query", query)[None], keys, values).scaled[0]
    best = np.where(matches == matches.max(), 0.0, -np.inf)
    logits = np.where(np.isinf(beta)[:, None], best, np.where(np.isinf(beta), 0.0, beta)[:, None] * matches)
    weights = softmax(logits.astype(matches.dtype))
    return LookupTrace(beta, weights, weights @ floats("values", values, min_rank=2))
