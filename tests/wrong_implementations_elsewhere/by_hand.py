"""Mistakes that people make who compute one head of attention with a pen and a calculator."""

import numpy as np

from wrong_implementations.parts import hide, project, scale, softmax, source_of_keys

from .record import wrong
from .right import exponentials, mask_of, masked_scores_of, scaled_scores_of, weights_of


# “Naive normalization” in https://www.onenoughtone.com/learning-path/machine-learning/learning/self-attention/2
@wrong(common=True)
def forgets_the_exponential(p):
    """Compute attention on the inputs `p`, but divide each score by the sum of its row, without exponentials."""
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        row = [q[i] @ key / np.sqrt(len(key)) * see for key, see in zip(k, mask_of(p)[i], strict=True)]
        out[i] = sum(score / sum(row) * value for score, value in zip(row, v, strict=True))
    return out


@wrong(common=True)
def leaves_the_exponentials(p):
    """Compute attention on the inputs `p`, but use the exponentials as weights, not divided by their sum."""
    e, v = exponentials(p)
    return e @ v


@wrong(common=True)
def divides_by_the_count(p):
    """Compute attention on the inputs `p`, but divide the exponentials by the number of keys, not by their sum."""
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] += np.exp(q[i] @ k[j] / np.sqrt(len(k[j]))) / len(k) * mask_of(p)[i, j] * v[j]
    return out


@wrong()
def divides_by_the_largest(p):
    """Compute attention on the inputs `p`, but divide the exponentials by the largest of their row, not the sum."""
    e, v = exponentials(p)
    return e / e.max(axis=1, keepdims=True) @ v


@wrong(common=True)
def presses_ten_to_the_power(p):
    """Compute attention on the inputs `p`, but use powers of 10 in the softmax instead of powers of e.

    Somebody pressed the key 10^x of the calculator instead of e^x.
    """
    q, k, v = project(p)
    powers = 10 ** masked_scores_of(q, k, p)
    return powers / powers.sum(axis=1, keepdims=True) @ v


@wrong(common=True)
def takes_e_to_the_sum(p):
    """Compute attention on the inputs `p`, but divide by e^(sum of the scores), not by the sum of exponentials."""
    e, v = exponentials(p)
    product = np.where(e > 0, e, 1).prod(axis=1, keepdims=True)
    return e / product @ v


@wrong(common=True)
def takes_e_to_the_zero_as_zero(p):
    """Compute attention on the inputs `p`, but take e^0 to be 0 instead of 1."""
    q, k, v = project(p)
    scores = masked_scores_of(q, k, p)
    e = np.where(scores == 0, 0, np.exp(scores))
    return e / e.sum(axis=1, keepdims=True) @ v


@wrong(common=True)
def types_no_parentheses(p):
    """Compute attention on the inputs `p`, but type e1 / e1 + e2 + e3 into the calculator, not e1 / (e1 + e2 + e3).

    So each exponential is divided by the first exponential alone, and then the other exponentials are added.
    """
    e, v = exponentials(p)
    weights = np.zeros_like(e)
    for i, row in enumerate(e):
        for j in range(len(row)):
            weights[i, j] = (row[j] / row[0] + sum(row[1:])) * mask_of(p)[i, j]
    return weights @ v


@wrong()
def keeps_the_denominator_of_the_first_row(p):
    """Compute attention on the inputs `p`, but divide every row of exponentials by the sum of the first row."""
    e, v = exponentials(p)
    return e / e[0].sum() @ v


@wrong()
def takes_e_as_2_7(p):
    """Compute attention on the inputs `p`, but use powers of 2.7 in the softmax instead of powers of e."""
    q, k, v = project(p)
    powers = 2.7 ** masked_scores_of(q, k, p)
    return powers / powers.sum(axis=1, keepdims=True) @ v


@wrong()
def flips_the_negative_powers(p):
    """Compute attention on the inputs `p`, but take e^(-a) to be -e^a for every negative score -a."""
    q, k, v = project(p)
    scores = masked_scores_of(q, k, p)
    e = np.where(scores < 0, -np.exp(np.abs(np.where(mask_of(p), scores, 0))), np.exp(scores)) * mask_of(p)
    return e / e.sum(axis=1, keepdims=True) @ v


@wrong()
def normalizes_before_the_exponential(p):
    """Compute attention on the inputs `p`, but divide each score by the sum of the scores before the exponential.

    The weights are e^(score / sum of scores), instead of e^score / sum of e^score.
    """
    q, k, v = project(p)
    scores = np.where(mask_of(p), scaled_scores_of(q, k, p), 0)
    return np.exp(scores / scores.sum(axis=1, keepdims=True)) * mask_of(p) @ v


@wrong()
def drops_the_minus_signs(p):
    """Compute attention on the inputs `p`, but use the absolute value of each score."""
    q, k, v = project(p)
    return softmax(hide(np.abs(scaled_scores_of(q, k, p)), p.mask)) @ v


@wrong(common=True)
def copies_the_first_query(p):
    """Compute attention on the inputs `p`, but use the query of token 1 for every token.

    The example that somebody followed was computed for token 1.
    """
    q, k, v = project(p)
    first = [sum(q[0, t] * key[t] for t in range(len(key))) / np.sqrt(len(key)) for key in k]
    scores = np.array([first for _ in q])
    return softmax(hide(scores, p.mask)) @ v


@wrong(common=True)
def adds_where_the_dot_product_multiplies(p):
    """Compute attention on the inputs `p`, but add, not multiply, the numbers of query and key in each score."""
    q, k, v = project(p)
    scores = np.array([[sum(a + b for a, b in zip(query, key, strict=True)) for key in k] for query in q])
    return softmax(hide(scale(scores, q, k, p), p.mask)) @ v


@wrong()
def skips_the_last_product_of_each_score(p):
    """Compute attention on the inputs `p`, but leave the last product out of every dot product of a query and a key."""
    q, k, v = project(p)
    scores = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            for t in range(q.shape[1] - 1):
                scores[i, j] += q[i, t] * k[j, t]
    return softmax(hide(scale(scores, q, k, p), p.mask)) @ v


@wrong(part="project")
def skips_the_last_row_of_the_weight_matrices(p):
    """Compute attention on the inputs `p`, but leave the last product out of each number of Q, K and V.

    So the last row of each weight matrix is not used.
    """
    x, c = p.x[:, :-1], source_of_keys(p)[:, :-1]
    return x @ p.w_q[:-1], c @ p.w_k[:-1], c @ p.w_v[:-1]


@wrong(common=True)
def lets_no_token_look_at_itself(p):
    """Compute attention on the inputs `p`, but let no token attend to itself.

    Some people think that a token needs no information from itself.
    """
    q, k, v = project(p)
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        others = [j for j in range(len(k)) if j != i and mask_of(p)[i, j]]
        e = {j: np.exp(q[i] @ k[j] / np.sqrt(len(k[j]))) for j in others}
        for j in others:
            out[i] += e[j] / sum(e.values()) * v[j]
    return out


@wrong()
def reads_the_tokens_by_columns(p):
    """Compute attention on the inputs `p`, but take column i of X as token i instead of row i."""
    q, k, v = p.x.T @ p.w_q, source_of_keys(p).T @ p.w_k, source_of_keys(p).T @ p.w_v
    return weights_of(q, k, p) @ v


@wrong(common=True)
def reads_the_keys_by_columns(p):
    """Compute attention on the inputs `p`, but take column j of K as key j instead of row j.

    The scores are then Q K instead of Q Kᵀ.
    """
    q, k, v = project(p)
    scores = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            scores[i, j] = sum(q[i, t] * k[t, j] for t in range(q.shape[1]))
    return softmax(hide(scale(scores, q, k, p), p.mask)) @ v


@wrong(part="mix")
def reads_the_values_by_columns(weights, v):
    """Multiply the weights by Vᵀ instead of V: column j of V is taken as value j instead of row j."""
    return weights @ v.T
