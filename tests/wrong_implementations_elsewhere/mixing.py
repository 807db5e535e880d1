"""Mistakes in the weighted sum of the values, in one head."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import wrong
from .right import mask_of, masked_scores_of, weights_of


@wrong(common=True, part="mix", source="https://leyaa.ai/codefly/learn/nlp/part-3/nlp-attention-mechanism-in-depth/try")
def transposes_the_weights(weights, v):
    """Multiply the transposed weights by the values, instead of the weights by the values."""
    return weights.swapaxes(-1, -2) @ v


@wrong()
def mixes_the_queries(p):
    """Compute attention on the inputs `p`, but multiply the weights by the queries instead of the values."""
    q, k, _ = project(p)
    return np.matmul(weights_of(q, k, p), q)


@wrong(common=True)
def averages_the_weighted_values(p):
    """Compute attention on the inputs `p`, but take the mean of the weighted values instead of their sum."""
    q, k, v = project(p)
    weights, out = weights_of(q, k, p), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        out[i] = np.mean([weights[i, j] * v[j] for j in range(len(v))], axis=0)
    return out


@wrong(common=True)
def sums_over_the_queries(p):
    """Compute attention on the inputs `p`, but sum the weighted values over the queries instead of over the keys.

    The code says `sum(axis=0)`.
    """
    q, k, v = project(p)
    weights, out = weights_of(q, k, p), np.zeros((len(k), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[j] += weights[i, j] * v[j]
    return out


@wrong(common=True)
def overwrites_the_sum(p):
    """Compute attention on the inputs `p`, but keep only the last weighted value instead of the sum of all of them.

    The loop says `=` instead of `+=`.
    """
    q, k, v = project(p)
    weights, out = weights_of(q, k, p), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] = weights[i, j] * v[j]
    return out


@wrong(common=True)
def never_resets_the_row(p):
    """Compute attention on the inputs `p`, but never set the sum back to 0, so each output includes all above it.

    The line `row = zeros` is before the outer loop instead of inside it.
    """
    q, k, v = project(p)
    weights, rows, row = weights_of(q, k, p), [], np.zeros(v.shape[1])
    for i in range(len(q)):
        for j in range(len(k)):
            row = row + weights[i, j] * v[j]
        rows.append(row)
    return np.array(rows)


@wrong(common=True)
def weighs_the_value_of_the_query(p):
    """Compute attention on the inputs `p`, but multiply each weight by the token's own value, `v[i]` instead of `v[j]`.

    The weights add up to 1, so each token gets its own value back.
    """
    q, k, v = project(p)
    weights, out = weights_of(q, k, p), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] += weights[i, j] * v[i]
    return out


@wrong(common=True)
def collects_whole_numbers(p):
    """Compute attention on the inputs `p`, but store the output in an array of integers, which cuts off decimals."""
    q, k, v = project(p)
    weights, out = weights_of(q, k, p), np.zeros((len(q), v.shape[1]), dtype=int)
    for i in range(len(q)):
        out[i] = weights[i] @ v
    return out.astype(float)


@wrong(common=True)
def multiplies_weights_and_values_cell_by_cell(p):
    """Compute attention on the inputs `p`, but multiply weights and values cell by cell: `*` instead of `@`.

    The code runs if both matrices have the same shape.
    """
    q, k, v = project(p)
    return weights_of(q, k, p) * v


@wrong()
def weighs_its_own_value_alone(p):
    """Compute attention on the inputs `p`, but give each token only its own value, times its weight for itself."""
    q, k, v = project(p)
    weights = weights_of(q, k, p)
    return np.array([weights[i, i] * v[i] for i in range(len(q))])


@wrong()
def adds_the_tokens_to_one_head(p):
    """Compute attention on the inputs `p`, but add the tokens x to the output, if the shapes allow the sum."""
    q, k, v = project(p)
    return weights_of(q, k, p) @ v + p.x


@wrong()
def mixes_the_value_before(p):
    """Compute attention on the inputs `p`, but multiply weight j by value j - 1 instead of value j.

    Formulas count from 1, and arrays count from 0.
    """
    q, k, v = project(p)
    weights, out = weights_of(q, k, p), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] += weights[i, j] * v[j - 1]
    return out


@wrong()
def takes_the_softmax_of_the_output(p):
    """Compute attention on the inputs `p`, but apply a softmax to the output."""
    q, k, v = project(p)
    return softmax(weights_of(q, k, p) @ v)


@wrong()
def skips_the_last_value(p):
    """Compute attention on the inputs `p`, but leave the last weighted value out of every sum.

    The loop runs over `range(len(v) - 1)`.
    """
    q, k, v = project(p)
    weights, out = weights_of(q, k, p), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(v) - 1):
            out[i] += weights[i, j] * v[j]
    return out


@wrong(common=True)
def takes_the_best_value_alone(p):
    """Compute attention on the inputs `p`, but return the value of the highest score instead of a weighted sum."""
    q, k, v = project(p)
    return np.array([v[np.argmax(row)] for row in masked_scores_of(q, k, p)])


@wrong(common=True)
def writes_the_answer_in_columns(p):
    """Compute attention on the inputs `p`, but return the output transposed, with one token in each column."""
    q, k, v = project(p)
    return (weights_of(q, k, p) @ v).T


@wrong()
def mixes_the_values_evenly(p):
    """Compute attention on the inputs `p`, but give every visible key the same weight, whatever the scores are."""
    v = project(p)[2]
    return mask_of(p) / mask_of(p).sum(axis=1, keepdims=True) @ v


@wrong()
def keeps_one_decimal_of_the_weights(p):
    """Compute attention on the inputs `p`, but round the weights to 1 decimal before multiplying them by the values."""
    q, k, v = project(p)
    return np.round(weights_of(q, k, p), 1) @ v
