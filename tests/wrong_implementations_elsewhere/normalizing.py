"""Mistakes in the softmax, in one head."""

import numpy as np

from wrong_implementations.parts import hide, project, softmax

from .record import wrong
from .right import exponentials, scaled, seen, unmasked


@wrong(
    common=True,
    part="softmax",
    source="https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146",
)
def goes_down_the_columns(scores):
    """The softmax runs over the queries: each column sums to 1."""
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return e / e.sum(axis=-2, keepdims=True)


@wrong(common=True, part="softmax")
def sums_the_whole_matrix(scores):
    """`np.sum(e)` without an axis."""
    e = np.exp(scores - np.max(scores))
    return e / np.sum(e)


@wrong(common=True)
def forgets_keepdims_in_the_sum(p):
    """`e / e.sum(axis=1)`: NumPy lays the sums of the rows across the columns."""
    e, v = exponentials(p)
    return e / e.sum(axis=1) @ v


@wrong(source="https://shuang0420.cn/2016/06/26/numpy%EF%BC%8D%E7%90%86%E8%A7%A3keepdims=True")
def forgets_keepdims_in_the_maximum(p):
    """`scores - scores.max(axis=1)`: the maximum of row j is taken from column j."""
    q, k, v = project(p)
    scores = scaled(q, k, p)
    e = np.exp(scores - scores.max(axis=1))
    return e / e.sum(axis=1, keepdims=True) @ v


@wrong()
def shifts_the_numerator_alone(p):
    """The maximum is subtracted above the fraction line, and not below it."""
    q, k, v = project(p)
    scores = scaled(q, k, p)
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return e / np.exp(scores).sum(axis=1, keepdims=True) @ v


@wrong()
def subtracts_from_the_exponential(p):
    """`np.exp(scores) - max`: the parenthesis closes too early."""
    q, k, v = project(p)
    scores = scaled(q, k, p)
    e = (np.exp(scores) - scores.max(axis=1, keepdims=True)) * seen(p)
    return e / e.sum(axis=1, keepdims=True) @ v


@wrong(common=True, part="after")
def takes_the_softmax_twice(weights, mask, p):
    """The weights go through a softmax again."""
    e = np.exp(weights) if mask is None else np.exp(weights) * mask
    return e / e.sum(axis=-1, keepdims=True)


@wrong(common=True)
def forgets_the_softmax(p):
    """The scaled scores are the weights."""
    q, k, v = project(p)
    scores = np.where(seen(p), unmasked(q, k, p), 0)
    out = np.zeros((len(q), v.shape[1]))
    for i, row in enumerate(scores):
        for j, score in enumerate(row):
            out[i] += score * v[j]
    return out


@wrong(common=True)
def multiplies_three_matrices(p):
    """Q K transposed V: neither scale nor softmax."""
    q, k, v = project(p)
    return (q @ k.T * seen(p)) @ v


@wrong(common=True)
def never_resets_the_total(p):
    """`total = 0` stands before the outer loop, and so the sum grows from row to row."""
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
    """Sum and division share one loop: weight j is divided by the sum of the first j."""
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
    """Softmax of Q K transposed over the root of d_k, times V: the parenthesis closes behind V."""
    q, k, v = project(p)
    return softmax(np.where(seen(p), unmasked(q, k, p), 0) @ v)


@wrong(common=True, source="https://leyaa.ai/codefly/learn/nlp/part-3/nlp-attention-mechanism-in-depth/try")
def takes_the_sigmoid(p):
    """A sigmoid of each score."""
    q, k, v = project(p)
    return 1 / (1 + np.exp(-scaled(q, k, p))) @ v


# The post that the thread links would have it so; the task asks for the usual softmax.
@wrong(source="https://github.com/karpathy/llama2.c/issues/59")
def adds_one_below(p):
    """1 is added to the sum of the exponentials."""
    e, v = exponentials(p)
    return e / (1 + e.sum(axis=1, keepdims=True)) @ v


@wrong()
def divides_by_the_others(p):
    """Each exponential is divided by the sum of the others."""
    e, v = exponentials(p)
    return e / (e.sum(axis=1, keepdims=True) - e) @ v


@wrong()
def squares_for_the_exponential(p):
    """Squares of the scores, divided by their sum."""
    q, k, v = project(p)
    squares = np.where(seen(p), unmasked(q, k, p), 0) ** 2
    return squares / squares.sum(axis=1, keepdims=True) @ v


@wrong()
def cuts_the_negative_scores(p):
    """Negative scores become 0, and the others are divided by their sum."""
    q, k, v = project(p)
    scores = np.maximum(hide(unmasked(q, k, p), p.mask), 0)
    return scores / scores.sum(axis=1, keepdims=True) @ v


@wrong()
def takes_the_softmax_of_queries_and_keys(p):
    """Queries and keys each go through a softmax, and their products are the weights."""
    q, k, v = project(p)
    return softmax(q) @ softmax(k).T * seen(p) @ v
