"""Mistakes with the numbers themselves: integers, lost digits, rounding between steps, a wrong unit."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import run, wrong


def cut_decimals(a):
    """Cut off the decimals of each number in `a`, as a conversion to integers does."""
    return np.where(np.isfinite(a), np.trunc(a), a)


@wrong("scaled")
def makes_scores_integers(p):
    """Compute attention on the inputs `p`, but convert the scaled scores to integers, which cuts off their decimals."""
    return run(p, scale=lambda s, q, k, p: cut_decimals(s / np.sqrt(k.shape[1])))


@wrong("scaled")
def rounds_scores_to_integers(p):
    """Compute attention on the inputs `p`, but round the scaled scores to integers."""
    return run(p, scale=lambda s, q, k, p: np.round(s / np.sqrt(k.shape[1])))


@wrong("scaled")
def rounds_scores_to_one_decimal(p):
    """Compute attention on the inputs `p`, but round the scaled scores to 1 decimal."""
    return run(p, scale=lambda s, q, k, p: np.round(s / np.sqrt(k.shape[1]), 1))


@wrong("weights", "softmax")
def stores_weights_as_integers(masked_scores):
    """Apply the softmax, but store the weights as integers, so that every weight below 1 becomes 0.

    The code creates their array with `np.zeros_like(scores)` from integer scores.
    """
    return cut_decimals(softmax(masked_scores))


@wrong("weights", "softmax")
def rounds_weights_to_one_decimal(masked_scores):
    """Apply the softmax, but round the weights to 1 decimal."""
    return np.round(softmax(masked_scores), 1)


@wrong("weights", "softmax")
def rounds_weights_to_integers(masked_scores):
    """Apply the softmax, but round the weights to 0 or 1."""
    return np.round(softmax(masked_scores))


@wrong("weights", "softmax", rare=True)
def cuts_weights_after_one_decimal(masked_scores):
    """Apply the softmax, but cut off the weights after 1 decimal, without rounding."""
    return np.floor(softmax(masked_scores) * 10) / 10


@wrong("weights", "softmax")
def rounds_exponentials_to_integers(masked_scores):
    """Apply the softmax, but round the exponentials to integers before dividing them by their sum."""
    e = np.round(np.exp(masked_scores))
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def cuts_exponentials_to_integers(masked_scores):
    """Apply the softmax, but cut off the decimals of the exponentials before dividing them by their sum."""
    e = np.floor(np.exp(masked_scores))
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def uses_two_point_seven(masked_scores):
    """Use powers of 2.7 in the softmax instead of powers of e."""
    e = 2.7**masked_scores
    return e / e.sum(axis=1, keepdims=True)


@wrong("output", "finish")
def stores_the_output_as_integers(output, p):
    """Store the output in an array of integers instead of floats, which cuts off its decimals."""
    return cut_decimals(output)


@wrong("output", "finish")
def rounds_the_output_to_integers(output, p):
    """Round the output to integers: the code calls `.round()` without a number of decimals."""
    return np.round(output)


@wrong("output", "finish", rare=True)
def rounds_the_output_up(output, p):
    """Round every number of the output up to the next integer, instead of keeping its decimals."""
    return np.ceil(output)


@wrong("weights", "after")
def writes_weights_in_percent(weights, mask, p):
    """Multiply the weights by 100, so that they are percentages when they are multiplied by the values."""
    return weights * 100


@wrong("Q", rare=True)
def uses_unsigned_integers(p):
    """Compute attention on the inputs `p`, but with the absolute values of W^Q and W^K, as if they had no signs."""
    return run(type(p)(**{**vars(p), "w_q": np.abs(p.w_q), "w_k": np.abs(p.w_k)}))


@wrong("Q", rare=True)
def reads_w_q_row_by_row_into_columns(p):
    """Compute attention on the inputs `p`, but with the columns of W^Q typed in as if they were its rows."""
    return run(type(p)(**{**vars(p), "w_q": p.w_q.T.reshape(p.w_q.shape)}))


@wrong("V", rare=True)
def reads_w_v_row_by_row_into_columns(p):
    """Compute attention on the inputs `p`, but with the columns of W^V typed in as if they were its rows."""
    return run(type(p)(**{**vars(p), "w_v": p.w_v.T.reshape(p.w_v.shape)}))


@wrong("K")
def exchanges_two_rows_of_w_k(p):
    """Compute attention on the inputs `p`, but with the first two rows of W^K swapped."""
    return run(type(p)(**{**vars(p), "w_k": p.w_k[[1, 0, *range(2, len(p.w_k))]]}))


@wrong("Q")
def exchanges_two_columns_of_w_q(p):
    """Compute attention on the inputs `p`, but with the first two columns of W^Q swapped."""
    return run(type(p)(**{**vars(p), "w_q": p.w_q[:, [1, 0, *range(2, p.w_q.shape[1])]]}))


@wrong("V", "project")
def copies_a_row_of_v_twice(p):
    """Compute queries, keys and values of the inputs `p`, but use the first value for the second token as well."""
    q, k, v = project(p)
    return q, k, v[[0, 0, *range(2, len(v))]]
