"""Rarer mistakes in the softmax of one head, and in what happens to the weights after it."""

import numpy as np

from wrong_implementations.parts import softmax

from .record import wrong


@wrong("weights", "softmax", rare=True)
def adds_one_below_the_line(masked_scores):
    """Divide each exponential by 1 plus the sum of its row, instead of by the sum alone.

    So the weights of a row add up to less than 1.
    """
    e = np.exp(masked_scores)
    return e / (1 + e.sum(axis=1, keepdims=True))


@wrong("weights", "softmax", rare=True)
def divides_by_the_sum_of_the_others(masked_scores):
    """Divide each exponential by the sum of the other exponentials of its row, instead of by the sum of all of them."""
    e = np.exp(masked_scores)
    return e / (e.sum(axis=1, keepdims=True) - e)


@wrong("weights", "softmax", rare=True)
def keeps_the_best_two(masked_scores):
    """Apply the softmax to the two greatest scores of each row alone, instead of to all scores."""
    return softmax(np.where(masked_scores >= np.sort(masked_scores, axis=1)[:, -2:-1], masked_scores, -np.inf))


@wrong("weights", "softmax", rare=True)
def weighs_all_alike(masked_scores):
    """Give every key the same weight, instead of weights that depend on the scores."""
    return np.full(masked_scores.shape, 1 / masked_scores.shape[1])


@wrong("weights", "softmax", rare=True)
def stretches_rows_from_zero_to_one(masked_scores):
    """Return (score - min) / (max - min) in each row, instead of a softmax."""
    low = masked_scores.min(axis=1, keepdims=True)
    return (masked_scores - low) / (masked_scores.max(axis=1, keepdims=True) - low)


@wrong("weights", "softmax", rare=True)
def uses_softplus_for_the_exponential(masked_scores):
    """Use log(1 + e^score) instead of e^score in the softmax."""
    e = np.log1p(np.exp(masked_scores))
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def uses_relu_for_the_exponential(masked_scores):
    """Use max(score, 0) instead of e^score in the softmax."""
    e = np.maximum(masked_scores, 0)
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def uses_the_first_terms_of_the_series(masked_scores):
    """Use 1 + s + s² / 2 instead of e^s in the softmax, which is only the beginning of the series of e^s."""
    e = 1 + masked_scores + masked_scores**2 / 2
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def normalizes_columns_after_rows(masked_scores):
    """Apply the softmax to each row, but then divide each column by its sum as well."""
    weights = softmax(masked_scores)
    return weights / weights.sum(axis=0)


@wrong("weights", "softmax", rare=True)
def takes_a_running_sum_below_the_line(masked_scores):
    """Divide exponential j of each row by the sum of the exponentials up to j, instead of by the sum of the row."""
    e = np.exp(masked_scores)
    return e / e.cumsum(axis=1)


@wrong("weights", "softmax", rare=True)
def adds_up_the_weights(masked_scores):
    """Apply the softmax, but then replace each weight by the sum of the weights up to it."""
    return softmax(masked_scores).cumsum(axis=1)


@wrong("weights", "softmax", rare=True)
def subtracts_the_maximum_after_the_exponential(masked_scores):
    """Subtract the maximum from the exponentials instead of from the scores, and divide by the sum."""
    e = np.exp(masked_scores) - np.exp(masked_scores).max(axis=1, keepdims=True)
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def subtracts_the_maximum_above_the_line_alone(masked_scores):
    """Subtract the maximum of the row in the numerator of the softmax, but not in the denominator."""
    return np.exp(masked_scores - masked_scores.max(axis=1, keepdims=True)) / np.exp(masked_scores).sum(
        axis=1, keepdims=True
    )


@wrong("weights", "after", rare=True)
def subtracts_weights_from_one(weights, mask, p):
    """Return 1 minus each weight instead of the weight, so that the key with the least weight gets the greatest."""
    return 1 - weights


@wrong("weights", "after", rare=True)
def squares_the_weights(weights, mask, p):
    """Square the weights, without dividing them by their sum again."""
    return weights**2


@wrong("weights", "after", rare=True)
def sets_the_diagonal_to_zero(weights, mask, p):
    """Set the weight of each token for itself to 0 after the softmax, although a token may attend to itself."""
    return np.where(np.eye(*weights.shape, dtype=bool), 0, weights)


@wrong("weights", "after")
def sorts_the_weights(weights, mask, p):
    """Sort the weights of each row, largest first, instead of leaving each weight at its key."""
    return np.sort(weights, axis=1)[:, ::-1]


@wrong("weights", "after")
def leaves_dropout_on(weights, mask, p):
    """Apply dropout to the weights, although dropout belongs to training only.

    About half of the weights become 0 at random (with seed 0), and the others are doubled.
    """
    return weights * (np.random.default_rng(0).random(weights.shape) < 0.5) / 0.5


@wrong("weights", "after")
def leaves_dropout_of_a_tenth_on(weights, mask, p):
    """Apply dropout to the weights, although dropout belongs to training only.

    About 10% of the weights become 0 at random (with seed 1), and the others are divided by 0.9.
    """
    return weights * (np.random.default_rng(1).random(weights.shape) > 0.1) / 0.9


@wrong("weights", "after", rare=True)
def drops_out_without_rescaling(weights, mask, p):
    """Set about half of the weights to 0 at random (with seed 2), although the exercise has no dropout."""
    return weights * (np.random.default_rng(2).random(weights.shape) < 0.5)


@wrong("weights", "after")
def transposes_the_weights(weights, mask, p):
    """Return the transposed weights instead of the weights."""
    return weights.T


@wrong("weights", "after", rare=True)
def drops_small_weights(weights, mask, p):
    """Set weights below 0.1 to 0, instead of keeping them."""
    return np.where(weights < 0.1, 0, weights)
