"""Mistakes with loops, axes and reshapes in one head."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import run, wrong


@wrong("output", "finish")
def leaves_the_last_row_at_zero(output, p):
    """Return the output, but with zeros in the last row: the loop `for i in range(n - 1)` does not compute that row."""
    return np.vstack([output[:-1], np.zeros_like(output[-1:])])


@wrong("output", "finish")
def leaves_the_first_row_at_zero(output, p):
    """Return the output, but with zeros in the first row: the loop `for i in range(1, n)` does not compute that row."""
    return np.vstack([np.zeros_like(output[:1]), output[1:]])


@wrong("output", "mix")
def sums_over_the_queries(weights, v):
    """Multiply values by weights, but sum over the queries instead of over the keys.

    The code says `(weights[:, :, None] * v).sum(axis=0)`, so row j holds value j times the sum of the weights of key j.
    """
    return weights.sum(axis=0)[:, None] * v


@wrong("output", "mix")
def sums_over_the_features(weights, v):
    """Multiply values by weights, but sum over the columns of the values instead of over the keys.

    The code says `(weights[:, :, None] * v).sum(axis=2)`, so the result has one column for each key.
    """
    return weights * v.sum(axis=1)


@wrong("output", "mix")
def mixes_with_the_next_weights(weights, v):
    """Multiply the values by the weights of the next token instead of the token's own weights.

    The code says `weights[(i + 1) % n]` instead of `weights[i]`.
    """
    return np.roll(weights, -1, axis=0) @ v


@wrong("output", "mix")
def mixes_values_in_reverse(weights, v):
    """Multiply the weights by the values in reverse order, instead of the order of the keys."""
    return weights @ v[::-1]


@wrong("scores", "score")
def reshapes_the_keys(q, k):
    """Return scores, but reshape the keys to (d_k, n) instead of transposing them.

    The numbers of the keys are then in the wrong order.
    """
    return q @ k.reshape(k.shape[::-1])


@wrong("scores", "score", rare=True)
def reverses_the_keys(q, k):
    """Return scores, but rotate the keys with `np.rot90(k)` instead of transposing them."""
    return q @ np.rot90(k)


@wrong("scores", "score", rare=True)
def compares_each_query_with_its_own_key(q, k):
    """Return one score for each token, the product of its query and its own key, and repeat these scores in every row.

    Correct is a score for every query with every key. The code says `(q * k).sum(axis=1)`.
    """
    return np.broadcast_to((q * k).sum(axis=1), (len(q), len(q)))


@wrong("scores", "score")
def keeps_scores_above_the_diagonal(q, k):
    """Return the scores, but set the scores below the diagonal to 0: the code says `np.triu(q @ k.T)`."""
    return np.triu(q @ k.T)


@wrong("scores", "score", rare=True)
def compares_sums_of_features(q, k):
    """Return the sum of each query times the sum of each key, instead of their dot product."""
    return q.sum(1)[:, None] * k.sum(1)


@wrong("scores", "score", rare=True)
def takes_the_greatest_product(q, k):
    """Return, for each query and key, the greatest product of two numbers instead of the sum of all products."""
    return (q[:, None] * k[None]).max(axis=2)


@wrong("scores", "score")
def adds_products_across_keys(q, k):
    """Return scores that add up along each row, instead of one score for each key.

    The loop does not set `score` back to 0 for the next key.
    """
    return (q @ k.T).cumsum(axis=1)


@wrong("scores", "score")
def adds_products_across_queries(q, k):
    """Return scores that add up down each column, instead of one score for each query.

    The loop does not set `score` back to 0 for the next query.
    """
    return (q @ k.T).cumsum(axis=0)


@wrong("scaled")
def takes_cosines_and_does_not_scale(p):
    """Compute attention on the inputs `p`, but use the cosine of query and key instead of the scaled dot product."""
    return run_with_cosines(p, 1)


@wrong("scaled", rare=True)
def multiplies_cosines_by_ten(p):
    """Compute attention on the inputs `p`, but use 10 times the cosine of query and key as scaled score."""
    return run_with_cosines(p, 10)


@wrong("scaled", needs="bias")
def scales_queries_before_the_bias(p):
    """Compute attention on the inputs `p`, but divide the queries by √d_k before adding their bias.

    So the part of the scores that comes from the bias is not divided by √d_k.
    """
    return run(p, scale=lambda s, q, k, p: ((p.x @ p.w_q) / np.sqrt(k.shape[1]) + p.b_q) @ k.T)


@wrong("Q", "project", needs="bias")
def adds_biases_to_the_embeddings_rows(p):
    """Compute queries, keys and values of the inputs `p`, but add number i of the bias of the queries to row i.

    Correct is to add number j of the bias to column j.
    """
    return p.x @ p.w_q + p.b_q[: len(p.x), None], *project(p)[1:]


@wrong("scaled")
def divides_by_the_root_of_a_share_of_d_model(p):
    """Compute attention of one head on the inputs `p`, but divide the scores by √(d_model / n_heads) instead of √d_k.

    The code divides the width by the number of heads, although the one head has the whole width.
    """
    return run(p, scale=lambda s, q, k, p: s / np.sqrt(p.x.shape[1] / p.n_heads))


@wrong("weights", "softmax")
def goes_on_with_the_sum_of_the_row_before(masked_scores):
    """Divide each row of exponentials by the sum of all rows up to it, instead of by its own sum.

    The loop does not set `total` back to 0.
    """
    e = np.exp(masked_scores)
    return e / e.sum(axis=1).cumsum()[:, None]


@wrong("weights", "softmax")
def divides_by_the_sum_of_the_last_row(masked_scores):
    """Divide every row of exponentials by the sum of the last row, instead of by its own sum.

    The code uses `total` after the loop.
    """
    e = np.exp(masked_scores)
    return e / e[-1].sum()


@wrong("weights", "softmax", rare=True)
def divides_by_the_sum_of_the_first_row(masked_scores):
    """Divide every row of exponentials by the sum of the first row, `e[0].sum()`, instead of by its own sum."""
    e = np.exp(masked_scores)
    return e / e[0].sum()


@wrong("weights", "softmax", rare=True)
def normalizes_one_row_alone(masked_scores):
    """Apply the softmax to the first row alone, and return exponentials instead of weights in the other rows."""
    e = np.exp(masked_scores)
    return np.vstack([softmax(masked_scores[:1]), e[1:]])


def run_with_cosines(p, factor):
    """Run one head on the inputs `p`, with the cosine of query and key times `factor` in place of the scaled scores."""

    def scale(scores, q, k, p):
        """Return the cosine of each query and key, times the `factor` of `run_with_cosines`."""
        return factor * scores / np.linalg.norm(q, axis=1)[:, None] / np.linalg.norm(k, axis=1)

    return run(p, scale=scale)
