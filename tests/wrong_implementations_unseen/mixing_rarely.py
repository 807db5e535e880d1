"""Rarer mistakes in the output of one head: whole formulas, and rows and columns that are out of place."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import run, wrong


@wrong("Q", rare=True)
def applies_the_softmax_to_queries_and_keys(p):
    """Linear attention: softmax(q) (softmax(k)ᵀ v), the second softmax over the tokens."""
    q, k, v = project(p)
    q, k = softmax(q), softmax(k, axis=0)
    return {"Q": q, "K": k, "V": v, "scores": q @ k.T, "output": q @ (k.T @ v)}


@wrong("weights", rare=True)
def attends_with_a_positive_feature_map(p):
    """Linear attention: φ(q) φ(k)ᵀ, divided by its sums, where φ(a) = elu(a) + 1."""
    q, k, v = project(p)
    a, b = (np.where(m > 0, m + 1, np.exp(m)) for m in (q, k))
    weights = a @ b.T / (a @ b.T).sum(1, keepdims=True)
    return {"Q": q, "K": k, "V": v, "weights": weights, "output": weights @ v}


@wrong("output", "mix", rare=True)
def applies_the_softmax_to_the_values(weights, v):
    """`weights @ softmax(v)`."""
    return weights @ softmax(v)


@wrong("output", "mix", rare=True)
def multiplies_by_the_root_of_weights(weights, v):
    """The weights mix under a root, as amplitudes."""
    return np.sqrt(weights) @ v


@wrong("output", rare=True)
def attends_to_its_own_output(p):
    """The output is multiplied by W_V again, and mixed with the same weights."""
    return run(p, mix=lambda w, v: w @ (w @ v @ p.w_v))


@wrong("scores")
def mixes_features(p):
    """`v @ softmax(q.T @ k)`: attention among the features and not among the tokens."""
    q, k, v = project(p)
    scores = q.T @ k
    scaled = scores / np.sqrt(q.shape[1])
    return {"Q": q, "K": k, "V": v, "scores": scores, "weights": softmax(scaled), "output": v @ softmax(scaled)}


@wrong("output", "finish", rare=True)
def moves_the_rows_down(output, p):
    """Each output stands one row too low, and the last one comes first."""
    return np.roll(output, 1, axis=0)


@wrong("output", "finish", rare=True)
def reverses_the_rows(output, p):
    """The last token's output stands first."""
    return output[::-1]


@wrong("output", "finish", rare=True)
def reverses_the_columns(output, p):
    """The last feature stands first."""
    return output[:, ::-1]


@wrong("output", "finish")
def exchanges_two_rows(output, p):
    """The first two rows are copied in the wrong order."""
    return output[[1, 0, *range(2, len(output))]]


@wrong("output", "finish")
def copies_one_row_twice(output, p):
    """The second row is copied from the first."""
    return output[[0, 0, *range(2, len(output))]]


@wrong("output", "finish")
def reshapes_in_place_of_transposing(output, p):
    """`output.reshape(d_v, n)`: the numbers are right, and their order is lost."""
    return output.reshape(output.shape[::-1])


@wrong("output")
def returns_the_weights(p):
    """The function returns the weights: a wrong variable."""
    made = run(p)
    return {**made, "output": made["weights"]}


@wrong("output")
def returns_the_scores(p):
    """The function returns the scaled scores: a wrong variable."""
    made = run(p)
    return {**made, "output": made["scaled"]}


@wrong("output", "finish", rare=True)
def repeats_the_values_of_one_column(output, p):
    """The loop writes to column 0 and reads it for all columns."""
    return np.repeat(output[:, :1], output.shape[1], axis=1)


@wrong("output", "finish", rare=True)
def drops_out_the_output(output, p):
    """Dropout with seed 3 stands after the attention."""
    return output * (np.random.default_rng(3).random(output.shape) > 0.3) / 0.7
