"""Mistakes in the scores: what is multiplied with what."""

import numpy as np

from wrong_implementations.parts import project

from .record import run, wrong


@wrong("scores", "score")
def forgets_to_transpose_the_keys(q, k):
    """`q @ k`, which runs where as many tokens as features meet."""
    return q @ k


@wrong("scores", "score")
def transposes_the_queries(q, k):
    """`q.T @ k`: features are compared with features."""
    return q.T @ k


@wrong("scores", "score")
def transposes_both(q, k):
    """`q.T @ k.T`, which runs where as many tokens as features meet."""
    return q.T @ k.T


@wrong("scores", "score")
def multiplies_cell_by_cell(q, k):
    """`q * k` in place of a matrix product."""
    return q * k


@wrong("scores", "score", rare=True)
def multiplies_cell_by_cell_with_the_transpose(q, k):
    """`q * k.T` in place of a matrix product."""
    return q * k.T


@wrong("scores", "score")
def multiplies_in_the_other_order(q, k):
    """`k.T @ q`, by the order of another formula."""
    return k.T @ q


@wrong("scores", "score")
def takes_cosines(q, k):
    """The dot products are divided by the lengths of both vectors."""
    return q @ k.T / np.linalg.norm(q, axis=1)[:, None] / np.linalg.norm(k, axis=1)


@wrong("scores", "score", rare=True)
def divides_by_the_lengths_of_keys(q, k):
    """Only the keys are made unit vectors."""
    return q @ k.T / np.linalg.norm(k, axis=1)


@wrong("scores", "score")
def ends_the_dot_product_too_early(q, k):
    """`for d in range(d_k - 1)`: the last feature is left out."""
    return q[:, :-1] @ k[:, :-1].T


@wrong("scores", "score")
def begins_the_dot_product_too_late(q, k):
    """`for d in range(1, d_k)`: the first feature is left out."""
    return q[:, 1:] @ k[:, 1:].T


@wrong("scores", "score")
def takes_scores_for_symmetric(q, k):
    """Only the upper triangle is computed, and mirrored."""
    upper = np.triu(q @ k.T)
    if upper.shape[0] != upper.shape[1]:
        raise ValueError("only square scores can be mirrored")
    return upper + np.triu(upper, 1).T


@wrong("scores", "score", rare=True)
def averages_both_directions(q, k):
    """The scores are made symmetric: half of what i asks j and half of what j asks i."""
    scores = q @ k.T
    return (scores + scores.T) / 2


@wrong("scores", "score", rare=True)
def takes_negative_distances(q, k):
    """The nearer a key is to a query, the higher is its score."""
    return -np.linalg.norm(q[:, None] - k[None], axis=2)


@wrong("scores", "score", rare=True)
def takes_negative_squared_distances(q, k):
    """The scores of a Gaussian kernel."""
    return -((q[:, None] - k[None]) ** 2).sum(2)


@wrong("scores", "score", rare=True)
def takes_sums_of_distances(q, k):
    """The scores are the sums of absolute differences, with the wrong sign besides."""
    return np.abs(q[:, None] - k[None]).sum(2)


@wrong("scores", "score", rare=True)
def adds_queries_and_keys(q, k):
    """Additive attention: tanh(q + k), summed."""
    return np.tanh(q[:, None] + k[None]).sum(2)


@wrong("scores", "score", rare=True)
def takes_absolute_scores(q, k):
    """`np.abs(q @ k.T)`."""
    return np.abs(q @ k.T)


@wrong("scores", "score")
def sets_negative_scores_to_zero(q, k):
    """A ReLU stands after the scores."""
    return np.maximum(q @ k.T, 0)


@wrong("scores", "score", rare=True)
def squares_the_scores(q, k):
    """The scores are squared."""
    return (q @ k.T) ** 2


@wrong("scores", "score", rare=True)
def takes_tanh_of_the_scores(q, k):
    """The scores pass through tanh, as in a soft cap that lacks its factor."""
    return np.tanh(q @ k.T)


@wrong("scaled", rare=True)
def punishes_distance(p):
    """Each score loses the distance of the two tokens, as ALiBi has it."""
    n, m = len(p.x), len(p.x if p.context is None else p.context)
    return run(p, scale=lambda s, q, k, p: s / np.sqrt(k.shape[1]) - np.abs(np.arange(n)[:, None] - np.arange(m)))


@wrong("scores")
def compares_queries_with_values(p):
    """`q @ v.T`, which runs where values are as wide as queries."""
    return run(p, score=lambda q, k: q @ project(p)[2].T)


@wrong("scores", "score", rare=True)
def leaves_the_diagonal_at_zero(q, k):
    """`if i != j`: a token's score with itself is never computed and stays 0."""
    scores = q @ k.T
    return np.where(np.eye(*scores.shape, dtype=bool), 0, scores)


@wrong("scores", "score")
def fills_the_lower_triangle_alone(q, k):
    """`for j in range(i + 1)`: the scores above the diagonal stay 0, and the softmax counts them."""
    return np.tril(q @ k.T)


@wrong("scores", "score", rare=True)
def computes_the_first_row_alone(q, k):
    """The loop uses `q[0]` for every row."""
    return np.repeat(q[:1] @ k.T, len(q), axis=0)
