"""Further mistakes with the mask: additive masks, the wrong axis, and zeros that stand for more than one thing."""

import numpy as np

from .masking import run_without_mask, square
from .record import run, wrong


@wrong("masked", "hide", needs="mask")
def adds_minus_a_billion_where_allowed(scaled, mask):
    """`scaled + mask * -1e9`: the mask is inverted, and a row that may see all stays as it is."""
    return scaled - 1e9 * mask


@wrong("masked", "hide", needs="mask")
def adds_minus_a_billion_on_the_diagonal(scaled, mask):
    """`np.triu(ones) * -1e9`: the diagonal is hidden as well, and the first row sees all."""
    return scaled - 1e9 * np.triu(np.ones(square(mask).shape))


@wrong("masked", "hide", needs="mask", source="https://github.com/hyunwoongko/transformer/pull/40")
def hides_queries_in_place_of_keys(scaled, mask):
    """The mask of the last key is broadcast along the rows: hidden rows become alike."""
    return np.where(mask[:, -1:], scaled, -10000)


@wrong("masked", "hide", needs="mask")
def hides_scores_that_are_zero(scaled, mask):
    """`masked_fill(scores * mask == 0, -1e9)`: an allowed score of 0 is hidden as well."""
    return np.where(scaled * mask == 0, -1e9, scaled)


@wrong("masked", needs="mask")
def fills_with_zero_and_hides_the_weights(p):
    """Hidden scores become 0, and hidden weights too: the sum below the line counts e⁰ for each."""
    return run(p, hide=lambda s, mask: s * mask, after=lambda w, mask, p: w * mask)


@wrong("weights", needs="mask")
def normalizes_columns_under_a_mask(p):
    """The mask is right, and the softmax goes down the columns; a column that nobody sees stays 0."""
    return run(p, softmax=lambda s: np.exp(s) / np.maximum(np.exp(s).sum(axis=0), 1e-9))


@wrong("weights", "after", needs="mask", rare=True)
def subtracts_hidden_weights(weights, mask, p):
    """`weights - ~mask * weights.max()`: a hidden weight becomes negative."""
    free = run_without_mask(p)["weights"]
    return free - ~mask * free.max()


@wrong("weights", "after", needs="mask", rare=True)
def gives_hidden_weights_to_the_token_itself(weights, mask, p):
    """The mask comes after the softmax, and the diagonal gets what is missing."""
    free = run_without_mask(p)["weights"] * mask
    return free + np.eye(*square(free).shape) * (1 - free.sum(axis=1, keepdims=True))


@wrong("masked", "hide", needs="mask")
def hides_one_key_too_many(scaled, mask):
    """The last token that a row may see is hidden too, unless it is the first one."""
    last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    return np.where(mask & ((np.arange(mask.shape[1]) != last[:, None]) | (last[:, None] == 0)), scaled, -np.inf)


@wrong("masked", "hide", needs="mask")
def hides_the_first_token(scaled, mask):
    """The first column is hidden, as if it were padding; the first row sees it still."""
    new = mask.copy()
    new[1:, 0] = False
    return np.where(new, scaled, -np.inf)


@wrong("masked", "hide", needs="mask", rare=True)
def hides_half_a_score(scaled, mask):
    """A hidden score is halved."""
    return np.where(mask, scaled, scaled / 2)


@wrong("masked", "hide", needs="mask")
def sees_itself_alone(scaled, mask):
    """`np.eye` in place of `np.tri`: a token sees itself alone."""
    return np.where(np.eye(*square(mask).shape, dtype=bool), scaled, -np.inf)


@wrong("weights", "after", needs="mask", rare=True)
def normalizes_columns_again_after_a_late_mask(weights, mask, p):
    """The mask comes after the softmax, and each column is divided by its sum."""
    free = run_without_mask(p)["weights"] * mask
    return free / np.maximum(free.sum(axis=0), 1e-9)


@wrong("masked", "hide", needs="mask", rare=True)
def adds_the_logarithm_of_the_mask_plus_a_tenth(scaled, mask):
    """`np.log(mask + 0.1)`: the number against log 0 is too great to hide a score."""
    return scaled + np.log(mask + 0.1)


@wrong("output", "mix", needs="mask", rare=True)
def hides_outputs(weights, v):
    """The softmax is right, and then the output keeps the numbers of its lower triangle alone."""
    return np.tril(weights @ v)
