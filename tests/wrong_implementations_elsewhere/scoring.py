"""Mistakes in the scores and in their division by √d_k, in one head."""

import numpy as np

from wrong_implementations.parts import hide, project, softmax

from .record import wrong
from .right import mask_of, scaled_scores_of


# This is mistake 2 in https://ttsugriy.github.io/llm-first-principles/stages/stage-05/common-mistakes
@wrong(common=True, part="scale", source="https://github.com/mlc-ai/mlc-llm/pull/3426")
def forgets_the_scale(scores, q, k, p):
    """Return the scores as they are, without dividing them by √d_k."""
    return scores


@wrong(common=True, part="scale")
def multiplies_by_the_root(scores, q, k, p):
    """Multiply the scores by √d_k instead of dividing them by √d_k."""
    return scores * np.sqrt(k.shape[-1])


@wrong(common=True, part="scale")
def forgets_the_root(scores, q, k, p):
    """Divide the scores by d_k instead of √d_k."""
    return scores / k.shape[-1]


@wrong(common=True, part="scale", source="https://github.com/Graylab/DL4Proteins-notebooks/issues/12")
def takes_the_root_of_the_tokens_width(scores, q, k, p):
    """Divide the scores by the square root of the width of x instead of the width of a key (d_k)."""
    return scores * p.x.shape[-1] ** -0.5


@wrong(common=True, part="scale", source="https://leyaa.ai/codefly/learn/nlp/part-2/nlp-attention-mechanism-basics/try")
def takes_the_root_of_the_count(scores, q, k, p):
    """Divide the scores by the square root of the number of keys instead of their width d_k.

    The code uses `len(k)` as the width of a key.
    """
    return scores / np.sqrt(k.shape[-2])


# The code in https://github.com/mkara44/transunet_pytorch/issues/4 has parentheses where Python reads them.
@wrong(common=True)
def halves_for_a_root(p):
    """Compute attention on the inputs `p`, but divide the scores by 2 d_k instead of √d_k.

    The code says `scores / d_k ** 1 / 2`, which Python reads as `(scores / d_k) / 2`.
    """
    q, k, v = project(p)
    scores = q @ k.T / k.shape[1] ** 1 / 2
    return softmax(hide(scores, p.mask)) @ v


@wrong(part="after")
def divides_the_weights_by_the_root(weights, mask, p):
    """Divide the weights by √d_k after the softmax, although the scores were already divided by √d_k."""
    return weights / np.sqrt(p.w_k.shape[1])


@wrong(common=True)
def scales_behind_the_softmax(p):
    """Compute attention on the inputs `p`, but divide the weights by √d_k after the softmax, not the scores."""
    q, k, v = project(p)
    weights = softmax(hide(q @ k.T, p.mask)) / np.sqrt(k.shape[1])
    return weights @ v


# The fourth root is correct in the source, which divides queries and keys by it. Here it divides only the scores.
@wrong(part="scale", source="https://github.com/huggingface/diffusers/issues/929")
def takes_the_root_twice(scores, q, k, p):
    """Divide the scores by the fourth root of d_k instead of the square root."""
    return scores / np.sqrt(np.sqrt(k.shape[-1]))


@wrong(part="scale")
def divides_without_remainder(scores, q, k, p):
    """Divide the scores by √d_k, but round each result down to a whole number: the code says `//` instead of `/`."""
    return scores // np.sqrt(k.shape[-1])


@wrong(common=True, part="score", source="https://github.com/datawhalechina/learn-nlp-with-transformers/pull/40")
def compares_queries_with_queries(q, k):
    """Return the scores Q Qᵀ instead of Q Kᵀ."""
    return q @ q.swapaxes(-1, -2)


@wrong(common=True)
def compares_with_the_key_before(p):
    """Compute attention on the inputs `p`, but use key j - 1 in score (i, j), and the last key for the first.

    Formulas count from 1, and arrays count from 0.
    """
    q, k, v = project(p)
    scores = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            scores[i, j] = np.dot(q[i], k[j - 1]) / np.sqrt(len(k[j]))
    return softmax(hide(scores, p.mask)) @ v


@wrong()
def pairs_each_query_with_its_key(p):
    """Compute attention on the inputs `p`, but only one score for each token: its own query times its own key.

    The code loops over `zip(q, k)`. The softmax runs over these scores, and each value is multiplied by one weight.
    """
    q, k, v = project(p)
    scores = np.array([np.dot(a, b) for a, b in zip(q, k, strict=True)]) / np.sqrt(k.shape[1])
    return softmax(hide(scores, p.mask))[:, None] * v


@wrong()
def scores_by_distance(p):
    """Compute attention on the inputs `p`, but use minus the squared distance of query and key as score."""
    q, k, v = project(p)
    scores = -((q[:, None, :] - k[None, :, :]) ** 2).sum(axis=-1)
    return softmax(hide(scores / np.sqrt(k.shape[1]), p.mask)) @ v


@wrong(common=True)
def scores_by_cosine(p):
    """Compute attention on the inputs `p`, but use the cosine of query and key as score."""
    q, k, v = project(p)
    lengths = np.outer(np.linalg.norm(q, axis=1), np.linalg.norm(k, axis=1))
    return softmax(hide(q @ k.T / np.where(lengths, lengths, 1), p.mask)) @ v


@wrong(common=True)
def stops_before_the_last_key(p):
    """Compute attention on the inputs `p`, but leave out the last key and value: the loop has `range(m - 1)`."""
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        e = [np.exp(q[i] @ k[j] / np.sqrt(k.shape[1])) * mask_of(p)[i, j] for j in range(len(k) - 1)]
        for j in range(len(e)):
            out[i] += e[j] / sum(e) * v[j]
    return out


@wrong(common=True)
def looks_back_without_being_asked(p):
    """Compute attention on the inputs `p`, but with a causal mask, although no mask is asked for."""
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        row = softmax(scaled_scores_of(q, k, p)[i, : i + 1])
        for j in range(i + 1):
            out[i] += row[j] * v[j]
    return out


@wrong(common=True, source="https://leyaa.ai/codefly/learn/nlp/part-2/nlp-attention-mechanism-basics/try")
def multiplies_cell_by_cell(p):
    """Compute attention on the inputs `p`, but compute the scores as `q * k` (cell by cell) instead of `q @ k.T`.

    The code runs if the product has the shape of the scores.
    """
    q, k, v = project(p)
    return softmax(hide(q * k / np.sqrt(k.shape[1]), p.mask)) @ v


@wrong()
def scores_the_values(p):
    """Compute attention on the inputs `p`, but compare the queries with the values instead of the keys."""
    q, _, v = project(p)
    return softmax(hide(q @ v.T / np.sqrt(v.shape[1]), p.mask)) @ v


@wrong()
def takes_the_scores_as_symmetric(p):
    """Compute attention on the inputs `p`, but copy the scores above the diagonal to the cells below it.

    The code assumes that the scores are symmetric, and they are not.
    """
    q, k, v = project(p)
    scores = scaled_scores_of(q, k, p)
    return softmax(hide(np.triu(scores) + np.triu(scores, 1).T, p.mask)) @ v
