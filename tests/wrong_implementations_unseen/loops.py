"""Mistakes of loops, axes and reshapes in one head."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import run, wrong


@wrong("output", "finish")
def leaves_the_last_row_at_zero(output, p):
    """`for i in range(n - 1)`: the last row of the zeros that the output began with is never filled."""
    return np.vstack([output[:-1], np.zeros_like(output[-1:])])


@wrong("output", "finish")
def leaves_the_first_row_at_zero(output, p):
    """`for i in range(1, n)`: the first row of the zeros that the output began with is never filled."""
    return np.vstack([np.zeros_like(output[:1]), output[1:]])


@wrong("output", "mix")
def sums_over_the_queries(weights, v):
    """`(weights[:, :, None] * v).sum(axis=0)`: the sum runs over queries, so each value keeps its row."""
    return weights.sum(axis=0)[:, None] * v


@wrong("output", "mix")
def sums_over_the_features(weights, v):
    """`(weights[:, :, None] * v).sum(axis=2)`: the sum runs over features, so there is a column for each token."""
    return weights * v.sum(axis=1)


@wrong("output", "mix")
def mixes_with_the_next_weights(weights, v):
    """`weights[(i + 1) % n] @ v`: an index is one off."""
    return np.roll(weights, -1, axis=0) @ v


@wrong("output", "mix")
def mixes_values_in_reverse(weights, v):
    """The loop over the values runs backwards, the one over the weights forwards."""
    return weights @ v[::-1]


@wrong("scores", "score")
def reshapes_the_keys(q, k):
    """`k.reshape(d_k, n)` in place of the transpose: the shape is right, and the order is lost."""
    return q @ k.reshape(k.shape[::-1])


@wrong("scores", "score", rare=True)
def reverses_the_keys(q, k):
    """`np.rot90(k)` in place of the transpose."""
    return q @ np.rot90(k)


@wrong("scores", "score", rare=True)
def compares_each_query_with_its_own_key(q, k):
    """`(q * k).sum(axis=1)`: one score a token, which every row shares."""
    return np.broadcast_to((q * k).sum(axis=1), (len(q), len(q)))


@wrong("scores", "score")
def keeps_scores_above_the_diagonal(q, k):
    """`np.triu(q @ k.T)`: the scores below the diagonal become 0, and the softmax counts them."""
    return np.triu(q @ k.T)


@wrong("scores", "score", rare=True)
def compares_sums_of_features(q, k):
    """`q.sum(axis=1) * k.sum(axis=1)`: the sums are taken before the product."""
    return q.sum(1)[:, None] * k.sum(1)


@wrong("scores", "score", rare=True)
def takes_the_greatest_product(q, k):
    """The greatest product of two features is taken in place of their sum."""
    return (q[:, None] * k[None]).max(axis=2)


@wrong("scores", "score")
def adds_products_across_keys(q, k):
    """`score += ...` is not reset for the next key: the scores of a row add up."""
    return (q @ k.T).cumsum(axis=1)


@wrong("scores", "score")
def adds_products_across_queries(q, k):
    """`score += ...` is not reset for the next query: the scores of a column add up."""
    return (q @ k.T).cumsum(axis=0)


@wrong("scaled")
def takes_cosines_and_does_not_scale(p):
    """The scores are cosines, and nothing else divides them."""
    return cosines(p, 1)


@wrong("scaled", rare=True)
def multiplies_cosines_by_ten(p):
    """The scores are cosines, times a temperature of 10."""
    return cosines(p, 10)


@wrong("scaled", needs="bias")
def scales_queries_before_the_bias(p):
    """`x @ w_q * d_k ** -0.5 + b_q`: the bias is not scaled."""
    return run(p, scale=lambda s, q, k, p: ((p.x @ p.w_q) / np.sqrt(k.shape[1]) + p.b_q) @ k.T)


@wrong("Q", "project", needs="bias")
def adds_biases_to_the_embeddings_rows(p):
    """`x @ w_q + b_q[:n, None]`: the bias of queries goes down the rows."""
    return p.x @ p.w_q + p.b_q[: len(p.x), None], *project(p)[1:]


@wrong("scaled")
def divides_by_the_root_of_a_share_of_d_model(p):
    """`sqrt(d_model / n_heads)`, though one head has the whole width."""
    return run(p, scale=lambda s, q, k, p: s / np.sqrt(p.x.shape[1] / p.n_heads))


@wrong("weights", "softmax")
def goes_on_with_the_sum_of_the_row_before(hidden):
    """`total += ...` is not reset for the next row: each row is divided by the sum of all rows so far."""
    e = np.exp(hidden)
    return e / e.sum(axis=1).cumsum()[:, None]


@wrong("weights", "softmax")
def divides_by_the_sum_of_the_last_row(hidden):
    """`total` is computed in the loop and used after it: each row is divided by the last row's sum."""
    e = np.exp(hidden)
    return e / e[-1].sum()


@wrong("weights", "softmax", rare=True)
def divides_by_the_sum_of_the_first_row(hidden):
    """`e[0].sum()`: each row is divided by the first row's sum."""
    e = np.exp(hidden)
    return e / e[0].sum()


@wrong("weights", "softmax", rare=True)
def normalizes_one_row_alone(hidden):
    """The function of one vector is called with the first row; the other rows stay exponentials."""
    e = np.exp(hidden)
    return np.vstack([softmax(hidden[:1]), e[1:]])


def cosines(p, factor):
    """Run one head whose scaled scores are cosines, times a factor."""

    def scale(scores, q, k, p):
        return factor * scores / np.linalg.norm(q, axis=1)[:, None] / np.linalg.norm(k, axis=1)

    return run(p, scale=scale)
