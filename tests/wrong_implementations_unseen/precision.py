"""Mistakes with the numbers themselves: integers, cut digits, rounding on the way, a wrong unit."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import run, wrong


def truncated(a):
    """Cut everything after the decimal point, as a conversion to integers does."""
    return np.where(np.isfinite(a), np.trunc(a), a)


@wrong("scaled")
def makes_scores_integers(p):
    """`(scores / np.sqrt(d_k)).astype(int)`."""
    return run(p, scale=lambda s, q, k, p: truncated(s / np.sqrt(k.shape[1])))


@wrong("scaled")
def rounds_scores_to_integers(p):
    """The scaled scores are rounded to integers on the way."""
    return run(p, scale=lambda s, q, k, p: np.round(s / np.sqrt(k.shape[1])))


@wrong("scaled")
def rounds_scores_to_one_decimal(p):
    """The scaled scores are rounded to 1 decimal on the way."""
    return run(p, scale=lambda s, q, k, p: np.round(s / np.sqrt(k.shape[1]), 1))


@wrong("weights", "softmax")
def stores_weights_as_integers(hidden):
    """`np.zeros_like(scores)` of integer scores: every weight below 1 becomes 0."""
    return truncated(softmax(hidden))


@wrong("weights", "softmax")
def rounds_weights_to_one_decimal(hidden):
    """The weights are rounded to 1 decimal on the way."""
    return np.round(softmax(hidden), 1)


@wrong("weights", "softmax")
def rounds_weights_to_integers(hidden):
    """The weights are rounded to 0 and 1."""
    return np.round(softmax(hidden))


@wrong("weights", "softmax", rare=True)
def cuts_weights_after_one_decimal(hidden):
    """The second decimal of each weight is cut off, not rounded."""
    return np.floor(softmax(hidden) * 10) / 10


@wrong("weights", "softmax")
def rounds_exponentials_to_integers(hidden):
    """The exponentials are rounded to integers before they are divided."""
    e = np.round(np.exp(hidden))
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def cuts_exponentials_to_integers(hidden):
    """The exponentials are cut to integers before they are divided."""
    e = np.floor(np.exp(hidden))
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def uses_two_point_seven(hidden):
    """2.7 stands for e."""
    e = 2.7**hidden
    return e / e.sum(axis=1, keepdims=True)


@wrong("output", "finish")
def stores_the_output_as_integers(output, p):
    """`out = np.zeros((n, d_v), dtype=int)`: what is after the point is cut."""
    return truncated(output)


@wrong("output", "finish")
def rounds_the_output_to_integers(output, p):
    """`.round()` without decimals."""
    return np.round(output)


@wrong("output", "finish", rare=True)
def rounds_the_output_up(output, p):
    """`np.ceil`."""
    return np.ceil(output)


@wrong("weights", "after")
def writes_weights_in_percent(weights, mask, p):
    """The weights are multiplied by 100 before they mix the values."""
    return weights * 100


@wrong("Q", rare=True)
def uses_unsigned_integers(p):
    """Negative numbers in W_Q and W_K lose their sign."""
    return run(type(p)(**{**vars(p), "w_q": np.abs(p.w_q), "w_k": np.abs(p.w_k)}))


@wrong("Q", rare=True)
def reads_w_q_row_by_row_into_columns(p):
    """W_Q is typed in by columns: `w_q.T.reshape(w_q.shape)`."""
    return run(type(p)(**{**vars(p), "w_q": p.w_q.T.reshape(p.w_q.shape)}))


@wrong("V", rare=True)
def reads_w_v_row_by_row_into_columns(p):
    """W_V is typed in by columns: `w_v.T.reshape(w_v.shape)`."""
    return run(type(p)(**{**vars(p), "w_v": p.w_v.T.reshape(p.w_v.shape)}))


@wrong("K")
def exchanges_two_rows_of_w_k(p):
    """The first two rows of W_K are copied in the wrong order."""
    return run(type(p)(**{**vars(p), "w_k": p.w_k[[1, 0, *range(2, len(p.w_k))]]}))


@wrong("Q")
def exchanges_two_columns_of_w_q(p):
    """The first two columns of W_Q are copied in the wrong order."""
    return run(type(p)(**{**vars(p), "w_q": p.w_q[:, [1, 0, *range(2, p.w_q.shape[1])]]}))


@wrong("V", "project")
def copies_a_row_of_v_twice(p):
    """The second row of v is copied from the first."""
    q, k, v = project(p)
    return q, k, v[[0, 0, *range(2, len(v))]]
