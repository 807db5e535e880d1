"""Mistakes in the scores: wrong factors, products in the wrong order, and other formulas than the dot product."""

import numpy as np

from wrong_implementations.parts import project

from .record import run, wrong


@wrong("scores", "score")
def forgets_to_transpose_the_keys(q, k):
    """Return Q K instead of Q Kᵀ, which runs if there are as many keys as columns."""
    return q @ k


@wrong("scores", "score")
def transposes_the_queries(q, k):
    """Return Qᵀ K instead of Q Kᵀ, which compares columns with columns instead of tokens with tokens."""
    return q.T @ k


@wrong("scores", "score")
def transposes_both(q, k):
    """Return Qᵀ Kᵀ instead of Q Kᵀ, which runs if there are as many tokens as columns."""
    return q.T @ k.T


@wrong("scores", "score")
def multiplies_cell_by_cell(q, k):
    """Multiply queries and keys cell by cell, `q * k`, instead of as matrices, `q @ k.T`."""
    return q * k


@wrong("scores", "score", rare=True)
def multiplies_cell_by_cell_with_the_transpose(q, k):
    """Multiply queries and transposed keys cell by cell, `q * k.T`, instead of as matrices, `q @ k.T`."""
    return q * k.T


@wrong("scores", "score")
def multiplies_in_the_other_order(q, k):
    """Return Kᵀ Q instead of Q Kᵀ, from a formula in which tokens are columns."""
    return k.T @ q


@wrong("scores", "score")
def takes_cosines(q, k):
    """Return the cosine of each query with each key instead of their dot product."""
    return q @ k.T / np.linalg.norm(q, axis=1)[:, None] / np.linalg.norm(k, axis=1)


@wrong("scores", "score", rare=True)
def divides_by_the_lengths_of_keys(q, k):
    """Return the dot product of each query with each key, but divided by the length of the key."""
    return q @ k.T / np.linalg.norm(k, axis=1)


@wrong("scores", "score")
def ends_the_dot_product_too_early(q, k):
    """Return the scores, but leave the last number out of every dot product: the loop runs over `range(d_k - 1)`."""
    return q[:, :-1] @ k[:, :-1].T


@wrong("scores", "score")
def begins_the_dot_product_too_late(q, k):
    """Return the scores, but leave the first number out of every dot product: the loop runs over `range(1, d_k)`."""
    return q[:, 1:] @ k[:, 1:].T


@wrong("scores", "score")
def takes_scores_for_symmetric(q, k):
    """Return the scores, but copy those above the diagonal to the cells below it.

    Raises: ValueError if the scores are not square.
    """
    upper = np.triu(q @ k.T)
    if upper.shape[0] != upper.shape[1]:
        raise ValueError("only square scores can be mirrored")
    return upper + np.triu(upper, 1).T


@wrong("scores", "score", rare=True)
def averages_both_directions(q, k):
    """Return the mean of the scores and their transpose, instead of the scores."""
    scores = q @ k.T
    return (scores + scores.T) / 2


@wrong("scores", "score", rare=True)
def takes_negative_distances(q, k):
    """Return minus the distance of each query to each key instead of their dot product."""
    return -np.linalg.norm(q[:, None] - k[None], axis=2)


@wrong("scores", "score", rare=True)
def takes_negative_squared_distances(q, k):
    """Return minus the squared distance of each query to each key instead of their dot product."""
    return -((q[:, None] - k[None]) ** 2).sum(2)


@wrong("scores", "score", rare=True)
def takes_sums_of_distances(q, k):
    """Return the sum of absolute differences of each query and each key instead of their dot product.

    The sign is wrong as well, because similar vectors get low scores.
    """
    return np.abs(q[:, None] - k[None]).sum(2)


@wrong("scores", "score", rare=True)
def adds_queries_and_keys(q, k):
    """Return the sum of tanh(q + k) for each query q and key k (additive attention) instead of their dot product."""
    return np.tanh(q[:, None] + k[None]).sum(2)


@wrong("scores", "score", rare=True)
def takes_absolute_scores(q, k):
    """Return the absolute values of the scores, instead of the scores with their signs."""
    return np.abs(q @ k.T)


@wrong("scores", "score")
def sets_negative_scores_to_zero(q, k):
    """Return the scores, but with 0 in place of negative scores (a ReLU)."""
    return np.maximum(q @ k.T, 0)


@wrong("scores", "score", rare=True)
def squares_the_scores(q, k):
    """Return the squares of the scores instead of the scores."""
    return (q @ k.T) ** 2


@wrong("scores", "score", rare=True)
def takes_tanh_of_the_scores(q, k):
    """Return tanh of the scores instead of the scores.

    Some models limit their scores in this way, but they multiply the result by a factor.
    """
    return np.tanh(q @ k.T)


@wrong("scaled", rare=True)
def punishes_distance(p):
    """Compute attention on the inputs `p`, but subtract from each scaled score the distance between the two positions.

    A method called ALiBi does this.
    """
    n, m = len(p.x), len(p.x if p.context is None else p.context)
    return run(p, scale=lambda s, q, k, p: s / np.sqrt(k.shape[1]) - np.abs(np.arange(n)[:, None] - np.arange(m)))


@wrong("scores")
def compares_queries_with_values(p):
    """Compute attention on the inputs `p`, but compare the queries with the values instead of the keys."""
    return run(p, score=lambda q, k: q @ project(p)[2].T)


@wrong("scores", "score", rare=True)
def leaves_the_diagonal_at_zero(q, k):
    """Return the scores, but with 0 for each token with itself: the loop skips `i == j`."""
    scores = q @ k.T
    return np.where(np.eye(*scores.shape, dtype=bool), 0, scores)


@wrong("scores", "score")
def fills_the_lower_triangle_alone(q, k):
    """Return the scores, but with 0 above the diagonal: the inner loop runs over `range(i + 1)`.

    The softmax counts e^0 = 1 for each of these cells.
    """
    return np.tril(q @ k.T)


@wrong("scores", "score", rare=True)
def computes_the_first_row_alone(q, k):
    """Return the scores of the first query in every row: the loop uses `q[0]` instead of `q[i]`."""
    return np.repeat(q[:1] @ k.T, len(q), axis=0)
