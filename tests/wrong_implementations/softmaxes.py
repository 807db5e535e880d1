"""Mistakes in the softmax: the wrong axis, no division by the sum, other functions in its place."""

import numpy as np

from .parts import softmax
from .record import record


def shifted_exponentials(s):
    """Return e^(s - m), where m is the maximum of each row of `s`: the numerator of the softmax."""
    return np.exp(s - s.max(-1, keepdims=True))


def divide_by_row_sums(a):
    """Divide each row of `a` by its sum."""
    return a / a.sum(-1, keepdims=True)


def divide_by_running_total(s):
    """Divide each row of exponentials by the sum of all rows up to it, because the total is not set back to 0."""
    return shifted_exponentials(s) / np.cumsum(shifted_exponentials(s).sum(-1, keepdims=True), axis=-2)


def sigmoid(s):
    """Return the sigmoid 1 / (1 + e^(-s)) of each number."""
    return 1 / (1 + np.exp(-s))


def one_hot(s):
    """Return 1 at the largest score of each row and 0 elsewhere, instead of a softmax."""
    return np.eye(s.shape[-1])[s.argmax(-1)]


def drop_out(weights, mask, p):
    """Apply dropout to the weights, although dropout belongs to training only.

    About half of the weights become 0 at random, and the others are doubled.
    """
    return weights * np.random.default_rng(0).integers(0, 2, weights.shape) * 2


record(
    "softmax_over_queries",
    "The softmax runs down the columns, over the queries.",
    common=True,
    softmax=lambda s: softmax(s, -2),
    source="nerminnuraydogan/vision-transformer#1; labmlai/annotated_deep_learning_paper_implementations#146",
)
record(
    "softmax_over_all",
    "One softmax runs over the whole matrix.",
    common=True,
    softmax=lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum(),
)
record("no_softmax", "The softmax is left out.", common=True, softmax=lambda s: s)
record("exp_not_normalised", "The exponentials are not divided by their sum.", common=True, softmax=np.exp)
record(
    "sum_without_keepdims",
    "The row sums are broadcast along the wrong axis, because keepdims is missing.",
    common=True,
    softmax=lambda s: shifted_exponentials(s) / shifted_exponentials(s).sum(-1),
)
record(
    "max_without_keepdims",
    "The row maxima are subtracted from columns, because keepdims is missing.",
    common=True,
    softmax=lambda s: divide_by_row_sums(np.exp(s - s.max(-1))),
)
record(
    "sum_down_columns",
    "The maximum is of a row, but the sum is of a column.",
    common=True,
    softmax=lambda s: shifted_exponentials(s) / shifted_exponentials(s).sum(-2, keepdims=True),
)
record(
    "max_down_columns",
    "The maximum is of a column, but the sum is of a row.",
    softmax=lambda s: divide_by_row_sums(np.exp(s - s.max(-2, keepdims=True))),
)
record("sigmoid_weights", "A sigmoid stands in place of the softmax.", common=True, softmax=sigmoid)
record(
    "sigmoid_shares", "A sigmoid is divided by its sum over the row.", softmax=lambda s: divide_by_row_sums(sigmoid(s))
)
record("relu_shares", "A ReLU stands in place of exp.", softmax=lambda s: divide_by_row_sums(np.maximum(s, 0)))
record("relu_weights", "A ReLU stands in place of the softmax.", common=True, softmax=lambda s: np.maximum(s, 0))
record("tanh_weights", "A tanh stands in place of the softmax.", softmax=np.tanh)
record("softmin", "The sign in the exponent is turned.", common=True, softmax=lambda s: softmax(-s))
record("softmax_twice", "The softmax is applied twice.", common=True, softmax=lambda s: softmax(softmax(s)))
record(
    "log_softmax", "The logarithm of the softmax is used as weights.", common=True, softmax=lambda s: np.log(softmax(s))
)
record("hard_maximum", "Only the best key gets a weight, which is 1.", common=True, softmax=one_hot)
record(
    "divided_by_norm",
    "The exponentials are divided by their length instead of their sum.",
    softmax=lambda s: shifted_exponentials(s) / np.linalg.norm(shifted_exponentials(s), axis=-1, keepdims=True),
)
record(
    "shares_without_exp", "The scores are divided by their sum, without exp.", common=True, softmax=divide_by_row_sums
)
record(
    "scores_of_length_one",
    "The scores are divided by their length.",
    softmax=lambda s: s / np.linalg.norm(s, axis=-1, keepdims=True),
)
record(
    "minimum_to_maximum",
    "The scores are stretched to lie from 0 to 1.",
    common=True,
    softmax=lambda s: (s - s.min(-1, keepdims=True)) / np.ptp(s, axis=-1, keepdims=True),
)
record("base_two", "The softmax uses 2 instead of e.", softmax=lambda s: divide_by_row_sums(2.0**s))
record("base_ten", "The softmax uses 10 instead of e.", softmax=lambda s: divide_by_row_sums(10.0**s))
record("squares_for_exp", "A square stands in place of exp.", softmax=lambda s: divide_by_row_sums(s**2))
record(
    "mean_for_sum",
    "The exponentials are divided by their mean.",
    common=True,
    softmax=lambda s: shifted_exponentials(s) / shifted_exponentials(s).mean(-1, keepdims=True),
)
record(
    "one_more_below",
    "One is added below the fraction.",
    softmax=lambda s: np.exp(s) / (1 + np.exp(s).sum(-1, keepdims=True)),
)
record(
    "maximum_added",
    "The maximum is added instead of subtracted.",
    softmax=lambda s: divide_by_row_sums(np.exp(s + s.max(-1, keepdims=True))),
)
record(
    "rounded_weights",
    "The weights are rounded to one decimal before they are used.",
    common=True,
    softmax=lambda s: softmax(s).round(1),
)
record(
    "rounded_to_two",
    "The weights are rounded to two decimals before they are used.",
    common=True,
    softmax=lambda s: softmax(s).round(2),
)
record(
    "integer_weights",
    "The weights are stored in an array of integers.",
    common=True,
    softmax=lambda s: softmax(s).astype(int),
)
record("dropout_left_on", "Dropout is left on.", common=True, after=drop_out)
record("running_total", "The total of a row is not set back to zero.", common=True, softmax=divide_by_running_total)
record(
    "maximum_after_exp",
    "The maximum is subtracted after exp.",
    softmax=lambda s: divide_by_row_sums(np.exp(s) - np.exp(s).max(-1, keepdims=True)),
)
record(
    "divided_by_maximum",
    "The scores are divided by the maximum before exp.",
    common=True,
    softmax=lambda s: divide_by_row_sums(np.exp(s / s.max(-1, keepdims=True))),
)
record(
    "exp_by_sum_of_scores",
    "The exponentials are divided by the sum of the scores.",
    common=True,
    softmax=lambda s: np.exp(s) / s.sum(-1, keepdims=True),
)
record("maximum_is_one", "The exponentials are divided by the largest.", common=True, softmax=shifted_exponentials)
record("temperature_half", "A temperature of one half is left in.", softmax=lambda s: softmax(s / 0.5))
record("temperature_two", "A temperature of two is left in.", softmax=lambda s: softmax(s / 2))
record("equal_weights", "Every key gets the same weight.", softmax=lambda s: np.full(s.shape, 1 / s.shape[-1]))
