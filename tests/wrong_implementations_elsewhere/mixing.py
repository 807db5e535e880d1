"""Mistakes in the weighted sum of the values, in one head."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import wrong
from .right import scaled, seen, weigh


@wrong(common=True, part="mix", source="https://leyaa.ai/codefly/learn/nlp/part-3/nlp-attention-mechanism-in-depth/try")
def transposes_the_weights(weights, v):
    """The weights are transposed before they meet the values."""
    return weights.swapaxes(-1, -2) @ v


@wrong()
def mixes_the_queries(p):
    """The weights mix Q."""
    q, k, _ = project(p)
    return np.matmul(weigh(q, k, p), q)


@wrong(common=True)
def averages_the_weighted_values(p):
    """`mean` for `sum` over the weighted values."""
    q, k, v = project(p)
    weights, out = weigh(q, k, p), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        out[i] = np.mean([weights[i, j] * v[j] for j in range(len(v))], axis=0)
    return out


@wrong(common=True)
def sums_over_the_queries(p):
    """`sum(axis=0)`: the weighted values are summed over the queries, and not over the keys."""
    q, k, v = project(p)
    weights, out = weigh(q, k, p), np.zeros((len(k), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[j] += weights[i, j] * v[j]
    return out


@wrong(common=True)
def overwrites_the_sum(p):
    """`=` for `+=`: only the last weighted value remains."""
    q, k, v = project(p)
    weights, out = weigh(q, k, p), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] = weights[i, j] * v[j]
    return out


@wrong(common=True)
def never_resets_the_row(p):
    """`row = zeros` stands before the outer loop, and so each output holds those above it."""
    q, k, v = project(p)
    weights, rows, row = weigh(q, k, p), [], np.zeros(v.shape[1])
    for i in range(len(q)):
        for j in range(len(k)):
            row = row + weights[i, j] * v[j]
        rows.append(row)
    return np.array(rows)


@wrong(common=True)
def weighs_the_value_of_the_query(p):
    """`v[i]` for `v[j]`: each token gets its own value back."""
    q, k, v = project(p)
    weights, out = weigh(q, k, p), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] += weights[i, j] * v[i]
    return out


@wrong(common=True)
def collects_whole_numbers(p):
    """The output array was made of whole numbers, and cuts what is written into it."""
    q, k, v = project(p)
    weights, out = weigh(q, k, p), np.zeros((len(q), v.shape[1]), dtype=int)
    for i in range(len(q)):
        out[i] = weights[i] @ v
    return out.astype(float)


@wrong(common=True)
def multiplies_weights_and_values_cell_by_cell(p):
    """`weights * v` for `weights @ v`: it runs where the two have one shape."""
    q, k, v = project(p)
    return weigh(q, k, p) * v


@wrong()
def weighs_its_own_value_alone(p):
    """Each token takes its own value, times the weight that it gives itself."""
    q, k, v = project(p)
    weights = weigh(q, k, p)
    return np.array([weights[i, i] * v[i] for i in range(len(q))])


@wrong()
def adds_the_tokens_to_one_head(p):
    """x is added to the output, where the shapes allow it."""
    q, k, v = project(p)
    return weigh(q, k, p) @ v + p.x


@wrong()
def mixes_the_value_before(p):
    """The sums count from 1 and the array from 0: weight j meets value j - 1."""
    q, k, v = project(p)
    weights, out = weigh(q, k, p), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] += weights[i, j] * v[j - 1]
    return out


@wrong()
def takes_the_softmax_of_the_output(p):
    """The output goes through a softmax."""
    q, k, v = project(p)
    return softmax(weigh(q, k, p) @ v)


@wrong()
def skips_the_last_value(p):
    """`range(len(v) - 1)`: the last weighted value is not added."""
    q, k, v = project(p)
    weights, out = weigh(q, k, p), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(v) - 1):
            out[i] += weights[i, j] * v[j]
    return out


@wrong(common=True)
def takes_the_best_value_alone(p):
    """Each token takes the value of its best key as it is."""
    q, k, v = project(p)
    return np.array([v[np.argmax(row)] for row in scaled(q, k, p)])


@wrong(common=True)
def writes_the_answer_in_columns(p):
    """The outputs stand in columns."""
    q, k, v = project(p)
    return (weigh(q, k, p) @ v).T


@wrong()
def mixes_the_values_evenly(p):
    """Each visible value counts the same; the scores play no part."""
    v = project(p)[2]
    return seen(p) / seen(p).sum(axis=1, keepdims=True) @ v


@wrong()
def keeps_one_decimal_of_the_weights(p):
    """The weights are rounded to one decimal."""
    q, k, v = project(p)
    return np.round(weigh(q, k, p), 1) @ v
