"""Mistakes in the softmax of one head."""

import numpy as np

from wrong_implementations.parts import softmax

from .record import run, wrong

LABML = "https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/282"


@wrong("weights", "softmax", source=LABML)
def normalizes_columns(masked_scores):
    """Apply the softmax to each column of the scores instead of each row."""
    return softmax(masked_scores, axis=0)


@wrong("weights", "softmax")
def normalizes_everything_at_once(masked_scores):
    """Divide the exponentials by the sum of the whole matrix instead of by the sum of their row.

    So all weights together add up to 1.
    """
    e = np.exp(masked_scores)
    return e / e.sum()


@wrong("weights", "softmax")
def divides_by_sums_along_the_other_axis(masked_scores):
    """Divide column j of the exponentials by the sum of row j.

    The code says `e.sum(axis=1)` without `keepdims=True`.
    """
    e = np.exp(masked_scores)
    return e / e.sum(axis=1)


@wrong("weights", "softmax")
def subtracts_row_maxima_from_columns(masked_scores):
    """Subtract the maximum of row j from column j: the code says `s.max(axis=1)` without `keepdims=True`."""
    e = np.exp(masked_scores - masked_scores.max(axis=1))
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def subtracts_column_maxima(masked_scores):
    """Subtract the maximum of each column, although the exponentials are divided by the sum of each row."""
    e = np.exp(masked_scores - masked_scores.max(axis=0))
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def applies_the_sigmoid(masked_scores):
    """Return the sigmoid of each score as its weight, instead of the softmax of each row."""
    return 1 / (1 + np.exp(-masked_scores))


@wrong("weights", "softmax", rare=True)
def normalizes_the_sigmoid(masked_scores):
    """Use the sigmoids of the scores instead of their exponentials, and divide them by the sum of their row."""
    e = 1 / (1 + np.exp(-masked_scores))
    return e / e.sum(1, keepdims=True)


@wrong("weights", "softmax")
def takes_the_greatest_alone(masked_scores):
    """Give weight 1 to the key with the highest score and weight 0 to the others, instead of using a softmax.

    The code uses `argmax`.
    """
    return np.eye(masked_scores.shape[1])[masked_scores.argmax(axis=1)]


@wrong("weights", "softmax")
def divides_scores_by_their_sum(masked_scores):
    """Divide the scores of each row by their sum, without taking exponentials first."""
    return masked_scores / masked_scores.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def divides_exponentials_by_the_sum_of_scores(masked_scores):
    """Divide the exponentials by the sum of the scores instead of by the sum of the exponentials."""
    return np.exp(masked_scores) / masked_scores.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def divides_scores_by_the_sum_of_exponentials(masked_scores):
    """Divide the scores, instead of their exponentials, by the sum of the exponentials."""
    return masked_scores / np.exp(masked_scores).sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def takes_the_exponential_of_the_sum(masked_scores):
    """Divide the exponentials by e^(sum of the scores) instead of by the sum of the exponentials."""
    return np.exp(masked_scores) / np.exp(masked_scores.sum(axis=1, keepdims=True))


@wrong("weights", "softmax")
def forgets_to_normalize(masked_scores):
    """Return the exponentials as weights, without dividing them by their sum."""
    return np.exp(masked_scores)


@wrong("weights", "softmax")
def divides_by_the_greatest_exponential(masked_scores):
    """Subtract the maximum of each row and take exponentials, but do not divide them by their sum.

    So the best key of each row gets weight 1.
    """
    return np.exp(masked_scores - masked_scores.max(axis=1, keepdims=True))


@wrong("weights", "softmax")
def divides_by_the_number_of_keys(masked_scores):
    """Divide the exponentials by the number of keys instead of by their sum."""
    return np.exp(masked_scores) / masked_scores.shape[1]


@wrong("weights", "softmax", rare=True)
def divides_by_the_mean(masked_scores):
    """Divide the exponentials by their mean instead of by their sum."""
    e = np.exp(masked_scores)
    return e / e.mean(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def makes_rows_unit_vectors(masked_scores):
    """Divide each row of scores by its length, so that it becomes a unit vector, instead of using a softmax."""
    return masked_scores / np.linalg.norm(masked_scores, axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def makes_exponentials_unit_vectors(masked_scores):
    """Divide each row of exponentials by its length, so that it becomes a unit vector, instead of by its sum."""
    e = np.exp(masked_scores)
    return e / np.linalg.norm(e, axis=1, keepdims=True)


@wrong("weights", "softmax")
def skips_the_softmax(masked_scores):
    """Return the scores as weights, without a softmax."""
    return masked_scores


@wrong("scaled")
def skips_scale_and_softmax(p):
    """Compute Q Kᵀ V on the inputs `p`, without dividing by √d_k and without a softmax."""
    return run(p, scale=lambda s, q, k, p: s, softmax=lambda s: s)


@wrong("weights", "softmax")
def uses_base_two(masked_scores):
    """Use powers of 2 in the softmax instead of powers of e."""
    e = 2.0**masked_scores
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def uses_base_three(masked_scores):
    """Use powers of 3 in the softmax instead of powers of e, because they are easier on paper."""
    e = 3.0**masked_scores
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def uses_base_ten(masked_scores):
    """Use powers of 10 in the softmax instead of powers of e.

    Somebody took the key E of a pocket calculator for e.
    """
    e = 10.0**masked_scores
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def applies_the_softmax_twice(masked_scores):
    """Apply the softmax twice instead of once."""
    return softmax(softmax(masked_scores))


@wrong("weights", "softmax")
def takes_the_logarithm_of_the_softmax(masked_scores):
    """Return the logarithm of the softmax instead of the softmax: the code calls `log_softmax`."""
    return np.log(softmax(masked_scores))


@wrong("weights", "softmax")
def turns_the_sign(masked_scores):
    """Use e^(-score) in the softmax instead of e^score, so that the worst key gets the greatest weight."""
    e = np.exp(-masked_scores)
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax")
def multiplies_by_a_temperature(masked_scores):
    """Multiply the scores by 3 before the softmax, although the exercise has no temperature."""
    return softmax(masked_scores * 3)


@wrong("weights", "softmax")
def divides_by_a_temperature(masked_scores):
    """Divide the scores by 0.7 before the softmax, although the exercise has no temperature."""
    return softmax(masked_scores / 0.7)
