"""Mistakes with the mask."""

import numpy as np

from wrong_implementations.parts import softmax

from .record import run, wrong

LAST = "https://github.com/huggingface/pytorch-image-models/pull/2236"


def square(mask):
    """Return the mask. Raises: ValueError if it is not square, so that a mistake with triangles cannot run."""
    if mask.shape[0] != mask.shape[1]:
        raise ValueError("a triangle needs a square")
    return mask


@wrong("masked", "hide", needs="mask")
def forgets_the_mask(scaled, mask):
    """The mask is passed on, and no line uses it."""
    return scaled


@wrong("masked", "hide", needs="mask")
def inverts_the_mask(scaled, mask):
    """`masked_fill(mask, -inf)`, where True says that a query may attend."""
    return np.where(mask, -1e9, scaled)


@wrong("masked", "hide", needs="mask")
def fills_with_zero(scaled, mask):
    """`scaled * mask`: a hidden score becomes 0, and e⁰ is 1."""
    return scaled * mask


@wrong("masked", "hide", needs="mask")
def adds_the_boolean_mask(scaled, mask):
    """`scaled + mask`: an allowed score rises by 1."""
    return scaled + mask


@wrong("masked", "hide", needs="mask", source="https://github.com/tinygrad/tinygrad/pull/2425")
def subtracts_the_boolean_mask(scaled, mask):
    """`scaled - mask`: an allowed score falls by 1."""
    return scaled - mask


@wrong("masked", "hide", needs="mask", source="https://github.com/lucidrains/memory-compressed-attention/issues/2")
def fills_with_a_large_positive_number(scaled, mask):
    """The sign of 1e9 is forgotten, so a row attends to what is hidden from it."""
    return np.where(mask, scaled, 1e9)


@wrong("masked", "hide", needs="mask")
def fills_with_minus_one(scaled, mask):
    """`masked_fill(~mask, -1)`, the token for padding."""
    return np.where(mask, scaled, -1)


@wrong("masked", "hide", needs="mask", rare=True)
def fills_with_minus_five(scaled, mask):
    """The fill is too small to hide a score."""
    return np.where(mask, scaled, -5)


@wrong("masked", "hide", needs="mask", rare=True)
def fills_with_the_smallest_score(scaled, mask):
    """`scaled.min()` stands where a score is hidden."""
    return np.where(mask, scaled, scaled.min())


@wrong("masked", "hide", needs="mask")
def transposes_the_mask(scaled, mask):
    """The past is hidden, and the future is not."""
    return np.where(square(mask).T, scaled, -np.inf)


@wrong("masked", "hide", needs="mask")
def lets_the_next_token_be_seen(scaled, mask):
    """`triu(k=2)`: each row sees one token too many."""
    return np.where(mask | np.eye(*square(mask).shape, k=1, dtype=bool), scaled, -np.inf)


@wrong("masked", "hide", needs="mask")
def hides_a_token_from_itself(scaled, mask):
    """`triu(k=0)`, with −1e9: the diagonal is hidden too, and the first row sees all alike."""
    return np.where(mask & ~np.eye(*square(mask).shape, dtype=bool), scaled, -1e9)


@wrong("weights", "softmax", needs="mask")
def ends_the_loop_before_the_token_itself(hidden):
    """`for j in range(i)`: the diagonal is left out, and the first row stays 0."""
    e = np.tril(np.exp(hidden), -1)
    return np.divide(e, e.sum(1, keepdims=True), out=np.zeros_like(e), where=e.sum(1, keepdims=True) > 0)


@wrong("weights", "after", needs="mask", source=LAST)
def sets_weights_to_zero_after_the_softmax(weights, mask, p):
    """The mask comes after the softmax, so that a row no longer sums to 1."""
    return run_without_mask(p)["weights"] * mask


@wrong("weights", "after", needs="mask")
def hides_weights_and_applies_the_softmax_again(weights, mask, p):
    """The weights are computed, hidden with −inf, and pass through a second softmax."""
    return softmax(np.where(mask, run_without_mask(p)["weights"], -np.inf))


@wrong("weights", "after", needs="mask")
def sets_weights_to_zero_and_applies_the_softmax_again(weights, mask, p):
    """A second softmax is to repair the sums, and gives hidden tokens e⁰."""
    return softmax(run_without_mask(p)["weights"] * mask)


@wrong("weights", "after", needs="mask", rare=True)
def divides_by_the_number_of_allowed_tokens(weights, mask, p):
    """The weights after a late mask are divided by how many tokens the row may see."""
    return run_without_mask(p)["weights"] * mask / mask.sum(1, keepdims=True)


@wrong("masked", "hide", needs="mask")
def uses_the_first_row_of_the_mask(scaled, mask):
    """`mask[0]` is broadcast to every row."""
    return np.where(mask[0], scaled, -np.inf)


@wrong("masked", "hide", needs="mask", rare=True)
def sees_a_window_of_two(scaled, mask):
    """Each token sees itself and the one before it, and no more."""
    return np.where(mask & np.triu(np.ones_like(square(mask)), -1), scaled, -np.inf)


@wrong("masked", "hide", needs="mask", rare=True)
def mirrors_the_mask(scaled, mask):
    """The columns of the mask stand in the reverse order."""
    return np.where(mask[:, ::-1], scaled, -np.inf)


@wrong("masked", "hide", needs="mask", rare=True)
def turns_hidden_scores_round(scaled, mask):
    """A hidden score changes its sign."""
    return np.where(mask, scaled, -scaled)


@wrong("masked", needs="mask", rare=True)
def hides_values_by_zero_vectors(p):
    """The mask's first row sets values to 0, and nothing hides their scores."""
    return run(p, hide=lambda scaled, mask: scaled, mix=lambda w, v: w @ (v * p.mask[0][:, None]))


@wrong("masked", "hide")
def masks_the_future_unasked(scaled, mask):
    """A causal mask is applied, though the task has none."""
    return np.where(np.tri(*scaled.shape, dtype=bool), scaled, -np.inf)


@wrong("masked", "hide")
def forbids_self_attention(scaled, mask):
    """A token may not attend to itself: the diagonal is hidden."""
    return np.where(np.eye(*square(scaled).shape, dtype=bool), -np.inf, scaled)


def run_without_mask(p):
    """Return every step of one head that nothing is hidden from."""
    return run(p, hide=lambda scaled, mask: scaled)
