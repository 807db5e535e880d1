"""Mistakes of somebody with a pen and a calculator, in one head."""

import numpy as np

from wrong_implementations.parts import hide, project, scale, softmax, source_of_keys

from .record import wrong
from .right import exponentials, scaled, seen, unmasked, weigh


# Named as naive normalization in https://www.onenoughtone.com/learning-path/machine-learning/learning/self-attention/2
@wrong(common=True)
def forgets_the_exponential(p):
    """Each score is divided by the sum of its row; no e to the power of anything."""
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        row = [q[i] @ key / np.sqrt(len(key)) * see for key, see in zip(k, seen(p)[i], strict=True)]
        out[i] = sum(score / sum(row) * value for score, value in zip(row, v, strict=True))
    return out


@wrong(common=True)
def leaves_the_exponentials(p):
    """The exponentials are the weights; nothing is divided by their sum."""
    e, v = exponentials(p)
    return e @ v


@wrong(common=True)
def divides_by_the_count(p):
    """The exponentials are divided by how many there are."""
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] += np.exp(q[i] @ k[j] / np.sqrt(len(k[j]))) / len(k) * seen(p)[i, j] * v[j]
    return out


@wrong()
def divides_by_the_largest(p):
    """The exponentials are divided by the largest of their row."""
    e, v = exponentials(p)
    return e / e.max(axis=1, keepdims=True) @ v


@wrong(common=True)
def presses_ten_to_the_power(p):
    """The key 10^x of the calculator was pressed for e^x."""
    q, k, v = project(p)
    powers = 10 ** scaled(q, k, p)
    return powers / powers.sum(axis=1, keepdims=True) @ v


@wrong(common=True)
def takes_e_to_the_sum(p):
    """Below the fraction line stands e to the sum of the scores, not the sum of the exponentials."""
    e, v = exponentials(p)
    product = np.where(e > 0, e, 1).prod(axis=1, keepdims=True)
    return e / product @ v


@wrong(common=True)
def takes_e_to_the_zero_as_zero(p):
    """e to the power of 0 is taken as 0."""
    q, k, v = project(p)
    scores = scaled(q, k, p)
    e = np.where(scores == 0, 0, np.exp(scores))
    return e / e.sum(axis=1, keepdims=True) @ v


@wrong(common=True)
def types_no_parentheses(p):
    """The calculator got e1 / e1 + e2 + e3, and divided by the first alone."""
    e, v = exponentials(p)
    weights = np.zeros_like(e)
    for i, row in enumerate(e):
        for j in range(len(row)):
            weights[i, j] = (row[j] / row[0] + sum(row[1:])) * seen(p)[i, j]
    return weights @ v


@wrong()
def keeps_the_denominator_of_the_first_row(p):
    """The sum of the first row of exponentials divides every row."""
    e, v = exponentials(p)
    return e / e[0].sum() @ v


@wrong()
def takes_e_as_2_7(p):
    """Powers of 2.7, not of e."""
    q, k, v = project(p)
    powers = 2.7 ** scaled(q, k, p)
    return powers / powers.sum(axis=1, keepdims=True) @ v


@wrong()
def flips_the_negative_powers(p):
    """e to a negative power is taken as minus e to the positive power."""
    q, k, v = project(p)
    scores = scaled(q, k, p)
    e = np.where(scores < 0, -np.exp(np.abs(np.where(seen(p), scores, 0))), np.exp(scores)) * seen(p)
    return e / e.sum(axis=1, keepdims=True) @ v


@wrong()
def normalizes_before_the_exponential(p):
    """The scores are divided by their sum first, then raised: e to the power of score over sum."""
    q, k, v = project(p)
    scores = np.where(seen(p), unmasked(q, k, p), 0)
    return np.exp(scores / scores.sum(axis=1, keepdims=True)) * seen(p) @ v


@wrong()
def drops_the_minus_signs(p):
    """Negative scores are written without their sign."""
    q, k, v = project(p)
    return softmax(hide(np.abs(unmasked(q, k, p)), p.mask)) @ v


@wrong(common=True)
def copies_the_first_query(p):
    """The worked example was for token 1, and its query is used for each token."""
    q, k, v = project(p)
    first = [sum(q[0, t] * key[t] for t in range(len(key))) / np.sqrt(len(key)) for key in k]
    scores = np.array([first for _ in q])
    return softmax(hide(scores, p.mask)) @ v


@wrong(common=True)
def adds_where_the_dot_product_multiplies(p):
    """The numbers of query and key are added pair by pair, not multiplied."""
    q, k, v = project(p)
    scores = np.array([[sum(a + b for a, b in zip(query, key, strict=True)) for key in k] for query in q])
    return softmax(hide(scale(scores, q, k, p), p.mask)) @ v


@wrong()
def skips_the_last_product_of_each_score(p):
    """The dot product stops one product too early."""
    q, k, v = project(p)
    scores = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            for t in range(q.shape[1] - 1):
                scores[i, j] += q[i, t] * k[j, t]
    return softmax(hide(scale(scores, q, k, p), p.mask)) @ v


@wrong(part="project")
def skips_the_last_row_of_the_weight_matrices(p):
    """The last number of each token meets no weight."""
    x, c = p.x[:, :-1], source_of_keys(p)[:, :-1]
    return x @ p.w_q[:-1], c @ p.w_k[:-1], c @ p.w_v[:-1]


@wrong(common=True)
def lets_no_token_look_at_itself(p):
    """The token's own key is left out, as it knows itself already."""
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        others = [j for j in range(len(k)) if j != i and seen(p)[i, j]]
        e = {j: np.exp(q[i] @ k[j] / np.sqrt(len(k[j]))) for j in others}
        for j in others:
            out[i] += e[j] / sum(e.values()) * v[j]
    return out


@wrong()
def reads_the_tokens_by_columns(p):
    """Column i of X is taken as token i."""
    q, k, v = p.x.T @ p.w_q, source_of_keys(p).T @ p.w_k, source_of_keys(p).T @ p.w_v
    return weigh(q, k, p) @ v


@wrong(common=True)
def reads_the_keys_by_columns(p):
    """Column j of K is taken as key j: Q K, not Q K transposed."""
    q, k, v = project(p)
    scores = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            scores[i, j] = sum(q[i, t] * k[t, j] for t in range(q.shape[1]))
    return softmax(hide(scale(scores, q, k, p), p.mask)) @ v


@wrong(part="mix")
def reads_the_values_by_columns(weights, v):
    """Column j of V is taken as value j."""
    return weights @ v.T
