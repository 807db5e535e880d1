"""Measure the weight on the next word and on a filler token, and count the scores that a long text needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, positive_integer


def weights_around_next_word(weights: ArrayLike) -> Array:
    """Split the weights of each token into three sums: over the tokens so far, the next token, and all later tokens.

    [Σ_{j ≤ i} a_ij, a_{i,i+1}, Σ_{j > i+1} a_ij]

    If a token has to predict the next token, it may attend only to the tokens so far. The last token has no next token,
    so the result has no row for it.

    Shapes: (n, n) → (n − 1, 3).
    Raises: ValueError if the weights are not square.

    >>> weights_around_next_word([[0.5, 0.25, 0.25], [0, 0.5, 0.5], [0, 0, 1]])
    array([[0.5 , 0.25, 0.25],
           [0.5 , 0.5 , 0.  ]])
    """
    weights = floats("weights", weights)
    if weights.shape[0] != weights.shape[1]:
        raise ValueError(
            f"weights must be square for tokens to have a next one; got {weights.shape}: give x no context."
        )
    so_far, following = np.tril(weights).sum(axis=1), np.diagonal(weights, offset=1)
    later = np.triu(weights, k=2).sum(axis=1)
    return np.column_stack([so_far[:-1], following, later[:-1]])


def weights_beside_filler(weights: ArrayLike) -> Array:
    """Split the weights of each token into two sums: over all keys but the last, and over the last key.

    The last key is that of a filler, a token that only fills up a batch.

    Shapes: (n_q, n_k) → (n_q, 2).

    >>> weights_beside_filler([[0.5, 0.25, 0.25]])
    array([[0.75, 0.25]])
    """
    weights = floats("weights", weights)
    return np.column_stack([weights[:, :-1].sum(axis=1), weights[:, -1]])


def scores_of_length(n_q: int, n_k: int, times: int = 1) -> int:
    """Return how many scores a head computes if both texts become `times` times as long.

    times n_q · times n_k, which is times² n² in self-attention.

    Raises: ValueError if a number is not whole and at least 1.

    >>> scores_of_length(5, 5), scores_of_length(5, 5, times=2)
    (25, 100)
    """
    times = positive_integer("times", times)
    return times * positive_integer("n_q", n_q) * times * positive_integer("n_k", n_k)
