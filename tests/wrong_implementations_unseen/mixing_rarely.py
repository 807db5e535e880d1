"""Rarer mistakes in the output of one head: other formulas, and rows and columns in the wrong order."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import run, wrong


@wrong("Q", rare=True)
def applies_the_softmax_to_queries_and_keys(p):
    """Compute linear attention on the inputs `p`, softmax(Q) (softmax(K)ᵀ V), instead of softmax(Q Kᵀ / √d_k) V.

    The softmax of Q runs across the columns, and the softmax of K across the tokens.
    """
    q, k, v = project(p)
    q, k = softmax(q), softmax(k, axis=0)
    return {"Q": q, "K": k, "V": v, "scores": q @ k.T, "output": q @ (k.T @ v)}


@wrong("weights", rare=True)
def attends_with_a_positive_feature_map(p):
    """Compute linear attention on the inputs `p`, instead of attention with a softmax.

    The weights are φ(Q) φ(K)ᵀ, divided by the sum of their row. φ(a) is elu(a) + 1, which is always positive.
    """
    q, k, v = project(p)
    a, b = (np.where(m > 0, m + 1, np.exp(m)) for m in (q, k))
    weights = a @ b.T / (a @ b.T).sum(1, keepdims=True)
    return {"Q": q, "K": k, "V": v, "weights": weights, "output": weights @ v}


@wrong("output", "mix", rare=True)
def applies_the_softmax_to_the_values(weights, v):
    """Multiply the weights by softmax(V) instead of V."""
    return weights @ softmax(v)


@wrong("output", "mix", rare=True)
def multiplies_by_the_root_of_weights(weights, v):
    """Multiply the values by the square roots of the weights instead of the weights."""
    return np.sqrt(weights) @ v


@wrong("output", rare=True)
def attends_to_its_own_output(p):
    """Compute attention on the inputs `p`, but multiply the output by W^V and by the weights once more."""
    return run(p, mix=lambda w, v: w @ (w @ v @ p.w_v))


@wrong("scores")
def mixes_features(p):
    """Compute V softmax(Qᵀ K / √d_k) on the inputs `p`: attention between columns instead of tokens."""
    q, k, v = project(p)
    scores = q.T @ k
    scaled = scores / np.sqrt(q.shape[1])
    return {"Q": q, "K": k, "V": v, "scores": scores, "weights": softmax(scaled), "output": v @ softmax(scaled)}


@wrong("output", "finish", rare=True)
def moves_the_rows_down(output, p):
    """Return the output with every row moved down by one and the last row first, instead of in order."""
    return np.roll(output, 1, axis=0)


@wrong("output", "finish", rare=True)
def reverses_the_rows(output, p):
    """Return the rows of the output in reverse order instead of the order of the tokens."""
    return output[::-1]


@wrong("output", "finish", rare=True)
def reverses_the_columns(output, p):
    """Return the columns of the output in reverse order instead of their own order."""
    return output[:, ::-1]


@wrong("output", "finish")
def exchanges_two_rows(output, p):
    """Return the output, but with its first two rows swapped."""
    return output[[1, 0, *range(2, len(output))]]


@wrong("output", "finish")
def copies_one_row_twice(output, p):
    """Return the output, but with the first row also in place of the second."""
    return output[[0, 0, *range(2, len(output))]]


@wrong("output", "finish")
def reshapes_in_place_of_transposing(output, p):
    """Reshape the output to the shape of its transpose, instead of returning the output as it is.

    The numbers are then in the wrong order.
    """
    return output.reshape(output.shape[::-1])


@wrong("output")
def returns_the_weights(p):
    """Compute attention on the inputs `p`, but return the weights as the output: a wrong variable name."""
    made = run(p)
    return {**made, "output": made["weights"]}


@wrong("output")
def returns_the_scores(p):
    """Compute attention on the inputs `p`, but return the scaled scores as the output: a wrong variable name."""
    made = run(p)
    return {**made, "output": made["scaled"]}


@wrong("output", "finish", rare=True)
def repeats_the_values_of_one_column(output, p):
    """Return the first column of the output in every column, instead of each column's own numbers."""
    return np.repeat(output[:, :1], output.shape[1], axis=1)


@wrong("output", "finish", rare=True)
def drops_out_the_output(output, p):
    """Apply dropout to the output, although dropout belongs to training only.

    About 30% of the numbers become 0 at random (with seed 3), and the others are divided by 0.7.
    """
    return output * (np.random.default_rng(3).random(output.shape) > 0.3) / 0.7
