"""More mistakes with the mask in one head: masks added to the scores, masks along the wrong axis, and others."""

import numpy as np

from .masking import run_without_mask, square
from .record import run, wrong


@wrong("masked", "hide", needs="mask")
def adds_minus_a_billion_where_allowed(scaled, mask):
    """Add -1e9 to the scores that the mask allows, instead of to the masked scores."""
    return scaled - 1e9 * mask


@wrong("masked", "hide", needs="mask")
def adds_minus_a_billion_on_the_diagonal(scaled, mask):
    """Add -1e9 to the scores on and above the diagonal, instead of only to those above it.

    So each token is hidden from itself.
    """
    return scaled - 1e9 * np.triu(np.ones(square(mask).shape))


@wrong("masked", "hide", needs="mask", source="https://github.com/hyunwoongko/transformer/pull/40")
def hides_queries_in_place_of_keys(scaled, mask):
    """Hide whole queries instead of single keys: set row i of the scores to -10000 if mask[i, -1] is False."""
    return np.where(mask[:, -1:], scaled, -10000)


@wrong("masked", "hide", needs="mask")
def hides_scores_that_are_zero(scaled, mask):
    """Hide the scores where score times mask is 0, instead of where the mask is False.

    This also hides allowed scores that are 0.
    """
    return np.where(scaled * mask == 0, -1e9, scaled)


@wrong("masked", needs="mask")
def fills_with_zero_and_hides_the_weights(p):
    """Compute attention on the inputs `p`, but set masked scores to 0, and masked weights to 0 after the softmax.

    The sum in the softmax counts e^0 = 1 for each masked key.
    """
    return run(p, hide=lambda s, mask: s * mask, after=lambda w, mask, p: w * mask)


@wrong("weights", needs="mask")
def normalizes_columns_under_a_mask(p):
    """Compute attention on the inputs `p` with a correct mask, but apply the softmax to each column, not row."""
    return run(p, softmax=lambda s: np.exp(s) / np.maximum(np.exp(s).sum(axis=0), 1e-9))


@wrong("weights", "after", needs="mask", rare=True)
def subtracts_hidden_weights(weights, mask, p):
    """Compute the weights without the mask, and subtract the largest weight from every masked weight.

    So masked weights become negative instead of 0.
    """
    free = run_without_mask(p)["weights"]
    return free - ~mask * free.max()


@wrong("weights", "after", needs="mask", rare=True)
def gives_hidden_weights_to_the_token_itself(weights, mask, p):
    """Compute the weights without the mask, and set masked weights to 0.

    The weights of a row then add up to less than 1. The missing part is added to the weight of the token for itself.
    """
    free = run_without_mask(p)["weights"] * mask
    return free + np.eye(*square(free).shape) * (1 - free.sum(axis=1, keepdims=True))


@wrong("masked", "hide", needs="mask")
def hides_one_key_too_many(scaled, mask):
    """Apply the mask, but also hide the last key that the mask allows to each token, unless it is the first key."""
    last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    return np.where(mask & ((np.arange(mask.shape[1]) != last[:, None]) | (last[:, None] == 0)), scaled, -np.inf)


@wrong("masked", "hide", needs="mask")
def hides_the_first_token(scaled, mask):
    """Apply the mask, but hide the first key from every token except the first, as if the first token were padding."""
    new = mask.copy()
    new[1:, 0] = False
    return np.where(new, scaled, -np.inf)


@wrong("masked", "hide", needs="mask", rare=True)
def hides_half_a_score(scaled, mask):
    """Halve masked scores instead of setting them to minus infinity."""
    return np.where(mask, scaled, scaled / 2)


@wrong("masked", "hide", needs="mask")
def sees_itself_alone(scaled, mask):
    """Let each token attend only to itself: the code calls `np.eye` instead of `np.tri`."""
    return np.where(np.eye(*square(mask).shape, dtype=bool), scaled, -np.inf)


@wrong("weights", "after", needs="mask", rare=True)
def normalizes_columns_again_after_a_late_mask(weights, mask, p):
    """Compute the weights without the mask, set masked weights to 0, and divide each column by its sum.

    Correct is to mask the scores, and to divide each row by its sum.
    """
    free = run_without_mask(p)["weights"] * mask
    return free / np.maximum(free.sum(axis=0), 1e-9)


@wrong("masked", "hide", needs="mask", rare=True)
def adds_the_logarithm_of_the_mask_plus_a_tenth(scaled, mask):
    """Add log(mask + 0.1) to the scores, which lowers masked scores by only 2.3 instead of hiding them.

    The 0.1 avoids log(0), but it is much too large.
    """
    return scaled + np.log(mask + 0.1)


@wrong("output", "mix", needs="mask", rare=True)
def hides_outputs(weights, v):
    """Multiply the weights by the values, but then set the output above its diagonal to 0.

    The code takes the lower triangle of the output instead of the scores.
    """
    return np.tril(weights @ v)
