"""Mistakes in the softmax, in one head."""

import numpy as np

from wrong_implementations.parts import hide, project, softmax

from .record import wrong
from .right import exponentials, mask_of, masked_scores_of, scaled_scores_of


@wrong(
    common=True,
    part="softmax",
    source="https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146",
)
def goes_down_the_columns(scores):
    """Apply the softmax to each column of the scores instead of each row, so that each column adds up to 1."""
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return e / e.sum(axis=-2, keepdims=True)


@wrong(common=True, part="softmax")
def sums_the_whole_matrix(scores):
    """Divide the exponentials by the sum of the whole matrix instead of by the sum of their row.

    The code calls `np.sum(e)` without an axis.
    """
    e = np.exp(scores - np.max(scores))
    return e / np.sum(e)


@wrong(common=True)
def forgets_keepdims_in_the_sum(p):
    """Compute attention on the inputs `p`, but divide column j of the exponentials by the sum of row j.

    The code says `e / e.sum(axis=1)` without `keepdims=True`, so NumPy lays the sums across the columns.
    """
    e, v = exponentials(p)
    return e / e.sum(axis=1) @ v


@wrong(source="https://shuang0420.cn/2016/06/26/numpy%EF%BC%8D%E7%90%86%E8%A7%A3keepdims=True")
def forgets_keepdims_in_the_maximum(p):
    """Compute attention on the inputs `p`, but subtract the maximum of row j from column j of the scores.

    The code says `scores - scores.max(axis=1)` without `keepdims=True`.
    """
    q, k, v = project(p)
    scores = masked_scores_of(q, k, p)
    e = np.exp(scores - scores.max(axis=1))
    return e / e.sum(axis=1, keepdims=True) @ v


@wrong()
def shifts_the_numerator_alone(p):
    """Compute attention on the inputs `p`, but subtract the maximum only in the numerator of the softmax."""
    q, k, v = project(p)
    scores = masked_scores_of(q, k, p)
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return e / np.exp(scores).sum(axis=1, keepdims=True) @ v


@wrong()
def subtracts_from_the_exponential(p):
    """Compute attention on the inputs `p`, but subtract the maximum from the exponentials instead of from the scores.

    The code says `np.exp(scores) - max` instead of `np.exp(scores - max)`.
    """
    q, k, v = project(p)
    scores = masked_scores_of(q, k, p)
    e = (np.exp(scores) - scores.max(axis=1, keepdims=True)) * mask_of(p)
    return e / e.sum(axis=1, keepdims=True) @ v


@wrong(common=True, part="after")
def takes_the_softmax_twice(weights, mask, p):
    """Apply a second softmax to the weights, although the first softmax already made them."""
    e = np.exp(weights) if mask is None else np.exp(weights) * mask
    return e / e.sum(axis=-1, keepdims=True)


@wrong(common=True)
def forgets_the_softmax(p):
    """Compute attention on the inputs `p`, but use the scaled scores as weights, without a softmax."""
    q, k, v = project(p)
    scores = np.where(mask_of(p), scaled_scores_of(q, k, p), 0)
    out = np.zeros((len(q), v.shape[1]))
    for i, row in enumerate(scores):
        for j, score in enumerate(row):
            out[i] += score * v[j]
    return out


@wrong(common=True)
def multiplies_three_matrices(p):
    """Compute Q Kᵀ V on the inputs `p`, without dividing by √d_k and without a softmax."""
    q, k, v = project(p)
    return (q @ k.T * mask_of(p)) @ v


@wrong(common=True)
def never_resets_the_total(p):
    """Compute attention on the inputs `p`, but never set the sum of the exponentials back to 0 between two rows.

    The line `total = 0` is before the outer loop, so each row is divided by the sum of all rows up to itself.
    """
    e, v = exponentials(p)
    out, total = np.zeros((len(e), v.shape[1])), 0.0
    for i in range(len(e)):
        for j in range(len(v)):
            total += e[i, j]
        for j in range(len(v)):
            out[i] += e[i, j] / total * v[j]
    return out


@wrong()
def divides_by_the_running_total(p):
    """Compute attention on the inputs `p`, but divide exponential j by the sum of the first j exponentials of its row.

    The sum and the division are in the same loop.
    """
    e, v = exponentials(p)
    out = np.zeros((len(e), v.shape[1]))
    for i in range(len(e)):
        total = 0.0
        for j in range(len(v)):
            total += e[i, j]
            out[i] += e[i, j] / total * v[j]
    return out


@wrong()
def multiplies_before_the_softmax(p):
    """Compute softmax(Q Kᵀ / √d_k V) on the inputs `p` instead of softmax(Q Kᵀ / √d_k) V.

    The parenthesis closes after V.
    """
    q, k, v = project(p)
    return softmax(np.where(mask_of(p), scaled_scores_of(q, k, p), 0) @ v)


@wrong(common=True, source="https://leyaa.ai/codefly/learn/nlp/part-3/nlp-attention-mechanism-in-depth/try")
def takes_the_sigmoid(p):
    """Compute attention on the inputs `p`, but use a sigmoid of each score instead of a softmax of each row."""
    q, k, v = project(p)
    return 1 / (1 + np.exp(-masked_scores_of(q, k, p))) @ v


# A post in the source recommends this formula, but the exercise asks for the usual softmax.
@wrong(source="https://github.com/karpathy/llama2.c/issues/59")
def adds_one_below(p):
    """Compute attention on the inputs `p`, but add 1 to the sum of the exponentials before dividing by it."""
    e, v = exponentials(p)
    return e / (1 + e.sum(axis=1, keepdims=True)) @ v


@wrong()
def divides_by_the_others(p):
    """Compute attention on the inputs `p`, but divide each exponential by the sum of the others in its row."""
    e, v = exponentials(p)
    return e / (e.sum(axis=1, keepdims=True) - e) @ v


@wrong()
def squares_for_the_exponential(p):
    """Compute attention on the inputs `p`, but use squared scores, divided by their sum, instead of a softmax."""
    q, k, v = project(p)
    squares = np.where(mask_of(p), scaled_scores_of(q, k, p), 0) ** 2
    return squares / squares.sum(axis=1, keepdims=True) @ v


@wrong()
def cuts_the_negative_scores(p):
    """Compute attention on the inputs `p`, but use max(score, 0), divided by their sum, instead of a softmax."""
    q, k, v = project(p)
    scores = np.maximum(hide(scaled_scores_of(q, k, p), p.mask), 0)
    return scores / scores.sum(axis=1, keepdims=True) @ v


@wrong()
def takes_the_softmax_of_queries_and_keys(p):
    """Compute softmax(Q) softmax(K)ᵀ V on the inputs `p`, instead of softmax(Q Kᵀ / √d_k) V."""
    q, k, v = project(p)
    return softmax(q) @ softmax(k).T * mask_of(p) @ v
