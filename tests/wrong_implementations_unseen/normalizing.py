"""Mistakes in the softmax of one head."""

import numpy as np

from wrong_implementations.parts import softmax

from .record import run, wrong

LABML = "https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/282"


@wrong("weights", "softmax", source=LABML)
def normalizes_columns(hidden):
    """`softmax(axis=0)`: each key shares itself out over the queries."""
    return softmax(hidden, axis=0)


@wrong("weights", "softmax")
def normalizes_everything_at_once(hidden):
    """`e / e.sum()`: all weights together sum to 1."""
    e = np.exp(hidden)
    return e / e.sum()


@wrong("weights", "softmax")
def divides_by_sums_along_the_other_axis(hidden):
    """`e / e.sum(axis=1)` without keepdims: the sum of row j divides column j."""
    e = np.exp(hidden)
    return e / e.sum(axis=1)


@wrong("weights", "softmax")
def subtracts_row_maxima_from_columns(hidden):
    """`s - s.max(axis=1)` without keepdims: the greatest of row j is subtracted from column j."""
    e = np.exp(hidden - hidden.max(axis=1))
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def subtracts_column_maxima(hidden):
    """`s - s.max(axis=0)`, and the sums run over rows."""
    e = np.exp(hidden - hidden.max(axis=0))
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def applies_the_sigmoid(hidden):
    """Each score alone becomes a weight."""
    return 1 / (1 + np.exp(-hidden))


@wrong("weights", "softmax", rare=True)
def normalizes_the_sigmoid(hidden):
    """The sigmoids of a row are divided by their sum."""
    e = 1 / (1 + np.exp(-hidden))
    return e / e.sum(1, keepdims=True)


@wrong("weights", "softmax")
def takes_the_greatest_alone(hidden):
    """`argmax`: the best key gets all of the weight."""
    return np.eye(hidden.shape[1])[hidden.argmax(axis=1)]


@wrong("weights", "softmax")
def divides_scores_by_their_sum(hidden):
    """`s / s.sum(axis=1)` with the axis kept: the exponential is forgotten."""
    return hidden / hidden.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def divides_exponentials_by_the_sum_of_scores(hidden):
    """`np.exp(s) / s.sum(...)`: the exponential is forgotten below the line."""
    return np.exp(hidden) / hidden.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def divides_scores_by_the_sum_of_exponentials(hidden):
    """`s / np.exp(s).sum(...)`: the exponential is forgotten above the line."""
    return hidden / np.exp(hidden).sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def takes_the_exponential_of_the_sum(hidden):
    """`np.exp(s) / np.exp(s.sum(...))`: the sum is taken too early."""
    return np.exp(hidden) / np.exp(hidden.sum(axis=1, keepdims=True))


@wrong("weights", "softmax")
def forgets_to_normalize(hidden):
    """The weights are the exponentials themselves."""
    return np.exp(hidden)


@wrong("weights", "softmax")
def divides_by_the_greatest_exponential(hidden):
    """The best key of each row gets weight 1: the greatest was subtracted, and nothing divides."""
    return np.exp(hidden - hidden.max(axis=1, keepdims=True))


@wrong("weights", "softmax")
def divides_by_the_number_of_keys(hidden):
    """`np.exp(s) / n`: a mean in place of the sum."""
    return np.exp(hidden) / hidden.shape[1]


@wrong("weights", "softmax", rare=True)
def divides_by_the_mean(hidden):
    """`e / e.mean(...)`."""
    e = np.exp(hidden)
    return e / e.mean(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def makes_rows_unit_vectors(hidden):
    """The scores of each row are divided by the length of the row."""
    return hidden / np.linalg.norm(hidden, axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def makes_exponentials_unit_vectors(hidden):
    """The exponentials of each row are divided by the length of the row."""
    e = np.exp(hidden)
    return e / np.linalg.norm(e, axis=1, keepdims=True)


@wrong("weights", "softmax")
def skips_the_softmax(hidden):
    """The scaled scores are the weights."""
    return hidden


@wrong("scaled")
def skips_scale_and_softmax(p):
    """q kᵀ v."""
    return run(p, scale=lambda s, q, k, p: s, softmax=lambda s: s)


@wrong("weights", "softmax")
def uses_base_two(hidden):
    """`2 ** s`."""
    e = 2.0**hidden
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def uses_base_three(hidden):
    """3 stands for e, to make it easy on paper."""
    e = 3.0**hidden
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def uses_base_ten(hidden):
    """`10 ** s`: the E of a pocket calculator is read as e."""
    e = 10.0**hidden
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def applies_the_softmax_twice(hidden):
    """The function that returns weights is followed by one more softmax."""
    return softmax(softmax(hidden))


@wrong("weights", "softmax")
def takes_the_logarithm_of_the_softmax(hidden):
    """`log_softmax`."""
    return np.log(softmax(hidden))


@wrong("weights", "softmax")
def turns_the_sign(hidden):
    """`np.exp(-s)`: the worst key gets the most."""
    e = np.exp(-hidden)
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def multiplies_by_a_temperature(hidden):
    """A temperature of 3 multiplies where none is asked."""
    return softmax(hidden * 3)


@wrong("weights", "softmax")
def divides_by_a_temperature(hidden):
    """A temperature of 0.7 divides where none is asked."""
    return softmax(hidden / 0.7)
