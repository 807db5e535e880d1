"""Mistakes in the scores and their scale, in one head."""

import numpy as np

from wrong_implementations.parts import hide, project, softmax

from .record import wrong
from .right import seen, unmasked


# Mistake 2 of https://ttsugriy.github.io/llm-first-principles/stages/stage-05/common-mistakes
@wrong(common=True, part="scale", source="https://github.com/mlc-ai/mlc-llm/pull/3426")
def forgets_the_scale(scores, q, k, p):
    """The scores are divided by nothing."""
    return scores


@wrong(common=True, part="scale")
def multiplies_by_the_root(scores, q, k, p):
    """The scores are multiplied by the root of d_k."""
    return scores * np.sqrt(k.shape[-1])


@wrong(common=True, part="scale")
def forgets_the_root(scores, q, k, p):
    """The scores are divided by d_k."""
    return scores / k.shape[-1]


@wrong(common=True, part="scale", source="https://github.com/Graylab/DL4Proteins-notebooks/issues/12")
def takes_the_root_of_the_tokens_width(scores, q, k, p):
    """The scores are divided by the root of the width of x."""
    return scores * p.x.shape[-1] ** -0.5


@wrong(common=True, part="scale", source="https://leyaa.ai/codefly/learn/nlp/part-2/nlp-attention-mechanism-basics/try")
def takes_the_root_of_the_count(scores, q, k, p):
    """The scores are divided by the root of how many keys there are: len(k), not its width."""
    return scores / np.sqrt(k.shape[-2])


# How Python reads it, with the power in parentheses: https://github.com/mkara44/transunet_pytorch/issues/4
@wrong(common=True)
def halves_for_a_root(p):
    """`scores / d_k ** 1 / 2` divides by d_k, and then by 2."""
    q, k, v = project(p)
    scores = q @ k.T / k.shape[1] ** 1 / 2
    return softmax(hide(scores, p.mask)) @ v


@wrong(part="after")
def divides_the_weights_by_the_root(weights, mask, p):
    """The weights are divided by the root of d_k again."""
    return weights / np.sqrt(p.w_k.shape[1])


@wrong(common=True)
def scales_behind_the_softmax(p):
    """Softmax first, then the division by the root of d_k."""
    q, k, v = project(p)
    weights = softmax(hide(q @ k.T, p.mask)) / np.sqrt(k.shape[1])
    return weights @ v


# Right in that code, which divides queries and keys by it, each; here the scores alone are divided.
@wrong(part="scale", source="https://github.com/huggingface/diffusers/issues/929")
def takes_the_root_twice(scores, q, k, p):
    """The root of the root of d_k divides the scores."""
    return scores / np.sqrt(np.sqrt(k.shape[-1]))


@wrong(part="scale")
def divides_without_remainder(scores, q, k, p):
    """`//` for `/`: each scaled score is cut down to a whole number."""
    return scores // np.sqrt(k.shape[-1])


@wrong(common=True, part="score", source="https://github.com/datawhalechina/learn-nlp-with-transformers/pull/40")
def compares_queries_with_queries(q, k):
    """Q times Q transposed."""
    return q @ q.swapaxes(-1, -2)


@wrong(common=True)
def compares_with_the_key_before(p):
    """The sums count from 1 and the array from 0: query i meets key j - 1, and the first one the last."""
    q, k, v = project(p)
    scores = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            scores[i, j] = np.dot(q[i], k[j - 1]) / np.sqrt(len(k[j]))
    return softmax(hide(scores, p.mask)) @ v


@wrong()
def pairs_each_query_with_its_key(p):
    """`zip(q, k)` gives one score a token; the softmax runs over these, and each value gets one weight."""
    q, k, v = project(p)
    scores = np.array([np.dot(a, b) for a, b in zip(q, k, strict=True)]) / np.sqrt(k.shape[1])
    return softmax(hide(scores, p.mask))[:, None] * v


@wrong()
def scores_by_distance(p):
    """The nearer, the higher: minus the squared distance of query and key."""
    q, k, v = project(p)
    scores = -((q[:, None, :] - k[None, :, :]) ** 2).sum(axis=-1)
    return softmax(hide(scores / np.sqrt(k.shape[1]), p.mask)) @ v


@wrong(common=True)
def scores_by_cosine(p):
    """Cosine similarity for the scaled dot product."""
    q, k, v = project(p)
    lengths = np.outer(np.linalg.norm(q, axis=1), np.linalg.norm(k, axis=1))
    return softmax(hide(q @ k.T / np.where(lengths, lengths, 1), p.mask)) @ v


@wrong(common=True)
def stops_before_the_last_key(p):
    """`range(m - 1)`: the last key gets no score, and the last value no weight."""
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        e = [np.exp(q[i] @ k[j] / np.sqrt(k.shape[1])) * seen(p)[i, j] for j in range(len(k) - 1)]
        for j in range(len(e)):
            out[i] += e[j] / sum(e) * v[j]
    return out


@wrong(common=True)
def looks_back_without_being_asked(p):
    """A causal mask from habit, where the task has none."""
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        row = softmax(unmasked(q, k, p)[i, : i + 1])
        for j in range(i + 1):
            out[i] += row[j] * v[j]
    return out


@wrong(common=True, source="https://leyaa.ai/codefly/learn/nlp/part-2/nlp-attention-mechanism-basics/try")
def multiplies_cell_by_cell(p):
    """`q * k` for `q @ k.T`: it runs where the two matrices are square."""
    q, k, v = project(p)
    return softmax(hide(q * k / np.sqrt(k.shape[1]), p.mask)) @ v


@wrong()
def scores_the_values(p):
    """The queries meet the values; the keys are never used."""
    q, _, v = project(p)
    return softmax(hide(q @ v.T / np.sqrt(v.shape[1]), p.mask)) @ v


@wrong()
def takes_the_scores_as_symmetric(p):
    """Only the scores above the diagonal are computed, and the others copied from there."""
    q, k, v = project(p)
    scores = unmasked(q, k, p)
    return softmax(hide(np.triu(scores) + np.triu(scores, 1).T, p.mask)) @ v
