"""Mistakes with the mask in one head. True in a mask means that the query may attend to the key."""

import numpy as np

from wrong_implementations.parts import softmax

from .record import run, wrong

LAST = "https://github.com/huggingface/pytorch-image-models/pull/2236"


def square(mask):
    """Return `mask` unchanged if it is square, for mistakes that need a square mask.

    Raises: ValueError if the mask is not square.
    """
    if mask.shape[0] != mask.shape[1]:
        raise ValueError("a triangle needs a square")
    return mask


@wrong("masked", "hide", needs="mask")
def forgets_the_mask(scaled, mask):
    """Return the scaled scores as they are, without using the mask."""
    return scaled


@wrong("masked", "hide", needs="mask")
def inverts_the_mask(scaled, mask):
    """Hide the scores where the mask is True instead of where it is False, by setting them to -1e9."""
    return np.where(mask, -1e9, scaled)


@wrong("masked", "hide", needs="mask")
def fills_with_zero(scaled, mask):
    """Multiply the scores by the mask, which sets masked scores to 0 instead of minus infinity.

    e^0 is 1, so a masked key still gets a weight.
    """
    return scaled * mask


@wrong("masked", "hide", needs="mask")
def adds_the_boolean_mask(scaled, mask):
    """Add the mask to the scores as 1 (True) and 0 (False), instead of setting masked scores to minus infinity."""
    return scaled + mask


@wrong("masked", "hide", needs="mask", source="https://github.com/tinygrad/tinygrad/pull/2425")
def subtracts_the_boolean_mask(scaled, mask):
    """Subtract the mask from the scores as 1 (True) and 0 (False), instead of setting masked scores to -inf."""
    return scaled - mask


@wrong("masked", "hide", needs="mask", source="https://github.com/lucidrains/memory-compressed-attention/issues/2")
def fills_with_a_large_positive_number(scaled, mask):
    """Set masked scores to +1e9 instead of -1e9, so that tokens attend to what the mask should hide."""
    return np.where(mask, scaled, 1e9)


@wrong("masked", "hide", needs="mask")
def fills_with_minus_one(scaled, mask):
    """Set masked scores to -1 instead of minus infinity."""
    return np.where(mask, scaled, -1)


@wrong("masked", "hide", needs="mask", rare=True)
def fills_with_minus_five(scaled, mask):
    """Set masked scores to -5 instead of minus infinity, so that masked keys still get a weight."""
    return np.where(mask, scaled, -5)


@wrong("masked", "hide", needs="mask", rare=True)
def fills_with_the_smallest_score(scaled, mask):
    """Set masked scores to the smallest of all scores instead of minus infinity."""
    return np.where(mask, scaled, scaled.min())


@wrong("masked", "hide", needs="mask")
def transposes_the_mask(scaled, mask):
    """Apply the transposed mask, which hides the past instead of the future if the mask is causal."""
    return np.where(square(mask).T, scaled, -np.inf)


@wrong("masked", "hide", needs="mask")
def lets_the_next_token_be_seen(scaled, mask):
    """Apply the causal mask, but let each token also attend to the next token.

    The code calls `triu(k=2)` instead of `triu(k=1)`.
    """
    return np.where(mask | np.eye(*square(mask).shape, k=1, dtype=bool), scaled, -np.inf)


@wrong("masked", "hide", needs="mask")
def hides_a_token_from_itself(scaled, mask):
    """Apply the causal mask, but hide each token from itself as well, by setting its score to -1e9.

    The code calls `triu(k=0)` instead of `triu(k=1)`. The first row has nothing left to attend to.
    """
    return np.where(mask & ~np.eye(*square(mask).shape, dtype=bool), scaled, -1e9)


@wrong("weights", "softmax", needs="mask")
def ends_the_loop_before_the_token_itself(masked_scores):
    """Apply a causal softmax, but leave the token itself out, so that the first row stays 0.

    The loop runs over `range(i)` instead of `range(i + 1)`.
    """
    e = np.tril(np.exp(masked_scores), -1)
    return np.divide(e, e.sum(1, keepdims=True), out=np.zeros_like(e), where=e.sum(1, keepdims=True) > 0)


@wrong("weights", "after", needs="mask", source=LAST)
def sets_weights_to_zero_after_the_softmax(weights, mask, p):
    """Compute the weights without the mask, and set masked weights to 0 after the softmax.

    The weights of a row then no longer add up to 1.
    """
    return run_without_mask(p)["weights"] * mask


@wrong("weights", "after", needs="mask")
def hides_weights_and_applies_the_softmax_again(weights, mask, p):
    """Compute the weights without the mask, set masked weights to minus infinity, and apply a second softmax."""
    return softmax(np.where(mask, run_without_mask(p)["weights"], -np.inf))


@wrong("weights", "after", needs="mask")
def sets_weights_to_zero_and_applies_the_softmax_again(weights, mask, p):
    """Compute the weights without the mask, set masked weights to 0, and apply a second softmax.

    The second softmax counts e^0 = 1 for each masked key, so this key gets a weight again.
    """
    return softmax(run_without_mask(p)["weights"] * mask)


@wrong("weights", "after", needs="mask", rare=True)
def divides_by_the_number_of_allowed_tokens(weights, mask, p):
    """Compute the weights without the mask, set masked weights to 0, and divide each row by its number of allowed keys.

    Correct is to divide each row by its sum.
    """
    return run_without_mask(p)["weights"] * mask / mask.sum(1, keepdims=True)


@wrong("masked", "hide", needs="mask")
def uses_the_first_row_of_the_mask(scaled, mask):
    """Apply the first row of the mask to every query, instead of the query's own row."""
    return np.where(mask[0], scaled, -np.inf)


@wrong("masked", "hide", needs="mask", rare=True)
def sees_a_window_of_two(scaled, mask):
    """Apply the mask, but let each token attend only to itself and the token before it."""
    return np.where(mask & np.triu(np.ones_like(square(mask)), -1), scaled, -np.inf)


@wrong("masked", "hide", needs="mask", rare=True)
def mirrors_the_mask(scaled, mask):
    """Apply the mask with its columns in reverse order, instead of the order of the keys."""
    return np.where(mask[:, ::-1], scaled, -np.inf)


@wrong("masked", "hide", needs="mask", rare=True)
def turns_hidden_scores_round(scaled, mask):
    """Change the sign of masked scores instead of setting them to minus infinity."""
    return np.where(mask, scaled, -scaled)


@wrong("masked", needs="mask", rare=True)
def hides_values_by_zero_vectors(p):
    """Compute attention on the inputs `p`, but set values to 0 instead of masking scores.

    The first row of the mask says which values become 0.
    """
    return run(p, hide=lambda scaled, mask: scaled, mix=lambda w, v: w @ (v * p.mask[0][:, None]))


@wrong("masked", "hide")
def masks_the_future_unasked(scaled, mask):
    """Apply a causal mask to the scores, although the exercise has no mask."""
    return np.where(np.tri(*scaled.shape, dtype=bool), scaled, -np.inf)


@wrong("masked", "hide")
def forbids_self_attention(scaled, mask):
    """Hide each token from itself, although the exercise does not ask for it."""
    return np.where(np.eye(*square(scaled).shape, dtype=bool), -np.inf, scaled)


def run_without_mask(p):
    """Return every step of one head for the inputs `p`, by name, computed without the mask."""
    return run(p, hide=lambda scaled, mask: scaled)
