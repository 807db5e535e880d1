"""Rarer mistakes in the softmax, and mistakes in what happens to the weights after it."""

import numpy as np

from wrong_implementations.parts import softmax

from .record import wrong


@wrong("weights", "softmax", rare=True)
def adds_one_below_the_line(hidden):
    """`exp(s) / (1 + sum)`, where nobody asked for a way to attend to nothing."""
    e = np.exp(hidden)
    return e / (1 + e.sum(axis=1, keepdims=True))


@wrong("weights", "softmax", rare=True)
def divides_by_the_sum_of_the_others(hidden):
    """The exponential itself is left out of the sum below the line."""
    e = np.exp(hidden)
    return e / (e.sum(axis=1, keepdims=True) - e)


@wrong("weights", "softmax", rare=True)
def keeps_the_best_two(hidden):
    """All but the two greatest scores of each row are hidden."""
    return softmax(np.where(hidden >= np.sort(hidden, axis=1)[:, -2:-1], hidden, -np.inf))


@wrong("weights", "softmax", rare=True)
def weighs_all_alike(hidden):
    """The scores are not used: each row is a mean."""
    return np.full(hidden.shape, 1 / hidden.shape[1])


@wrong("weights", "softmax", rare=True)
def stretches_rows_from_zero_to_one(hidden):
    """`(s - min) / (max - min)` in each row."""
    low = hidden.min(axis=1, keepdims=True)
    return (hidden - low) / (hidden.max(axis=1, keepdims=True) - low)


@wrong("weights", "softmax", rare=True)
def uses_softplus_for_the_exponential(hidden):
    """`log(1 + exp(s))`, divided by its sum."""
    e = np.log1p(np.exp(hidden))
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def uses_relu_for_the_exponential(hidden):
    """`max(s, 0)`, divided by its sum."""
    e = np.maximum(hidden, 0)
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def uses_the_first_terms_of_the_series(hidden):
    """`1 + s + s² / 2` stands for the exponential."""
    e = 1 + hidden + hidden**2 / 2
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def normalizes_columns_after_rows(hidden):
    """The softmax is right, and then each column is divided by its sum as well."""
    weights = softmax(hidden)
    return weights / weights.sum(axis=0)


@wrong("weights", "softmax", rare=True)
def takes_a_running_sum_below_the_line(hidden):
    """`e / e.cumsum()`: each exponential is divided by the sum so far."""
    e = np.exp(hidden)
    return e / e.cumsum(axis=1)


@wrong("weights", "softmax", rare=True)
def adds_up_the_weights(hidden):
    """`cumsum` along the row is left over from a sampling function."""
    return softmax(hidden).cumsum(axis=1)


@wrong("weights", "softmax", rare=True)
def subtracts_the_maximum_after_the_exponential(hidden):
    """`exp(s) - exp(s).max()`, divided by the sum."""
    e = np.exp(hidden) - np.exp(hidden).max(axis=1, keepdims=True)
    return e / e.sum(axis=1, keepdims=True)


@wrong("weights", "softmax", rare=True)
def subtracts_the_maximum_above_the_line_alone(hidden):
    """`exp(s - max) / exp(s).sum()`."""
    return np.exp(hidden - hidden.max(axis=1, keepdims=True)) / np.exp(hidden).sum(axis=1, keepdims=True)


@wrong("weights", "after", rare=True)
def subtracts_weights_from_one(weights, mask, p):
    """`1 - weights`: what a token does not attend to is mixed."""
    return 1 - weights


@wrong("weights", "after", rare=True)
def squares_the_weights(weights, mask, p):
    """The weights are squared and not divided by their sum again."""
    return weights**2


@wrong("weights", "after", rare=True)
def sets_the_diagonal_to_zero(weights, mask, p):
    """The weight of a token on itself becomes 0 after the softmax."""
    return np.where(np.eye(*weights.shape, dtype=bool), 0, weights)


@wrong("weights", "after")
def sorts_the_weights(weights, mask, p):
    """`argsort` or `sort` for a table of the greatest weights changes the weights themselves."""
    return np.sort(weights, axis=1)[:, ::-1]


@wrong("weights", "after")
def leaves_dropout_on(weights, mask, p):
    """Half of the weights, drawn with seed 0, become 0, and the others are doubled."""
    return weights * (np.random.default_rng(0).random(weights.shape) < 0.5) / 0.5


@wrong("weights", "after")
def leaves_dropout_of_a_tenth_on(weights, mask, p):
    """A tenth of the weights, drawn with seed 1, become 0, and the others are divided by 0.9."""
    return weights * (np.random.default_rng(1).random(weights.shape) > 0.1) / 0.9


@wrong("weights", "after", rare=True)
def drops_out_without_rescaling(weights, mask, p):
    """Half of the weights, drawn with seed 2, become 0, and the others stay."""
    return weights * (np.random.default_rng(2).random(weights.shape) < 0.5)


@wrong("weights", "after")
def transposes_the_weights(weights, mask, p):
    """`weights.T @ v`."""
    return weights.T


@wrong("weights", "after", rare=True)
def drops_small_weights(weights, mask, p):
    """Weights below 0.1 become 0."""
    return np.where(weights < 0.1, 0, weights)
